// The condition that tells whether everybody who gets the audit log has got it.
import type { Condition } from './config-status.ts';

/** How a target of the audit log stands; times are RFC 3339. */
export interface AuditTargetStanding {
  /** `webhook/NAME` or `file`. */
  readonly target: string;
  /** How many entries it has not got yet, and when the oldest of them was made, as far as that is known. */
  readonly waiting: number;
  readonly oldest: string | undefined;
  /** Since when it takes nothing, and why, as the last try found: in words without secrets. */
  readonly failing: { readonly since: string; readonly reason: string } | undefined;
  /** How many entries it will never get: they were gone, or damaged, before. */
  readonly dropped: number;
}

/** What waits longer than this, in milliseconds, is told of although nothing fails. */
const slowMs = 300_000;

/** Answers the condition as it is now, where anybody gets the audit log; its time is when that was first seen. */
export function auditDeliveredOf(
  standings: () => readonly AuditTargetStanding[],
  now: () => string,
): () => readonly Condition[] {
  let known: Condition | undefined;
  return () => {
    const targets = standings();
    const time = now();
    const told = targets.length === 0 ? undefined : toldOf(targets, time);
    const lastTransitionTime = known?.status === told?.status && known ? known.lastTransitionTime : time;
    known = told && { type: 'AuditDelivered', ...told, lastTransitionTime };
    return known ? [known] : [];
  };
}

function toldOf(
  targets: readonly AuditTargetStanding[],
  now: string,
): Pick<Condition, 'status' | 'reason' | 'message'> {
  const behind = targets.flatMap((target) => behindWords(target, now) ?? []);
  const dropped = targets.filter((target) => target.dropped > 0).map(droppedWords);
  if (behind.length + dropped.length === 0) {
    const message = 'whoever gets the audit log has got it';
    return { status: 'True', reason: 'Delivered', message };
  }
  const reason = behind.length > 0 ? 'Behind' : 'EntriesDropped';
  return { status: 'False', reason, message: [...behind, ...dropped].join('; ') };
}

function behindWords({ target, waiting, oldest, failing }: AuditTargetStanding, now: string): string | undefined {
  const entries = `${waiting} ${waiting === 1 ? 'entry waits' : 'entries wait'}`;
  if (failing) return `${target} takes nothing since ${failing.since}, because ${failing.reason}: ${entries}`;
  if (oldest === undefined || Date.parse(now) - Date.parse(oldest) < slowMs) return undefined;
  return `${target} is slow: ${entries}, the oldest since ${oldest}`;
}

function droppedWords({ target, dropped }: AuditTargetStanding): string {
  const entries = dropped === 1 ? '1 entry was' : `${dropped} entries were`;
  return `${entries} gone, or damaged, before ${target} had got ${dropped === 1 ? 'it' : 'them'}`;
}
