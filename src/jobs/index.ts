// The registry of scheduled jobs: one line each.
import { collectBlobsJob } from './collect-blobs.ts';
import { expireJob } from './expire.ts';
import type { Job } from './job.ts';

/** Every job. */
export const jobs: readonly Job[] = [expireJob, collectBlobsJob];
