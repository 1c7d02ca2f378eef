// Runs jobs when their time comes, while this process leads: one run of a job at a time, and none on a store that takes no writes.
import { schedule } from 'node-cron';
import { jobs } from './index.ts';
import type { Desk, Job } from './job.ts';

/** What the schedule needs beside what its jobs do. */
export interface ScheduleOptions extends Desk {
  readonly log: (level: 'error', message: string) => void;
}

/** Jobs that run. */
export interface Schedule {
  /** Begins no run any more, and waits for those that are under way. */
  close(): Promise<void>;
}

/**
 * Starts the jobs. After the system clock was set back none runs until it has caught up: so nothing may depend on a job that has to be
 * right at once.
 */
export function startJobs(options: ScheduleOptions, registry: readonly Job[] = jobs): Schedule {
  const over = new AbortController();
  const running = new Set<Promise<void>>();
  const begin = (job: Job, stop: AbortSignal): Promise<void> => {
    const run = runOnce(job, options, stop).finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  options.door.store.lead('jobs', (lost) => {
    const stop = AbortSignal.any([lost, over.signal]);
    for (const job of registry) {
      const task = schedule(job.pattern, () => begin(job, stop), { ...manners, name: job.name });
      stop.addEventListener('abort', () => void task.destroy());
    }
  });
  return {
    close: async () => {
      over.abort();
      await Promise.all(running);
    },
  };
}

const silent = () => {};

/** What is worth telling is told here; and no job keeps a process alive. */
const manners = {
  noOverlap: true,
  timezone: 'Etc/UTC',
  unref: true,
  suppressMissedWarning: true,
  logger: { info: silent, warn: silent, error: silent, debug: silent },
};

async function runOnce(job: Job, options: ScheduleOptions, stop: AbortSignal): Promise<void> {
  if (stop.aborted || options.door.store.health().state !== 'ready') return;
  try {
    await job.run(options, stop);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    options.log('error', `the job ${job.name} failed, and is tried again when its time comes: ${reason}`);
  }
}
