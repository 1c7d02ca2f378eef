// The ids of recent commits, so that the same commit twice is one write.
import type { Change } from '../core/model/change.ts';

/** A commit as it is remembered: where it stands, and, while it is recent, what it changed. */
export interface Remembered {
  readonly seq: number;
  readonly changes: readonly Change[];
}

/** The last 10 000 to 20 000 ids; and what the last of them changed, up to 2 000 changes (more only for one commit alone). */
export interface Recent {
  get(id: string): Remembered | undefined;
  add(id: string, commit: Remembered): void;
  /** Oldest first. */
  ids(): Iterable<readonly [id: string, seq: number]>;
}

/** Remembers nothing yet. */
export function createRecent(): Recent {
  const seqs = createGenerations<number>(10_000);
  const changes = createGenerations<readonly Change[]>(1_000);
  return {
    get: (id) => {
      const seq = seqs.get(id);
      return seq === undefined ? undefined : { seq, changes: changes.get(id) ?? [] };
    },
    add: (id, commit) => {
      seqs.add(id, commit.seq, 1);
      if (commit.changes.length > 0) changes.add(id, commit.changes, commit.changes.length);
    },
    ids: () => seqs.entries(),
  };
}

interface Generations<V> {
  get(key: string): V | undefined;
  add(key: string, value: V, weight: number): void;
  entries(): Iterable<readonly [string, V]>;
}

/** A map that forgets its older half whenever the younger one weighs `limit`: taking the oldest key off a Map is not cheap. */
function createGenerations<V>(limit: number): Generations<V> {
  let old = new Map<string, V>();
  let young = new Map<string, V>();
  let weighs = 0;
  return {
    get: (key) => young.get(key) ?? old.get(key),
    add: (key, value, weight) => {
      if (weighs >= limit) {
        old = young;
        young = new Map();
        weighs = 0;
      }
      old.delete(key);
      young.set(key, value);
      weighs += weight;
    },
    entries: function* () {
      // Both as they are now: what is old by the time that the first has been gone through may be another.
      const both = [old, young];
      for (const one of both) yield* one;
    },
  };
}
