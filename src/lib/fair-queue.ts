// Work that is done one piece after another, of each that asks in turn: whoever asks for much waits for its own, and holds up nobody else.

/** A piece of work was not done, because too much was to be done before it. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** Whose pieces wait, and for how long at most in milliseconds. */
export interface FairQueueOptions {
  /** How many pieces of one key may wait. */
  readonly maxPerKey: number;
  /** As long as it takes where nothing is said. */
  readonly maxWaitMs?: number;
}

interface Waiting {
  readonly start: () => void;
}

/** Answers what does a piece of work for a key. That rejects with `QueueFull` where it has to wait for too long, or too many of the same key wait. */
export function createFairQueue({ maxPerKey, maxWaitMs }: FairQueueOptions) {
  /** In the order in which keys have their turn. */
  const lines = new Map<string, Waiting[]>();
  let isBusy = false;

  const leave = (key: string, waiting: Waiting) => {
    const line = lines.get(key) ?? [];
    const at = line.indexOf(waiting);
    if (at >= 0) line.splice(at, 1);
    if (line.length === 0) lines.delete(key);
  };
  const next = () => {
    const [first] = lines;
    isBusy = first !== undefined;
    if (!first) return;
    const [key, line] = first;
    const waiting = line.shift();
    // To the end of all, where it has more.
    lines.delete(key);
    if (line.length > 0) lines.set(key, line);
    waiting?.start();
  };
  const turn = (key: string): Promise<void> => {
    if (!isBusy) {
      isBusy = true;
      return Promise.resolve();
    }
    const line = lines.get(key) ?? [];
    if (line.length >= maxPerKey)
      return Promise.reject(new QueueFull(`${line.length} pieces of the same wait already`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      start: () => {
        clearTimeout(late);
        resolve();
      },
    };
    const giveUp = () => {
      leave(key, waiting);
      reject(new QueueFull(`its turn did not come within ${maxWaitMs} ms`));
    };
    const late = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    line.push(waiting);
    lines.set(key, line);
    return promise;
  };
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    await turn(key);
    try {
      return await work();
    } finally {
      next();
    }
  };
}
