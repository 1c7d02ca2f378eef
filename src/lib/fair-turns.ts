// Turns that are fair: one task at a time for each key, few overall, and nobody's queue is anybody else's.
import { createTurns, type Turns } from './turns.ts';

/** Runs a task of somebody (`key`) when it is their turn. Rejects with what `refusal` makes where too many wait already. */
export type FairTurns = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export interface FairBounds {
  /** How many tasks run at a time, each of another key. */
  readonly atOnce: number;
  /** How many tasks there may be, those that run included, overall and of one key. */
  readonly places: number;
  readonly perKey: number;
}

/** Makes a queue. Of each key one task at most waits with those of others, so whoever has one is not behind all of whoever has many. */
export function createFairTurns({ atOnce, places, perKey }: FairBounds, refusal: () => Error): FairTurns {
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
      return await own.turns(() => overall(task));
    } finally {
      taken -= 1;
      own.count -= 1;
      if (own.count === 0) keys.delete(key);
    }
  };
}
