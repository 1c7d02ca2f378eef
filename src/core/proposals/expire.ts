// Deletes what has ended by itself: tokens, sessions, invitations, provisioning tokens, HTTP tokens, links in mails, and what is remembered of requests and logins.
import { type Change, deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { usesNotedEveryMs } from './note-use.ts';

/** The kinds whose resources end. */
export const endingKinds = [
  'Token',
  'Session',
  'Invitation',
  'ActionToken',
  'ProvisioningToken',
  'HttpToken',
  'IdempotentRequest',
  'SpentLogin',
] as const;

/** One of them. */
export type EndingKind = (typeof endingKinds)[number];

/** The ids of what has ended; in steps, because there may be many that have not. */
export function* endedSteps(view: View, kind: EndingKind, now: string): Generator<void, string[]> {
  const ended: string[] = [];
  const at = Date.parse(now);
  let steps = 0;
  for (const resource of view.all(kind)) {
    if (endOf(resource) <= at) ended.push(resource.id);
    if (++steps % 256 === 0) yield;
  }
  return ended;
}

/** Deletes those of these that are still there and have ended. */
export function expire(kind: EndingKind, ids: readonly string[]): Proposal {
  return (view, { now }) => {
    const at = Date.parse(now);
    return ids.flatMap((id): Change[] => {
      const resource: Resource<EndingKind> | undefined = view.get(kind, id);
      return resource && endOf(resource) <= at ? [deleted(resource)] : [];
    });
  };
}

const hourMs = 3_600_000;

/** When it ends, in milliseconds. The last use of a session is noted late: one that may still be in use is left alone. */
function endOf({ spec }: Resource<EndingKind>): number {
  const end = spec.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(spec.expiresAt);
  if (!('idleHours' in spec)) return end;
  return Math.min(end, Date.parse(spec.lastSeenAt) + spec.idleHours * hourMs + 2 * usesNotedEveryMs);
}
