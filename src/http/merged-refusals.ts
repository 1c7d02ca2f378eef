// What anybody can have refused, sign-ins first of all: the first of a kind is audited at once, and those after it once a minute, as one entry with their number.
import { setTimeout as pause } from 'node:timers/promises';
import { type Door, submit } from '../control/submit.ts';
import { type Actor, type AuditEvent, happened } from '../core/model/proposal.ts';
import type { Clock } from '../lib/clock.ts';

/** Something refused that proves nothing of who made it, and changes nothing. */
export interface AnonymousRefusal {
  /** What it is counted with: through what, and why. Nothing that was sent stands in it. */
  readonly like: readonly [through: string, why: string];
  readonly event: AuditEvent;
  readonly actor: Actor;
  readonly requestId: string;
  /** Absent where those that it stands for came from several. */
  readonly address: string | undefined;
}

export interface MergedRefusals {
  /** Resolves when it is kept, or counted, which takes as long. Rejects as a commit does. */
  note(refusal: AnonymousRefusal): Promise<void>;
  /** Keeps what was counted in minutes that are over; with `all` whatever was counted. Never rejects: what cannot be kept is logged. */
  flush(which: 'over' | 'all'): Promise<void>;
  /** Begins to flush once a minute. Answers the function that ends it. */
  start(): () => void;
}

/** What came after the first in a minute. */
interface Counted {
  readonly last: AnonymousRefusal;
  readonly minute: string;
  readonly count: number;
}

/** How many kinds are told apart in a minute. Where there are more, the rest is told apart by what it came through alone. */
const mostKinds = 1000;

const longestPauseMs = 1000;

interface Options {
  readonly door: Door;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (message: string) => void;
}

/** Counts them in this process: after a crash the log alone has those of the last minute. */
export function createMergedRefusals({ door, clock, newId, log }: Options): MergedRefusals {
  const kinds = new Map<string, Counted>();
  // How long the last commit took: who is counted elsewhere, because they have an account, is not told from others by the time.
  let commitMs = 0;
  const keep = async ({ event, actor, requestId, address }: AnonymousRefusal): Promise<void> => {
    const from = address === undefined ? {} : { address };
    const context = { now: clock(), newId, actor, origin: 'api', requestId, ...from } as const;
    const begun = performance.now();
    await submit(door, happened(event), context);
    commitMs = Math.min(performance.now() - begun, longestPauseMs);
  };
  const tellCounted = async ({ last, minute, count }: Counted): Promise<void> => {
    if (count === 0) return;
    try {
      await keep({ ...last, event: { ...last.event, count } });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(`${count} of ${last.event.event} in ${minute} (${last.like.join(': ')}) could not be audited: ${why}`);
    }
  };
  /** The minute that is over goes out of the way of the one that begins. */
  const over = (which: 'over' | 'all'): Counted[] => {
    const minute = minuteOf(clock());
    const found = [...kinds].filter(([, one]) => which === 'all' || one.minute !== minute);
    for (const [kind] of found) kinds.delete(kind);
    return found.map(([, one]) => one);
  };
  const flush = async (which: 'over' | 'all'): Promise<void> => {
    for (const one of over(which)) await tellCounted(one);
  };
  return {
    note: async (refusal) => {
      const minute = minuteOf(clock());
      const kind = kindOf(refusal, kinds);
      const had = kinds.get(kind);
      if (had?.minute === minute) {
        kinds.set(kind, { last: later(had, refusal), minute, count: had.count + 1 });
        await pause(commitMs);
        return;
      }
      kinds.set(kind, { last: refusal, minute, count: 0 });
      if (had) await tellCounted(had);
      await keep(refusal);
    },
    flush,
    start: () => {
      const timer = setInterval(() => void flush('over'), 60_000);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** What is told of all that were counted is what is true of each. */
function later({ last, count }: Counted, next: AnonymousRefusal): AnonymousRefusal {
  return count === 0 || last.address === next.address ? next : { ...next, address: undefined };
}

function kindOf({ like: [through, why] }: AnonymousRefusal, kinds: ReadonlyMap<string, unknown>): string {
  const kind = JSON.stringify([through, why]);
  return kinds.has(kind) || kinds.size < mostKinds ? kind : JSON.stringify([through]);
}

/** `2026-11-21T12:00`. */
function minuteOf(at: string): string {
  return at.slice(0, 16);
}
