// Every ten minutes: deletes what snapshots held that are no longer there.
import type { Job } from './job.ts';

export const collectBlobsJob: Job = {
  name: 'collect-blobs',
  pattern: '*/10 * * * *',
  run: async ({ door }) => {
    await door.store.blobs.collect();
  },
};
