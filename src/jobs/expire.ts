// Every minute: deletes what has ended. Whatever opens something is refused from its end on in any case; this takes it away (specification 5).
import { submit } from '../control/submit.ts';
import { type EndingKind, endedSteps, endingKinds, expire } from '../core/proposals/expire.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import type { Desk, Job } from './job.ts';

/** One commit after another, each small enough that nobody waits for it. */
const atOnce = 100;

export const expireJob: Job = {
  name: 'expire',
  pattern: '* * * * *',
  run: async (desk, stop) => {
    for (const kind of endingKinds) await expireAll(desk, kind, stop);
  },
};

async function expireAll({ door, clock, newId }: Desk, kind: EndingKind, stop: AbortSignal): Promise<void> {
  const ended = await inSlices(endedSteps(door.store.read(), kind, clock()), createSlicer());
  for (let at = 0; at < ended.length && !stop.aborted; at += atOnce) {
    const context = { now: clock(), newId, actor: { kind: 'job', name: expireJob.name }, origin: 'api' } as const;
    await submit(door, expire(kind, ended.slice(at, at + atOnce)), context);
  }
}
