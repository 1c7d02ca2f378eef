// Turns at what takes a server seconds and much memory, such as plans: one at a time for each caller, few overall, and a bounded queue.
import type { Caller } from '../core/access/actor.ts';
import { createTurns, type Turns } from '../lib/turns.ts';
import { Problem } from './errors.ts';

/** Takes a place for a request, before its body is read. Throws `rate_limited` where its caller has several already, and `unavailable` where all are taken. */
export type PlanTurns = (caller: Caller) => PlanPlace;

/** A place in the queue. */
export interface PlanPlace {
  /** Does the work when its turn has come; not at all where whoever asked has left by then. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whoever asked has left, or was answered. The place is free once the work has ended, too. */
  leave(): void;
}

/** How many may be at work, how many places there are for those who wait or send their body, and how many of these one caller may have. */
const bounds = { atOnce: 2, places: 8, perCaller: 3 } as const;

/** Makes a queue. */
export function createPlanTurns(): PlanTurns {
  const overall = createTurns(bounds.atOnce, bounds.places, full);
  const callers = new Map<string, { places: number; readonly turns: Turns }>();
  let places = 0;
  return (caller) => {
    const key = keyOf(caller);
    const own = callers.get(key) ?? { places: 0, turns: createTurns(1, bounds.perCaller, full) };
    if (own.places >= bounds.perCaller) throw tooMany();
    if (places >= bounds.places) throw full();
    callers.set(key, own);
    own.places += 1;
    places += 1;
    return placeIn(own.turns, overall, () => {
      places -= 1;
      own.places -= 1;
      if (own.places === 0) callers.delete(key);
    });
  };
}

function placeIn(own: Turns, overall: Turns, free: () => void): PlanPlace {
  let working = 0;
  let isFree = false;
  let hasLeft = false;
  const freeOnce = () => {
    if (isFree || !hasLeft || working > 0) return;
    isFree = true;
    free();
  };
  return {
    run: async (work) => {
      working += 1;
      try {
        return await own(() => overall(() => (hasLeft ? Promise.reject(gone()) : work())));
      } finally {
        working -= 1;
        freeOnce();
      }
    },
    leave: () => {
      hasLeft = true;
      freeOnce();
    },
  };
}

/** A user is one caller, whatever tokens and sessions they have. */
function keyOf(caller: Caller): string {
  if (caller.kind === 'user') return caller.user.id;
  return caller.kind;
}

function tooMany(): Problem {
  return new Problem('rate_limited', {
    detail: `You have ${bounds.perCaller} requests of this kind under way, which is the limit: wait until one is answered.`,
    headers: retryAfter,
  });
}

function full(): Problem {
  return new Problem('unavailable', {
    detail: 'Too many plans and exports are being made now: try again later.',
    headers: retryAfter,
  });
}

function gone(): Problem {
  return new Problem('unavailable', { detail: 'Whoever asked has left.' });
}

const retryAfter = { 'retry-after': '5' } as const;
