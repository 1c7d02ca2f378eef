// What snapshots are for: comparing them, and restoring them into an instance.
import { z } from 'zod';
import { type Ended, watchRestores } from '../../control/await-restore.ts';
import type { Resource } from '../../core/model/resource.ts';
import { Declined } from '../../core/proposals/declined.ts';
import { restoreSnapshot, snapshotFor } from '../../core/proposals/restore-snapshot.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { targeted } from '../../core/proposals/update-instance.ts';
import type { NamedBytes } from '../content-work.ts';
import { dryRunQuery } from '../dry-run.ts';
import { describedAs } from '../json-schema.ts';
import { begunHeaders, defineRoute, type Route, writtenHeaders } from '../route.ts';
import { instanceSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { instanceDetailView } from '../views/instance.ts';
import { exampleDifference, snapshotDifferenceView } from '../views/snapshot-difference.ts';
import { inTime, maxWaitMs } from '../waiting.ts';
import { type Kept, requireAllowed, write } from '../write.ts';
import { shownIn, shownInstanceAnswer } from './instances.ts';
import { contentsOf, ofSnapshot, readNamed } from './snapshots.ts';

const tag = 'snapshots';

const compare = defineRoute({
  ...ofSnapshot,
  method: 'GET',
  url: '/api/v1/snapshots/:id/compare',
  action: 'read-snapshot',
  operationId: 'compareSnapshot',
  tag,
  summary: 'Compare a snapshot',
  description:
    'What differs between the snapshot and another one of the team, or else what its instance has now: nodes, tabs, modules and settings by their names, and no values. Context is not compared: it changes as flows run.',
  query: z.strictObject({
    with: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The id of the other snapshot. Absent: what the instance has now.'),
    positions: describedAs(
      z
        .enum(['true', 'false'])
        .default('false')
        .transform((word) => word === 'true'),
      { type: 'boolean', default: false },
    ).describe('Whether it counts where nodes and groups stand in the editor (`x`, `y`, `w`, `h`).'),
  }),
  answers: {
    200: { description: 'What differs.', schema: snapshotDifferenceView, example: () => exampleDifference },
  },
  handle: async ({ params, query, services }) => {
    const view = services.door.store.read();
    const snapshot = targetIn(view, 'Snapshot', params);
    const what = `the snapshot ${snapshot.name} cannot be compared`;
    const { contentWork } = services;
    const contents = contentsOf(services);
    const compared = contentWork.reading(snapshot.spec.team, async () => {
      const before = await readNamed(contents, snapshot, what);
      return contentWork.compare(before, await other(), query.positions, what);
    });
    const { bytes, digest } = await inTime(compared, what, services.maxWaitMs ?? maxWaitMs);
    return { body: Buffer.from(bytes.buffer), digest };

    async function other(): Promise<NamedBytes> {
      if (query.with !== undefined) {
        const isOfTeam = ({ spec }: Resource<'Snapshot'>) => spec.team === snapshot.spec.team;
        return readNamed(contents, targetIn(view, 'Snapshot', { id: query.with }, isOfTeam), what);
      }
      const instance = snapshot.spec.instance === undefined ? undefined : view.get('Instance', snapshot.spec.instance);
      if (instance) return { bytes: (await contents.pack(instance, what)).bytes, name: 'instance' };
      throw new Declined(
        'conflict',
        `${what}, because what its device has now is not known here: name another snapshot`,
      );
    }
  },
});

const restore = defineRoute({
  params: z.strictObject({
    id: z.string().describe('The id of the instance.'),
    snapshotId: z.string().describe('The id of the snapshot: of this instance, or of another one of the team.'),
  }),
  subject: instanceSubject,
  method: 'POST',
  url: '/api/v1/instances/:id/snapshots/:snapshotId/restore',
  action: 'restore-snapshot',
  operationId: 'restoreSnapshot',
  tag,
  summary: 'Restore a snapshot into an instance',
  description:
    'Its flows, credentials and modules take the place of what the instance has, and so does its persistent context where the snapshot holds it (`includesContext`): else the context of the instance is left alone. Its options, variables and stack stay. What runs is restarted with them, and what does not run is not started. The answer comes when that is done, or after 45 s that it goes on (202): the condition `Restoring` of the instance ends with it, and `RestoreFailed` says why it did not succeed. Nothing is restored into a protected instance.',
  query: z.strictObject(dryRunQuery),
  answers: {
    200: {
      ...shownInstanceAnswer,
      description: 'The instance as it stands then, or what a dry run would change.',
      schema: z.union([instanceDetailView, planView]),
      headers: writtenHeaders,
    },
    202: {
      ...shownInstanceAnswer,
      description: 'It is still being restored, and that goes on.',
      headers: begunHeaders,
    },
  },
  handle: async (call) => {
    const { params, services } = call;
    const begun = performance.now();
    const ms = services.maxWaitMs ?? maxWaitMs;
    const { store } = services.door;
    const view = store.read();
    const instance = targeted(view, params);
    const snapshot = snapshotFor(view, instance, params.snapshotId);
    // What cannot be read is told before anything is stopped.
    const what = `the instance ${instance.name} cannot be restored`;
    const { contentWork } = services;
    const contents = contentsOf(services);
    const checked = contentWork.reading(snapshot.spec.team, async () =>
      contentWork.check(await readNamed(contents, snapshot, what), what),
    );
    await inTime(checked, what, ms);
    const watch = watchRestores(store, params.id);
    try {
      const proposal = restoreSnapshot({ id: params.id, snapshot: snapshot.id }, services.door.facts().drivers);
      const outcome = await write(call, proposal);
      if ('plan' in outcome) return { body: outcome.plan };
      const over = () => services.closing() || performance.now() - begun > ms;
      const ended = await watch.ended(restoreIn(outcome, params.id), over);
      // It goes on; what came of it is for those who may still know.
      requireAllowed(call, store.read(), services.clock());
      if (ended === undefined) {
        const headers = { location: `/api/v1/instances/${params.id}` };
        return { status: 202, headers, ...shownIn(store.read(), params.id, call) };
      }
      refuse(ended, instance.name);
      return shownIn(store.read(), params.id, call);
    } finally {
      watch.close();
    }
  },
});

function restoreIn({ changes }: Kept, id: string): string {
  const change = changes.find((one) => one.kind === 'Instance' && one.id === id);
  return (change?.after as Resource<'Instance'> | undefined)?.spec.restore?.id ?? '';
}

/** Throws where a restore did not end as it was wanted. */
function refuse(ended: NonNullable<Ended>, name: string): void {
  if (ended === 'gone') throw new Declined('not_found', 'the instance was deleted meanwhile');
  if ('failed' in ended)
    throw new Declined(
      'conflict',
      `the instance ${name} was not restored, and has what it had, because ${ended.failed.message}`,
    );
  if (ended.instance.spec.state !== 'crashed') return;
  const ready = ended.instance.spec.conditions.find(({ type }) => type === 'Ready');
  throw new Declined(
    'conflict',
    `the instance ${name} was restored, but does not start with that, because ${ready?.message ?? 'it ended'}`,
  );
}

export const snapshotUseRoutes: readonly Route[] = [compare, restore];
