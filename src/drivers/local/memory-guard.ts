// Ends what holds more memory than its stack allows, with all that it has started: the limit of the heap binds neither buffers nor other processes.
import { treeLimitMb } from '../../core/instances/memory.ts';
import type { Reason } from '../driver.ts';
import { memoryKills } from './control-group.ts';
import type { Usage } from './process-table.ts';
import { createTreeMeter, type TreeMeter } from './process-tree.ts';
import type { Runtime } from './runtimes.ts';

/** How many readings in a row it takes: one peak is none. */
export const mostReadings = 3;

const mib = 1024 ** 2;

/** What one guard needs. */
export interface Guarded {
  /** What runs now. */
  readonly runtimes: () => readonly Runtime[];
  readonly everyMs: number;
  /** Told once of each that is over its limit for too long. */
  readonly over: (runtime: Runtime, why: Reason) => void;
}

/** A guard over memory. */
export interface MemoryGuard {
  /** What each of the runtimes uses now, with all that it has started, by its run. */
  read(): Promise<ReadonlyMap<string, Usage>>;
  start(): void;
  close(): void;
}

/** Looks again and again, from the first time that something is to be looked at. */
export function createMemoryGuard({ runtimes, everyMs, over }: Guarded): MemoryGuard {
  const meter = createTreeMeter();
  /** How many readings in a row each run was over its limit. */
  let counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const limited = runtimes().filter(({ memoryMb }) => memoryMb !== undefined);
    const usages = await usagesOf(meter, limited);
    const next: typeof counts = new Map();
    for (const runtime of limited) {
      const usage = usages.get(runtime.run);
      const limitMb = treeLimitMb(runtime.memoryMb ?? 0);
      if (!usage || usage.memoryBytes <= limitMb * mib) continue;
      const count = (counts.get(runtime.run) ?? 0) + 1;
      next.set(runtime.run, count);
      if (count === mostReadings) over(runtime, exceeded(usage.memoryBytes, limitMb, runtime.memoryMb ?? 0));
    }
    counts = next;
  };
  const again = () => {
    timer = setTimeout(
      () =>
        void look()
          .catch(() => {})
          .finally(() => timer && again()),
      everyMs,
    ).unref();
  };
  return {
    read: () => usagesOf(meter, runtimes()),
    start: () => {
      if (!timer) again();
    },
    close: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

function usagesOf(meter: TreeMeter, runtimes: readonly Runtime[]): Promise<ReadonlyMap<string, Usage>> {
  return meter.read(runtimes.map(({ run, groups, user, process }) => ({ run, groups, user, leader: process })));
}

function exceeded(bytes: number, limitMb: number, memoryMb: number): Reason {
  const message = `it held ${Math.round(bytes / mib)} MiB of memory with all that it started, and its stack allows ${limitMb} MiB (1.5 times its memoryMb of ${memoryMb}, and 256)`;
  return { reason: 'MemoryExceeded', message: `${message}: its flows have to hold less, or it needs a larger stack` };
}

/** Why it ended, where the system ended it for its memory: then its control group knows. */
export async function endedForMemory({ groups = [] }: Pick<Runtime, 'groups'>, why: Reason): Promise<Reason> {
  if (why.reason !== 'Killed' && why.reason !== 'Exited') return why;
  const kills = await Promise.all(groups.map(memoryKills));
  if (!kills.some((count) => count > 0)) return why;
  const message =
    'the system ended it, because it held more memory than its control group allows: its flows have to hold less, or it needs a larger stack';
  return { reason: 'MemoryExceeded', message };
}
