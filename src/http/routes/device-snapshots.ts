// Snapshots and devices: those that were taken of one, asking it for one, what it is given to run, and what it sends.
import { z } from 'zod';
import { displayName } from '../../core/kinds/scalars.ts';
import { targetOf } from '../../core/model/device-standing.ts';
import type { Resource } from '../../core/model/resource.ts';
import { snapshotsOf } from '../../core/proposals/create-snapshot.ts';
import { requestSnapshot, takeSnapshot } from '../../core/proposals/request-snapshot.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { listView } from '../paging.ts';
import { begunHeaders, defineRoute, type Route } from '../route.ts';
import { snapshotListQuery, snapshotPage } from '../snapshot-page.ts';
import { exampleRunnable, mostSentBytes, runnableView, sentBytes } from '../views/device-snapshot.ts';
import { exampleSnapshot, shownSnapshot, snapshotView } from '../views/snapshot.ts';
import { inTime, maxWaitMs } from '../waiting.ts';
import { contextOf, type Kept, write } from '../write.ts';
import { deviceOf } from './device-channel.ts';
import { ofDevice, shownDeviceAnswer, shownIn } from './devices.ts';
import { contentsOf, readNamed } from './snapshots.ts';

const example = () => ({
  ...exampleSnapshot,
  instance: undefined,
  device: { id: 'T2v9KqLm4RcXw8Zd1NfYb7', name: 'Gateway 7' },
});

const list = defineRoute({
  ...ofDevice,
  method: 'GET',
  url: '/api/v1/devices/:id/snapshots',
  action: 'read-device',
  operationId: 'listDeviceSnapshots',
  tag: 'devices',
  summary: 'List the snapshots of a device',
  description: 'Those that were taken of it, newest first, unless `sort` says otherwise.',
  query: snapshotListQuery,
  answers: {
    200: {
      description: 'A page of snapshots.',
      schema: listView('snapshots', snapshotView),
      example: () => ({ meta: {}, count: 1, snapshots: [example()] }),
    },
  },
  handle: ({ params, query, services }) => {
    const view = services.door.store.read();
    return { body: snapshotPage(snapshotsOf(view, targetIn(view, 'Device', params)), query, view) };
  },
});

const ask = defineRoute({
  ...ofDevice,
  method: 'POST',
  url: '/api/v1/devices/:id/snapshots',
  action: 'update-device',
  operationId: 'requestDeviceSnapshot',
  tag: 'devices',
  summary: 'Ask a device for a snapshot',
  description:
    'In developer mode: what it runs then. The answer comes before the snapshot does, which may take until the device is back; another request takes the place of one that waits.',
  query: z.strictObject(dryRunQuery),
  body: z.strictObject({ name: displayName().describe('What the snapshot will be called.') }),
  bodyExample: () => ({ name: 'Before the new press' }),
  answers: { 200: tried, 202: { ...shownDeviceAnswer, description: 'The device is asked.', headers: begunHeaders } },
  handle: async (call) => {
    const outcome = await write(call, requestSnapshot(call.params.id, call.body.name));
    if ('plan' in outcome) return { body: outcome.plan };
    const headers = { location: `/api/v1/devices/${call.params.id}` };
    return { status: 202, headers, ...shownIn(outcome.view, call.params.id, call) };
  },
});

const run = defineRoute({
  method: 'GET',
  url: '/api/v1/device/snapshot',
  action: 'follow-platform',
  operationId: 'readTargetSnapshot',
  tag: 'agents',
  summary: 'Read what the device should run',
  description:
    'Its target, with credentials that it can decrypt with its own secret. Context that the snapshot holds is left out: that of a device is never overwritten. 404 where it has none.',
  answers: { 200: { description: 'The snapshot.', schema: runnableView, example: () => exampleRunnable } },
  handle: async ({ caller, services }) => {
    const view = services.door.store.read();
    const device = targetIn(view, 'Device', deviceOf(caller));
    const id = targetOf(device, view);
    if (id === undefined) throw new Problem('not_found', { detail: 'This device has no target: it runs what it has.' });
    const snapshot = targetIn(view, 'Snapshot', { id });
    const what = `the device ${device.name} cannot be given the snapshot ${snapshot.name}`;
    const { spec } = snapshot;
    const owner = spec.instance ? view.get('Instance', spec.instance) : view.get('Device', spec.device ?? '');
    const secrets = { from: owner?.spec.credentialSecret, to: device.spec.credentialSecret };
    const { contentWork } = services;
    const contents = contentsOf(services);
    const written = contentWork.reading(spec.team, async () =>
      contentWork.runnable(snapshot, await readNamed(contents, snapshot, what), secrets, what),
    );
    const { bytes, digest } = await inTime(written, what, services.maxWaitMs ?? maxWaitMs);
    return { body: Buffer.from(bytes.buffer), digest };
  },
});

const take = defineRoute({
  method: 'POST',
  url: '/api/v1/device/snapshots',
  action: 'follow-platform',
  operationId: 'sendSnapshot',
  tag: 'agents',
  summary: 'Send a snapshot',
  description:
    'In developer mode: after a deploy, where `autoSnapshot` says so (those of the last ten deploys are kept; what was sent last already makes no other), or in answer to a `snapshotRequest`.',
  query: z.strictObject(dryRunQuery),
  body: sentBytes,
  takesBytes: true,
  bodyExample: () => ({ flows: exampleRunnable.flows, modules: exampleRunnable.modules }),
  bodyLimit: mostSentBytes,
  answers: { 200: tried, 201: { description: 'The snapshot that was kept.', schema: snapshotView, example } },
  handle: async (call) => {
    const { body, query, caller, services } = call;
    const { id, name, spec } = deviceOf(caller);
    const contents = contentsOf(services);
    const { contentWork } = services;
    const what = `the device ${name} can have no snapshot`;
    const reading = contentWork.sending(spec.team, () => contentWork.sent(body, spec, what));
    const sent = await inTime(reading, what, services.maxWaitMs ?? maxWaitMs);
    const { request, modules } = sent;
    const taking = (content: string) => takeSnapshot({ id, request, modules, content });
    // Before anything is written for what will be refused.
    taking(none)(services.door.store.read(), contextOf(call));
    // A dry run keeps nothing, and so there is no blob that could be named.
    const held = query.dryRun ? undefined : await contents.keepPacked(sent, what);
    try {
      const outcome = await write({ ...call, body: sent.digest }, taking(held?.name ?? none));
      if ('plan' in outcome) return { body: outcome.plan };
      return { status: 201, body: shownSnapshot(keptIn(outcome, id), outcome.view) };
    } finally {
      held?.release();
    }
  },
});

/** Stands for a blob where there is none. */
const none = '0'.repeat(64);

/** What was made, or where it was there already the latest. */
function keptIn({ view, changes }: Kept, device: string): Resource<'Snapshot'> {
  const made = changes.find(({ kind, after }) => kind === 'Snapshot' && after);
  const latest = made ? undefined : snapshotsOf(view, targetIn(view, 'Device', { id: device })).at(-1);
  return targetIn(view, 'Snapshot', { id: made?.id ?? latest?.id ?? '' });
}

export const deviceSnapshotRoutes: readonly Route[] = [list, ask, run, take];
