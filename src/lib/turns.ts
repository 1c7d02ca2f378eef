// Turns: a few tasks run at a time, some wait, and what is more is refused.

/** Runs a task when it is its turn. Rejects with what `refusal` makes where too many wait already. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets `atOnce` tasks run and `queue` wait. */
export function createTurns(atOnce: number, queue: number, refusal: () => Error): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= atOnce) {
      if (waiting.length >= queue) throw refusal();
      await new Promise<void>((go) => waiting.push(go));
    } else running += 1;
    try {
      return await task();
    } finally {
      // Whoever waits takes over this place, so `running` stays as it is.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
