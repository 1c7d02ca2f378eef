// Ends what holds more memory or processes than it may, with all that it has started: the limit of the heap binds neither buffers nor other processes.
import { treeLimitMb } from '../../core/instances/memory.ts';
import { taskLimit } from '../../core/instances/tasks.ts';
import type { Reason } from '../driver.ts';
import { memoryKills } from './control-group.ts';
import type { ProcessId, Usage } from './process-table.ts';
import type { Runtime } from './runtimes.ts';
import { createTreeMeter, type TreeMeter } from './tree-meter.ts';

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

/** A guard over memory and processes. */
export interface MemoryGuard {
  /** What each of the runtimes uses now, with all that it has started, by its run. */
  read(): Promise<ReadonlyMap<string, Usage>>;
  /** Those that were of a run when it was looked at last. */
  membersOf(run: string): readonly ProcessId[];
  start(): void;
  close(): void;
}

/** Looks again and again, from the first time that something is to be looked at. */
export function createMemoryGuard({ runtimes, everyMs, over }: Guarded): MemoryGuard {
  const meter = createTreeMeter();
  /** How many readings in a row each run was over its limit of memory. */
  let counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const all = runtimes();
    const usages = await usagesOf(meter, all);
    const next: typeof counts = new Map();
    for (const runtime of all) {
      const usage = usages.get(runtime.run);
      if (!usage) continue;
      const count = isOver(runtime, usage) ? (counts.get(runtime.run) ?? 0) + 1 : 0;
      if (count > 0) next.set(runtime.run, count);
      const why = await whyOver(runtime, usage, count);
      if (why) over(runtime, why);
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
    membersOf: meter.membersOf,
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
  return meter.read(
    runtimes.map(({ run, groups, user, init, process }) => ({ run, groups, user, init, leader: process })),
  );
}

function isOver({ memoryMb }: Runtime, { memoryBytes }: Usage): boolean {
  return memoryMb !== undefined && memoryBytes > treeLimitMb(memoryMb) * mib;
}

/** `count`: how many readings in a row it was over its limit of memory. */
async function whyOver(runtime: Runtime, { memoryBytes, tasks }: Usage, count: number): Promise<Reason | undefined> {
  if (tasks > taskLimit) return tooManyTasks(tasks);
  if (count >= mostReadings && runtime.memoryMb !== undefined) return exceeded(memoryBytes, runtime.memoryMb);
  return (await wasKilledForMemory(runtime)) ? killedForMemory : undefined;
}

function exceeded(bytes: number, memoryMb: number): Reason {
  const message = `it held ${Math.round(bytes / mib)} MiB of memory with all that it started, and its stack allows ${treeLimitMb(memoryMb)} MiB (1.5 times its memoryMb of ${memoryMb}, and 256)`;
  return { reason: 'MemoryExceeded', message: `${message}: its flows have to hold less, or it needs a larger stack` };
}

function tooManyTasks(tasks: number): Reason {
  const message = `it had ${tasks} processes and threads with all that it started, and may have ${taskLimit}: its flows have to start fewer at a time`;
  return { reason: 'ProcessesExceeded', message };
}

/** Also where a part of it alone was killed: what is left of it is not what anybody wrote. */
async function wasKilledForMemory({ groups = [] }: Pick<Runtime, 'groups'>): Promise<boolean> {
  const kills = await Promise.all(groups.map(memoryKills));
  return kills.some((count) => count > 0);
}

const killedForMemory: Reason = {
  reason: 'MemoryExceeded',
  message:
    'the system ended it or a part of it, because it held more memory than its control group allows: its flows have to hold less, or it needs a larger stack',
};

/** Why it ended, where the system ended it for its memory: then its control group knows. */
export async function endedForMemory(runtime: Pick<Runtime, 'groups'>, why: Reason): Promise<Reason> {
  if (why.reason !== 'Killed' && why.reason !== 'Exited') return why;
  return (await wasKilledForMemory(runtime)) ? killedForMemory : why;
}
