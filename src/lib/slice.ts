// Long work in slices: gives the event loop its turn whenever a slice has used up its time.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** `breathe` returns at once while there is time left in this slice, and else lets everything that waits go first. */
export interface Slicer {
  breathe(): Promise<void>;
  /** Whether the slice has used up its time: `if (slicer.spent()) await slicer.breathe()` saves the promise in a tight loop. */
  spent(): boolean;
}

/** Makes a slicer. `budgetMs`: how long a slice may hold the event loop; `now`: a monotonic clock in milliseconds. */
export function createSlicer(budgetMs = 2, now: () => number = () => performance.now()): Slicer {
  let end = now() + budgetMs;
  const spent = () => now() >= end;
  return {
    spent,
    async breathe() {
      if (!spent()) return;
      await nextTurn();
      end = now() + budgetMs;
    },
  };
}

/** Runs a generator to its end, giving way between its steps. Answers what it returns. */
export async function inSlices<T>(steps: Generator<void, T>, slicer: Slicer): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slicer.spent()) await slicer.breathe();
  }
}
