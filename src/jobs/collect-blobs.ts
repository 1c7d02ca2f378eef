// Every minute: deletes what snapshots held that are no longer there.
import type { Job } from './job.ts';

export const collectBlobsJob: Job = {
  name: 'collect-blobs',
  pattern: '* * * * *',
  run: async ({ door }) => {
    await door.store.blobs.collect();
  },
};
