// Turns are taken one after another. Callers who want the same share a turn that has not begun; a queue that is closed begins none.
import { NotKept } from '../store/store.ts';

export interface TurnQueue {
  /** Resolves with what the turn came to. Rejects with `NotKept` where the queue is closed before it begins. */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** A turn for all who ask with one key before it begins; `work` is told of all of them. Rejects with `NotKept` where too many others wait. */
  share<J, T>(key: string, one: J, work: (all: readonly J[]) => Promise<T>): Promise<T>;
  /** Nobody waits any more: resolves when the turn that is under way has ended. */
  close(): Promise<void>;
}

/** So many shared turns wait; each reads the tree for itself. */
const mostShared = 32;

interface Shared {
  readonly all: unknown[];
  readonly outcome: Promise<unknown>;
}

/** `after` is called after each turn, whatever came of it. */
export function createTurnQueue(after: () => void): TurnQueue {
  const waiting = new Set<(reason: unknown) => void>();
  const shared = new Map<string, Shared>();
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const take = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(ended());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.add(reject);
    last = last.then(async () => {
      // Whoever is not waiting any more was told so.
      if (!waiting.delete(reject)) return;
      await work().then(resolve, reject);
      if (!isClosed) after();
    });
    return promise;
  };
  return {
    take,
    share: <J, T>(key: string, one: J, work: (all: readonly J[]) => Promise<T>) => {
      const known = shared.get(key);
      if (known) {
        known.all.push(one);
        return known.outcome as Promise<T>;
      }
      if (shared.size >= mostShared)
        return Promise.reject(new NotKept('nothing was applied: too many others wait for a reconcile'));
      const all: J[] = [one];
      const outcome = take(() => {
        shared.delete(key);
        return work(all);
      });
      if (!isClosed) shared.set(key, { all, outcome });
      return outcome;
    },
    close: async () => {
      isClosed = true;
      for (const reject of waiting) reject(ended());
      waiting.clear();
      shared.clear();
      await last;
    },
  };
}

function ended(): NotKept {
  return new NotKept('nothing was applied: the reconciler has ended');
}
