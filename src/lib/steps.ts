// Steps: long work as a generator, which is run in slices, in one go, or given up.

/** Runs steps to their end without a pause. */
export function inOneGo<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The steps, given up (nothing returned) as soon as `stop` says so. */
export function* unless<T>(stop: () => boolean, steps: Generator<void, T, void>): Generator<void, T | undefined, void> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield;
    if (stop()) return undefined;
  }
}
