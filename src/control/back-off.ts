// Back-off: what fails is tried again, later each time, until somebody wants something else of it.

/** Milliseconds: before the first repetition, between repetitions at most, and how long something must have gone well to begin anew. */
export interface Pauses {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly steadyMs: number;
}

const usual: Pauses = { firstMs: 1000, mostMs: 300_000, steadyMs: 300_000 };

/** Pauses by id. */
export interface BackOff {
  /** Notes a failure at a time (RFC 3339), of what was wanted then (`generation`), and comes back to it after a pause. */
  failed(id: string, generation: number, at: string): void;
  /** Whether to wait still. Who wants something else now does not. */
  isPausing(id: string, generation: number): boolean;
  /** All is well, or it is gone. */
  forget(id: string): void;
  close(): void;
}

interface Failure {
  readonly count: number;
  readonly generation: number;
  readonly at: number;
  timer: NodeJS.Timeout | undefined;
}

/** `again` is called with an id when its pause is over. */
export function createBackOff(again: (id: string) => void, { firstMs, mostMs, steadyMs }: Pauses = usual): BackOff {
  const failures = new Map<string, Failure>();
  const forget = (id: string) => {
    clearTimeout(failures.get(id)?.timer);
    failures.delete(id);
  };
  const pauseAfter = (count: number) => Math.min(firstMs * 2 ** (count - 1), mostMs);
  let closed = false;
  return {
    forget,
    failed: (id, generation, at) => {
      if (closed) return;
      const time = Date.parse(at);
      const before = failures.get(id);
      const isSame =
        before && before.generation === generation && time - before.at < steadyMs + pauseAfter(before.count);
      forget(id);
      const count = isSame ? before.count + 1 : 1;
      const failure: Failure = { count, generation, at: time, timer: undefined };
      failure.timer = setTimeout(() => {
        failure.timer = undefined;
        again(id);
      }, pauseAfter(count));
      failures.set(id, failure);
    },
    isPausing: (id, generation) => {
      const failure = failures.get(id);
      return failure?.timer !== undefined && failure.generation === generation;
    },
    close: () => {
      closed = true;
      for (const id of [...failures.keys()]) forget(id);
    },
  };
}
