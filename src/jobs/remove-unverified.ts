// Every hour: removes registrations that nobody verified within a week, so that they hold no usernames.
import { submit } from '../control/submit.ts';
import { removeUnverified, unverifiedSteps } from '../core/proposals/remove-unverified.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import type { Job } from './job.ts';

/** One commit after another, each small enough that nobody waits for it. */
const atOnce = 50;

export const removeUnverifiedJob: Job = {
  name: 'remove-unverified',
  pattern: '7 * * * *',
  run: async ({ door, clock, newId }, stop) => {
    const waited = await inSlices(unverifiedSteps(door.store.read(), clock()), createSlicer());
    for (let at = 0; at < waited.length && !stop.aborted; at += atOnce) {
      const context = {
        now: clock(),
        newId,
        actor: { kind: 'job', name: removeUnverifiedJob.name },
        origin: 'api',
      } as const;
      await submit(door, removeUnverified(waited.slice(at, at + atOnce)), context);
    }
  },
};
