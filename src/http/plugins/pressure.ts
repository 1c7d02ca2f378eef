// How far the process is behind with its work, watched once a second, in a way that nothing can make fail.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A watch over the event loop. */
export interface Pressure {
  /** The mean delay of the event loop, in milliseconds, over the best one of the last seconds: one long step is no overload. */
  delayMs(): number;
  close(): void;
}

const resolutionMs = 10;

/**
 * Begins to watch; `seconds` is how many one after another count. (`@fastify/under-pressure` also asks how much memory is used, which opens a file: where no descriptor is left that throws
 * out of a timer, and the process ends.)
 */
export function watchPressure(seconds: number): Pressure {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let delays: readonly number[] = Array.from({ length: seconds }, () => 0);
  let hasTurned = false;
  const turned = () => {
    hasTurned = true;
  };
  setTimeout(() => setImmediate(turned).unref(), resolutionMs).unref();
  const timer = setInterval(() => {
    // Not one turn in a second is as far behind as can be; but a process that was busy starting is not behind with its work.
    const delayNow = histogram.count === 0 ? Number.POSITIVE_INFINITY : histogram.mean / 1e6 - resolutionMs;
    const latest = hasTurned ? Math.max(0, delayNow) : 0;
    delays = [...delays.slice(1), latest];
    histogram.reset();
  }, 1000);
  timer.unref();
  return {
    delayMs: () => Math.min(...delays),
    close: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
