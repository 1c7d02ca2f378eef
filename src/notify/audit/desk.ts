// What the tellers of the audit log share: the world that they need, and who is to be told.
import type { Door } from '../../control/submit.ts';
import type { Secret } from '../../core/kinds/kind.ts';
import type { Context } from '../../core/model/proposal.ts';
import { type AuditTarget, auditTargetsIn } from '../../core/proposals/note-audit-delivered.ts';
import type { Clock } from '../../lib/clock.ts';

export interface AuditStreamOptions {
  readonly door: Door;
  readonly secretOf: (secret: Secret) => { readonly value: string } | { readonly message: string };
  /** The address of this server, as people know it. */
  readonly baseUrl: string;
  /** The folder of the store: no copy of the log may stand in it. */
  readonly storeFolder: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** The waits before the second try, the third …, in milliseconds; the last of them between all others. */
  readonly retryMs?: readonly number[];
  /** How long a receiver may take to answer, in milliseconds. */
  readonly answerMs?: number;
  /** How long `close` lets deliveries go on, in milliseconds. */
  readonly closeMs?: number;
  /** How far a target has got is kept so many milliseconds after it has got more, or so many entries. */
  readonly saveMs?: number;
  readonly saveEntries?: number;
  /** What goes out at once, at most (a single entry always does). */
  readonly batch?: { readonly entries: number; readonly bytes: number };
}

export interface Desk extends Required<AuditStreamOptions> {
  /** Aborted when nothing new is begun, and when what is under way is given up. */
  readonly closing: AbortController;
  readonly stop: AbortController;
}

/** Lays a desk out. */
export function deskOf(options: AuditStreamOptions): Desk {
  return {
    retryMs: [1000, 5000, 15_000, 60_000, 300_000],
    answerMs: 10_000,
    closeMs: 1500,
    saveMs: 2000,
    saveEntries: 1000,
    batch: { entries: 100, bytes: 256 * 1024 },
    ...options,
    closing: new AbortController(),
    stop: new AbortController(),
  };
}

/** Who acts when deliveries are written down. */
export function contextOf({ clock, newId }: Desk): Context {
  return { now: clock(), newId, actor: { kind: 'job', name: 'audit-stream' }, origin: 'api' };
}

/** A target as it is declared now. */
export function targetIn({ door }: Desk, name: string): AuditTarget | undefined {
  return auditTargetsIn(door.store.read()).find((one) => one.name === name);
}
