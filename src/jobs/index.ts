// The registry of scheduled jobs: one line each.
import { collectBlobsJob } from './collect-blobs.ts';
import { expireJob } from './expire.ts';
import type { Job } from './job.ts';
import { removeUnverifiedJob } from './remove-unverified.ts';

/** Every job. */
export const jobs: readonly Job[] = [expireJob, removeUnverifiedJob, collectBlobsJob];
