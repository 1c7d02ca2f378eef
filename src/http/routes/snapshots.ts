// Snapshots of instances: taking, listing, reading and deleting them.
import { z } from 'zod';
import { displayName } from '../../core/kinds/scalars.ts';
import type { Resource } from '../../core/model/resource.ts';
import { referrers } from '../../core/model/view.ts';
import { createSnapshot, refuseWithoutContext } from '../../core/proposals/create-snapshot.ts';
import { deleteSnapshot } from '../../core/proposals/delete-snapshot.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { targeted } from '../../core/proposals/update-instance.ts';
import type { NamedBytes } from '../content-work.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { resourceVersion, unmoved } from '../expectation.ts';
import { listView } from '../paging.ts';
import { defineRoute, madeHeaders, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { snapshotListQuery, snapshotPage } from '../snapshot-page.ts';
import { snapshotSubject } from '../subjects.ts';
import { exampleSnapshot, shownSnapshot, snapshotView } from '../views/snapshot.ts';
import { inTime, maxWaitMs } from '../waiting.ts';
import { emptyAnswer, write } from '../write.ts';
import { ofInstance } from './instances.ts';

const tag = 'snapshots';
/** A route about the snapshot `:id`. */
export const ofSnapshot = {
  params: z.strictObject({ id: z.string().describe('The id of the snapshot.') }),
  subject: snapshotSubject,
};
const shown = { description: 'The snapshot.', schema: snapshotView, example: () => exampleSnapshot };

const list = defineRoute({
  ...ofInstance,
  method: 'GET',
  url: '/api/v1/instances/:id/snapshots',
  action: 'read-snapshots',
  operationId: 'listSnapshots',
  tag,
  summary: 'List the snapshots of an instance',
  description: 'Newest first, unless `sort` says otherwise.',
  query: snapshotListQuery,
  answers: {
    200: {
      description: 'A page of snapshots.',
      schema: listView('snapshots', snapshotView),
      example: () => ({ meta: {}, count: 1, snapshots: [exampleSnapshot] }),
    },
  },
  handle: ({ params, query, services }) => {
    const view = services.door.store.read();
    return { body: snapshotPage(referrers(view, 'Snapshot', targeted(view, params)), query, view) };
  },
});

const create = defineRoute({
  ...ofInstance,
  method: 'POST',
  url: '/api/v1/instances/:id/snapshots',
  action: 'create-snapshot',
  creates: 'Snapshot',
  operationId: 'createSnapshot',
  tag,
  summary: 'Take a snapshot of an instance',
  description:
    'Of its flows, its credentials as the runtime encrypted them, its modules, and the settings that it was last started with but for secrets; with `includeContext` of its persistent context, too, as its runtime has written it to files (every 30 s, and when it ends in order). It may run meanwhile. An instance has at most 100 that people took.',
  query: z.strictObject(dryRunQuery),
  body: z.strictObject({
    name: displayName().describe('The name, for people; several may have the same.'),
    includeContext: z
      .boolean()
      .default(false)
      .describe(
        'Whether it holds the persistent context of the flows, too. Not of an instance that keeps its context in memory (option `contextStorage`).',
      ),
  }),
  bodyExample: () => ({ name: 'Before the new press' }),
  answers: { 200: tried, 201: { ...shown, headers: madeHeaders } },
  handle: async (call) => {
    const { params, body, query, services } = call;
    const view = services.door.store.read();
    const instance = targeted(view, params);
    const what = `the instance ${instance.name} can have no snapshot`;
    const contents = contentsOf(services);
    const { includeContext: context } = body;
    if (context) refuseWithoutContext(view, instance);
    const packing = contents.pack(instance, what, { context });
    const packed = await inTime(packing, what, services.maxWaitMs ?? maxWaitMs);
    // A dry run keeps nothing, and so there is no blob that could be named.
    const held = query.dryRun ? undefined : await contents.keepPacked(packed, what);
    try {
      const { modules } = packed;
      const of = { kind: 'Instance', id: params.id } as const;
      const content = held?.name ?? '0'.repeat(64);
      const more = context ? { includesContext: context } : {};
      const wanted = { of, name: body.name, kind: 'manual', modules, content, ...more } as const;
      const outcome = await write(call, createSnapshot(wanted));
      if ('plan' in outcome) return { body: outcome.plan };
      const made = targetIn(outcome.view, 'Snapshot', { id: outcome.made });
      const headers = { location: `/api/v1/snapshots/${made.id}` };
      return { status: 201, headers, body: shownSnapshot(made, outcome.view), version: resourceVersion(made) };
    } finally {
      held?.release();
    }
  },
});

const get = defineRoute({
  ...ofSnapshot,
  method: 'GET',
  url: '/api/v1/snapshots/:id',
  action: 'read-snapshot',
  operationId: 'getSnapshot',
  tag,
  summary: 'Read a snapshot',
  description: 'What is told of it; what it holds is not shown, because flows and credentials may be secret.',
  answers: { 200: shown },
  handle: ({ params, services }) => {
    const view = services.door.store.read();
    const snapshot = targetIn(view, 'Snapshot', params);
    return { body: shownSnapshot(snapshot, view), version: resourceVersion(snapshot) };
  },
});

const remove = defineRoute({
  ...ofSnapshot,
  method: 'DELETE',
  url: '/api/v1/snapshots/:id',
  action: 'delete-snapshot',
  operationId: 'deleteSnapshot',
  tag,
  summary: 'Delete a snapshot',
  description: 'What it holds goes with it, unless another holds the same.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => emptyAnswer(await write(call, deleteSnapshot({ id: call.params.id, ...unmoved(call) }))),
});

/** Throws where this server has nothing to do with what instances hold. */
export function contentsOf({ contents }: Pick<Services, 'contents'>): NonNullable<Services['contents']> {
  if (contents) return contents;
  throw new Problem('conflict', { detail: 'There are no snapshots here, because this server runs no instances.' });
}

/** The bytes of a snapshot, by the name of their blob. Rejects with `Declined`. */
export async function readNamed(
  contents: NonNullable<Services['contents']>,
  snapshot: Resource<'Snapshot'>,
  what: string,
): Promise<NamedBytes> {
  return { bytes: await contents.read(snapshot, what), name: snapshot.spec.content };
}

export const snapshotRoutes: readonly Route[] = [list, create, get, remove];
