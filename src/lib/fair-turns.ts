// Turns that are fair: one task at a time for each key, few overall, and nobody's queue is anybody else's.
import { createTurns, type Turns } from './turns.ts';

/** Runs a task of somebody (`key`) when it is their turn. Rejects with what `refusal` makes where too many wait already, or it has waited for too long. */
export type FairTurns = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export interface FairBounds {
  /** How many tasks run at a time, each of another key. */
  readonly atOnce: number;
  /** How many tasks there may be, those that run included, overall and of one key. */
  readonly places: number;
  readonly perKey: number;
  /** How long a task may wait, in milliseconds; for as long as it takes where nothing is said. */
  readonly maxWaitMs?: number;
}

/** Makes a queue. Of each key one task at most waits with those of others, so whoever has one is not behind all of whoever has many. */
export function createFairTurns({ atOnce, places, perKey, maxWaitMs }: FairBounds, refusal: () => Error): FairTurns {
  const overall = createTurns(atOnce, places, refusal);
  const keys = new Map<string, { count: number; readonly turns: Turns }>();
  let taken = 0;
  return async (key, task) => {
    const own = keys.get(key) ?? { count: 0, turns: createTurns(1, perKey, refusal) };
    if (taken >= places || own.count >= perKey) throw refusal();
    keys.set(key, own);
    taken += 1;
    own.count += 1;
    try {
      return await inTime((begun) => own.turns(() => overall(begun)), task, maxWaitMs, refusal);
    } finally {
      taken -= 1;
      own.count -= 1;
      if (own.count === 0) keys.delete(key);
    }
  };
}

/** Gives a task up that does not begin in time: when its turn comes, there is nothing left to do. */
async function inTime<T>(
  wait: (task: () => Promise<T>) => Promise<T>,
  task: () => Promise<T>,
  maxWaitMs: number | undefined,
  refusal: () => Error,
): Promise<T> {
  if (maxWaitMs === undefined) return wait(task);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(refusal()), maxWaitMs);
  let isLate = false;
  late.promise.catch(() => {
    isLate = true;
  });
  const work = wait(() => {
    clearTimeout(timer);
    return isLate ? late.promise : task();
  });
  return Promise.race([work, late.promise]);
}
