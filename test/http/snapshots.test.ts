// timeout: 400
// Snapshots over the API, by the real server and loops, and with a driver that runs nothing but keeps what instances hold.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AutoSnapshots, startAutoSnapshots } from '../../src/control/auto-snapshots.ts';
import { type Converging, startConverge } from '../../src/control/converge.ts';
import { type Stub, stubDriver } from '../../src/drivers/stub.ts';
import { collectBlobsJob } from '../../src/jobs/collect-blobs.ts';
import { newId } from '../../src/lib/id.ts';
import { until } from '../support/until.ts';
import { type Asked, type ServerWorld, start, startWorld } from './world.ts';

const files = {
  'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 3600}}\n',
  'types.yaml': `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4.1"}
---
kind: Stack
metadata: {name: nr-5}
spec: {runtime: "5.0", replaces: nr-4}
---
kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4], defaultStack: nr-4}
---
kind: TeamType
metadata: {name: starter}
spec: {instanceTypes: [{name: small}], features: {instanceAutoSnapshot: true, versionHistoryTimeline: true}}
---
kind: TeamType
metadata: {name: plain}
spec: {instanceTypes: [{name: small}]}
---
kind: Template
metadata: {name: standard}
spec: {options: {theme: {value: dark}}}
`,
};

const flow = (text: string) => [
  { id: 'tab', type: 'tab', label: 'Line' },
  { id: 'make', type: 'function', z: 'tab', name: 'Make', func: text, wires: [] },
];

interface Plant {
  readonly world: ServerWorld;
  readonly stub: Stub;
  readonly loop: Converging;
  readonly autos: AutoSnapshots;
  close(): Promise<void>;
}

async function newPlant(wishes: { readonly maxWaitMs?: number } = {}): Promise<Plant> {
  const stub = stubDriver('local', ['instanceAutoSnapshot', 'versionHistoryTimeline']);
  const drivers = new Map([['local', stub]]);
  const world = await startWorld(files, { drivers, ...wishes });
  const facts = () => ({ drivers, certificateProblem: () => undefined });
  const door = { store: world.store, facts };
  const log = (_level: string, message: string) => world.logged.push(message);
  const plant = { door, drivers, clock: () => start, newId, log };
  const autos = startAutoSnapshots({ ...plant, settleMs: 1, pauses: { firstMs: 5, mostMs: 5, steadyMs: 1000 } });
  const loop = startConverge(plant);
  const close = async () => {
    await autos.close();
    await loop.close();
    await world.close();
  };
  return { world, stub, loop, autos, close };
}

const snapshots = suite<Plant & { readonly id: string }>('snapshots over the API');
snapshots.before.each(async (context) => {
  const plant = await newPlant();
  const id = await make(plant);
  Object.assign(context, plant, { id });
});
snapshots.after.each((context) => context.close());

async function make({ world, loop }: Plant, team = 'core', name = 'Line 1'): Promise<string> {
  const body = { name, instanceType: 'small', template: 'standard' };
  const made = await world.ask('POST', `/api/v1/teams/${team}/instances`, { body });
  assert.is(made.status, 201, made.text);
  await loop.settled();
  return made.body.id;
}

const take = ({ world, id }: { readonly world: ServerWorld; readonly id: string }, name = 'Before') =>
  world.ask('POST', `/api/v1/instances/${id}/snapshots`, { as: 'member', body: { name } });
const restore = ({ world, id }: { readonly world: ServerWorld; readonly id: string }, snapshot: string, query = '') =>
  world.ask('POST', `/api/v1/instances/${id}/snapshots/${snapshot}/restore${query}`, { as: 'member' });
const list = async ({ world, id }: { readonly world: ServerWorld; readonly id: string }, query = '') =>
  (await world.ask('GET', `/api/v1/instances/${id}/snapshots${query}`, { as: 'viewer' })).body;
const events = async (world: ServerWorld) =>
  (await world.store.records({ stream: 'audit', limit: 500 })).map(({ body }) => String(body['event'])).reverse();
const flowsIn = async ({ stub, id }: { readonly stub: Stub; readonly id: string }) =>
  (await stub.keeper.read(id)).flows;
const names = ({ snapshots: found }: { readonly snapshots: readonly { readonly name: string }[] }) =>
  found.map(({ name }) => name);
const isConflict = (asked: Asked, words: RegExp) => {
  assert.equal([asked.status, asked.body.code], [409, 'conflict'], asked.text);
  assert.match(asked.body.detail, words);
};

snapshots('are taken, listed, read and deleted, and never show what they hold', async (context) => {
  const { world, stub, id } = context;
  stub.deploy(id, { flows: flow('hushzq'), credentials: { $: 'hushzq' }, modules: { 'node-red-x': '~1.0.0' } });
  await context.autos.settled();
  const made = await take(context);
  assert.is(made.status, 201, made.text);
  assert.is(made.headers.location, `/api/v1/snapshots/${made.body.id}`);
  const { id: snapshot, createdBy, ...rest } = made.body;
  assert.equal(rest, {
    name: 'Before',
    kind: 'manual',
    instance: { id, name: 'Line 1' },
    createdAt: start,
    modules: { 'node-red-x': '~1.0.0' },
    includesContext: false,
  });
  assert.equal([createdBy.kind, createdBy.name], ['token', 'max']);
  const read = await world.ask('GET', `/api/v1/snapshots/${snapshot}`, { as: 'viewer' });
  assert.equal(read.body, made.body);
  const all = await world.ask('GET', `/api/v1/instances/${id}/snapshots`, { as: 'viewer' });
  assert.equal(all.body.snapshots.map(({ kind }: { kind: string }) => kind).sort(), ['auto', 'manual']);
  for (const { text } of [made, read, all]) assert.not(text.includes('hushzq'));
  assert.not(JSON.stringify(await world.store.records({ stream: 'audit', limit: 500 })).includes('hushzq'));
  assert.is((await world.ask('DELETE', `/api/v1/snapshots/${snapshot}`, { as: 'viewer' })).status, 403);
  assert.is((await world.ask('DELETE', `/api/v1/snapshots/${snapshot}`, { as: 'member' })).status, 204);
  assert.is((await world.ask('GET', `/api/v1/snapshots/${snapshot}`)).status, 404);
  assert.equal(
    (await events(world)).filter((event) => event.startsWith('snapshot')),
    ['snapshot.created', 'snapshot.created', 'snapshot.deleted'],
  );
});

snapshots('are only tried by a dry run, and made once for a key', async (context) => {
  const { world, id } = context;
  const before = world.store.read().position;
  const tried = await world.ask('POST', `/api/v1/instances/${id}/snapshots?dryRun=true`, { body: { name: 'x' } });
  assert.equal([tried.status, tried.body.summary.create], [200, 1]);
  assert.is(world.store.read().position, before);
  assert.is(await world.store.blobs.collect(), 0);
  const headers = { 'idempotency-key': 'k' };
  const twice = await Promise.all(
    [1, 2].map(() => world.ask('POST', `/api/v1/instances/${id}/snapshots`, { body: { name: 'x' }, headers })),
  );
  assert.equal(
    twice.map(({ status }) => status),
    [201, 201],
  );
  assert.is(twice[0]?.body.id, twice[1]?.body.id);
  assert.is((await list(context)).count, 1);
});

snapshots('hold context where that is asked for, and only then bring it back', async (context) => {
  const { world, stub, id } = context;
  const url = `/api/v1/instances/${id}`;
  const kept = (count: number) => [{ path: 'tab/flow.json', text: `{"hushzq":${count}}` }];
  const contextNow = async () => (await stub.keeper.read(id, { context: true })).context;
  const takeWith = (includeContext: unknown, query = '') =>
    world.ask('POST', `${url}/snapshots${query}`, { as: 'member', body: { name: 'Whole', includeContext } });
  stub.deploy(id, { flows: flow('old'), context: kept(1) });
  isConflict(await takeWith(true), /Line 1 cannot hold its context, because that is in memory: set its option context/);
  isConflict(await takeWith(true, '?dryRun=true'), /is in memory/);
  assert.is((await takeWith('yes')).status, 400);
  await world.ask('PUT', url, { as: 'member', body: { options: { contextStorage: 'file' } } });
  isConflict(await takeWith(true), /is in memory: set its option contextStorage to file and restart it/);
  await world.ask('POST', `${url}/actions/restart`);
  await context.loop.settled();
  const tried = await takeWith(true, '?dryRun=true');
  assert.equal([tried.status, tried.body.summary.create], [200, 1], tried.text);
  const [whole, plain] = [await takeWith(true), await takeWith(false)];
  assert.equal([whole.status, whole.body.includesContext], [201, true], whole.text);
  assert.equal([plain.status, plain.body.includesContext], [201, false], plain.text);
  const read = await world.ask('GET', `/api/v1/snapshots/${whole.body.id}`, { as: 'viewer' });
  assert.equal(read.body, whole.body);
  stub.deploy(id, { flows: flow('new'), context: kept(2) });
  assert.is((await restore(context, plain.body.id)).status, 200);
  assert.equal([await flowsIn(context), await contextNow()], [flow('old'), kept(2)]);
  const compared = await world.ask('GET', `/api/v1/snapshots/${whole.body.id}/compare`, { as: 'viewer' });
  assert.is(compared.body.same, true, compared.text);
  assert.is((await restore(context, whole.body.id)).status, 200);
  assert.equal(await contextNow(), kept(1));
  for (const { text } of [whole, read, compared]) assert.not(text.includes('hushzq'));
  // Another instance has its context in memory: what would be written is what it never reads.
  const other = await make(context, 'core', 'Line 2');
  const refused = await restore({ world, id: other }, whole.body.id);
  isConflict(
    refused,
    /Line 2 cannot be restored, because the snapshot Whole holds context in files, and this instance/,
  );
  assert.is((await restore({ world, id: other }, plain.body.id)).status, 200);
  const listed = (await list(context)).snapshots;
  assert.equal(listed.map(({ includesContext }: { includesContext: boolean }) => includesContext).filter(Boolean), [
    true,
  ]);
});

snapshots('bring back what was there, and restart what runs with it', async (context) => {
  const { world, stub, loop, id } = context;
  stub.deploy(id, { flows: flow('old'), modules: { 'node-red-x': '~1.0.0' } });
  await context.autos.settled();
  const { body: first } = await take(context);
  stub.deploy(id, { flows: flow('new'), modules: {} });
  await context.autos.settled();
  const calls = stub.calls.length;
  const done = await restore(context, first.id);
  assert.equal([done.status, done.body.state], [200, 'running'], done.text);
  assert.equal(await flowsIn(context), flow('old'));
  assert.equal((await stub.keeper.read(id)).modules, { 'node-red-x': '~1.0.0' });
  assert.equal(stub.calls.slice(calls), [`stop ${id}`, `write ${id}`, `stop ${id}`, `start ${id}`]);
  await context.autos.settled();
  assert.is((await list(context)).snapshots.filter(({ kind }: { kind: string }) => kind === 'auto').length, 2);
  assert.equal(
    (await events(world)).filter((event) => event.startsWith('instance.restore')),
    ['instance.restored'],
  );
  // What does not run is not started.
  for (const [action, state] of [
    ['stop', 'stopped'],
    ['suspend', 'suspended'],
  ]) {
    await world.ask('POST', `/api/v1/instances/${id}/actions/${action}`);
    await loop.settled();
    stub.deploy(id, { flows: flow('other') });
    const again = await restore(context, first.id);
    assert.equal([again.status, again.body.state], [200, state], again.text);
    assert.equal(await flowsIn(context), flow('old'));
    assert.is(stub.runs.size, 0);
  }
});

snapshots('that take long to restore are answered before, with a place to look', async () => {
  const plant = await newPlant({ maxWaitMs: 300 });
  try {
    const { world, stub, loop } = plant;
    const here = { ...plant, id: await make(plant) };
    stub.deploy(here.id, { flows: flow('old'), modules: {} });
    await plant.autos.settled();
    const { body: first } = await take(here);
    const read = async () => (await world.ask('GET', `/api/v1/instances/${here.id}`)).body.conditions;
    const restoring = async () => (await read()).filter(({ type }: { type: string }) => /^Restor/.test(type));
    for (const [reason, types] of [
      [undefined, []],
      [{ reason: 'NoRoom', message: 'the disk is full' }, ['RestoreFailed']],
    ] as const) {
      const release = stub.hold();
      stub.refuse((work) => (work === 'write' ? reason : undefined));
      const { status, headers, body } = await restore(here, first.id);
      assert.equal([status, headers.location], [202, `/api/v1/instances/${here.id}`], JSON.stringify(body));
      const under = (await restoring()).map(({ type }: { type: string }) => type);
      assert.equal(under, ['Restoring']);
      release();
      await loop.settled();
      assert.equal(
        (await restoring()).map(({ type }: { type: string }) => type),
        types,
      );
    }
  } finally {
    await plant.close();
  }
});

snapshots(
  'of another instance of the team are restored with credentials that it can read, those of other teams are not there',
  async (context) => {
    const { world, stub, id } = context;
    const secret = (of: string) => world.store.read().get('Instance', of)?.spec.credentialSecret;
    stub.deploy(id, { flows: flow('a'), credentials: { with: secret(id) } });
    const { body: taken } = await take(context);
    const other = await make(context, 'core', 'Line 2');
    assert.is.not(secret(other), secret(id));
    const done = await restore({ world, id: other }, taken.id);
    assert.is(done.status, 200, done.text);
    assert.equal(await stub.keeper.read(other), {
      flows: flow('a'),
      credentials: { with: secret(other) },
      modules: {},
    });
    const elsewhere = await make(context, 'other', 'Elsewhere');
    const foreign = await world.ask('POST', `/api/v1/instances/${elsewhere}/snapshots/${taken.id}/restore`);
    assert.is(foreign.status, 404, foreign.text);
    assert.is((await restore(context, 'nothing')).status, 404);
    assert.is(
      (await world.ask('POST', `/api/v1/instances/${id}/snapshots/${taken.id}/restore`, { as: 'viewer' })).status,
      403,
    );
  },
);

snapshots('are not restored where the state does not allow it, nor two at once', async (context) => {
  const { world, stub, loop, id } = context;
  const { body: taken } = await take(context);
  const tried = await restore(context, taken.id, '?dryRun=true');
  assert.equal([tried.status, tried.body.summary.update], [200, 1]);
  assert.is(world.store.read().get('Instance', id)?.spec.restore, undefined);
  for (const [action, words] of [
    ['stop', /because it is being stopped: wait for that/],
    ['start', /because it is being started/],
    ['restart', /because it is being restarted/],
    ['upgrade-stack', /because it is being upgraded/],
  ] as const) {
    const release = stub.hold();
    assert.is((await world.ask('POST', `/api/v1/instances/${id}/actions/${action}`)).status, 202);
    isConflict(await restore(context, taken.id), words);
    release();
    await loop.settled();
  }
  assert.is(world.store.read().get('Instance', id)?.spec.state, 'running');
  const release = stub.hold();
  const first = restore(context, taken.id);
  await until('the first restore is under way', () => world.store.read().get('Instance', id)?.spec.restore);
  isConflict(await restore(context, taken.id), /because it is being restarted/);
  isConflict(await take(context), /one is being restored into it/);
  release();
  assert.is((await first).status, 200);
});

snapshots('that cannot be written leave what was there, and say why', async (context) => {
  const { world, stub, loop, id } = context;
  stub.deploy(id, { flows: flow('old') });
  const { body: taken } = await take(context);
  stub.deploy(id, { flows: flow('new') });
  stub.refuse((work) => (work === 'write' ? { reason: 'DiskFull', message: 'the disk is full' } : undefined));
  isConflict(await restore(context, taken.id), /was not restored, and has what it had, because the disk is full/);
  assert.equal(await flowsIn(context), flow('new'));
  const { body } = await world.ask('GET', `/api/v1/instances/${id}`);
  assert.is(body.state, 'running');
  const condition = body.conditions.find(({ type }: { type: string }) => type === 'RestoreFailed');
  assert.equal([condition.status, condition.reason], ['True', 'DiskFull']);
  stub.refuse(() => undefined);
  // What the driver itself does not know is a matter for the log.
  const { write, unpack } = stub.keeper;
  const bug = async () => Promise.reject(new TypeError('x is undefined'));
  Object.assign(stub.keeper, { write: bug, unpack: bug });
  isConflict(await restore(context, taken.id), /because the driver failed; the log of Weir says why/);
  Object.assign(stub.keeper, { write, unpack });
  const failed = new RegExp(`^a snapshot cannot be restored into the instance ${id}: x is undefined$`);
  assert.is(world.logged.filter((line) => failed.test(line)).length, 1);
  const entries = (await world.store.records({ stream: 'audit', limit: 500 })).map(({ body: entry }) => entry);
  assert.equal(
    entries.filter(({ event }) => event === 'instance.restore-failed').map(({ reason }) => reason),
    ['DriverError: the driver failed; the log of Weir says why', 'DiskFull: the disk is full'],
  );
  assert.is((await restore(context, taken.id)).status, 200);
  const after = await world.ask('GET', `/api/v1/instances/${id}`);
  assert.not(after.body.conditions.some(({ type }: { type: string }) => type === 'RestoreFailed'));
  // One that does not come up with it says so, and keeps it.
  stub.refuse((work) => (work === 'start' ? { reason: 'StartFailed', message: 'it ended at once' } : undefined));
  isConflict(await restore(context, taken.id), /was restored, but does not start with that, because it ended at once/);
  stub.refuse(() => undefined);
  await world.ask('POST', `/api/v1/instances/${id}/actions/start`);
  await loop.settled();
});

snapshots('whose content is missing or damaged are told before anything is stopped', async (context) => {
  const { world, stub, id } = context;
  const { body: taken } = await take(context);
  const calls = stub.calls.length;
  const { get } = world.store.blobs;
  Object.assign(world.store.blobs, { get: async () => undefined });
  isConflict(
    await restore(context, taken.id),
    /the file blobs\/[0-9a-f]{12}… of the store is missing: an admin can bring/,
  );
  isConflict(await world.ask('GET', `/api/v1/snapshots/${taken.id}/compare`), /cannot be compared, because the file/);
  Object.assign(world.store.blobs, { get: async () => new TextEncoder().encode('{') });
  isConflict(await restore(context, taken.id), /was written by another version of Weir/);
  Object.assign(world.store.blobs, { get });
  assert.is(stub.calls.length, calls);
  assert.is(world.store.read().get('Instance', id)?.spec.state, 'running');
});

snapshots('cannot be taken of what cannot be read, with the reason', async (context) => {
  context.stub.refuse((work) => (work === 'read' ? { reason: 'TooLarge', message: 'it holds 65 MiB' } : undefined));
  isConflict(await take(context), /the instance Line 1 can have no snapshot, because it holds 65 MiB/);
  const put = context.world.store.blobs.put;
  context.stub.refuse(() => undefined);
  Object.assign(context.world.store.blobs, {
    put: async () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  });
  const full = await take(context);
  assert.equal([full.status, full.body.code], [507, 'insufficient_storage'], JSON.stringify(full.body));
  assert.match(full.body.detail, /because the disk is full/);
  Object.assign(context.world.store.blobs, { put });
});

snapshots('are taken at each deploy, ten of them, and those of people are never touched', async (context) => {
  const { world, stub, autos, id } = context;
  await take(context, 'Mine');
  for (let deploy = 1; deploy <= 12; deploy += 1) {
    stub.deploy(id, { flows: flow(`${deploy}`) });
    await autos.settled();
    stub.deploy(id, { flows: flow(`${deploy}`) });
    await autos.settled();
  }
  const found = await list(context, '?sort=createdAt');
  const kinds = found.snapshots.map(({ kind }: { kind: string }) => kind);
  assert.equal(
    [kinds.filter((kind: string) => kind === 'auto').length, kinds.filter((kind: string) => kind === 'manual').length],
    [10, 1],
  );
  const [auto] = found.snapshots.filter(({ kind }: { kind: string }) => kind === 'auto');
  assert.equal(
    [auto.name, auto.createdBy],
    ['Deploy of 2026-11-21 10:00:00 UTC', { kind: 'job', name: 'auto-snapshot' }],
  );
  // Those of the first two deploys are gone, and so is what they held once it is collected.
  await collectBlobsJob.run(
    {
      door: { store: world.store, facts: () => ({ drivers: new Map(), certificateProblem: () => undefined }) },
      clock: () => start,
      newId,
    },
    new AbortController().signal,
  );
  assert.is(await world.store.blobs.collect(), 0);
  const said = await events(world);
  assert.equal(
    [
      said.filter((event) => event === 'snapshot.created').length,
      said.filter((event) => event === 'snapshot.deleted').length,
    ],
    [13, 2],
  );
});

snapshots(
  'are not taken by themselves for a team without the feature, nor of what was never deployed',
  async (context) => {
    const { world, stub, autos, id } = context;
    stub.deploy(id, {});
    await autos.settled();
    assert.is((await list(context)).count, 0);
    await world.ask('PUT', '/api/v1/teams/core', { body: { type: 'plain' } });
    stub.deploy(id, { flows: flow('x') });
    await autos.settled();
    assert.is((await list(context)).count, 0);
  },
);

snapshots('that cannot be taken at a deploy are taken later, and the instance says so until then', async (context) => {
  const { world, stub, autos, id } = context;
  const failed = async () => {
    const { body } = await world.ask('GET', `/api/v1/instances/${id}`);
    return body.conditions.find(({ type }: { type: string }) => type === 'SnapshotFailed');
  };
  stub.refuse((work) => (work === 'read' ? { reason: 'DiskFull', message: 'the disk is full' } : undefined));
  stub.deploy(id, { flows: flow('x') });
  const condition = await until('it says that there is no snapshot', failed);
  assert.equal(
    [condition.reason, condition.message],
    ['DiskFull', 'no snapshot was taken of its last deploy, because the disk is full'],
  );
  stub.refuse(() => undefined);
  await until('the snapshot is taken', async () => (await list(context)).count === 1);
  await until('it is well again', async () => (await failed()) === undefined);
  await autos.settled();
  assert.ok((await events(world)).includes('instance.snapshot-failed'));
});

snapshots(
  'of a deploy that a restore overtakes are no failure, and are taken where nothing comes of it',
  async (context) => {
    const { world, stub, autos, id, loop } = context;
    stub.deploy(id, { flows: flow('old') });
    await autos.settled();
    const [first] = (await list(context)).snapshots;
    const { put } = world.store.blobs;
    const release = stub.hold();
    stub.refuse((work) => (work === 'write' ? { reason: 'NoRoom', message: 'the disk is full' } : undefined));
    let asked: Promise<unknown> = Promise.resolve();
    Object.assign(world.store.blobs, {
      put: async (bytes: Uint8Array) => {
        Object.assign(world.store.blobs, { put });
        asked = restore(context, first.id);
        await until(
          'the restore is on its way',
          () => world.store.read().get('Instance', id)?.spec.restore !== undefined,
        );
        return put(bytes);
      },
    });
    stub.deploy(id, { flows: flow('new') });
    await until('the restore is on its way', () => world.store.read().get('Instance', id)?.spec.restore !== undefined);
    await autos.settled();
    release();
    await asked;
    await loop.settled();
    await until('the deploy has its snapshot', async () => (await list(context)).count === 2);
    await autos.settled();
    assert.not((await events(world)).includes('instance.snapshot-failed'));
    assert.equal(
      world.logged.filter((line) => line.includes('no snapshot can be taken')),
      [],
    );
  },
);

snapshots('are at most a hundred of people for an instance', async (context) => {
  for (let count = 0; count < 100; count += 1) assert.is((await take(context, `${count}`)).status, 201);
  isConflict(await take(context), /can have no more snapshots, because it has 100, which is the most: delete one/);
  const page = await list(context, '?limit=30&sort=name&q=1');
  assert.equal([page.count, page.snapshots.length], [19, 19]);
  assert.equal(names(page).slice(0, 3), ['1', '10', '11']);
});

snapshots('are compared with each other and with what there is now, without values', async (context) => {
  const { world, stub, id } = context;
  stub.deploy(id, { flows: flow('return hushzq'), modules: { a: '1', b: '1' } });
  const { body: first } = await take(context, 'First');
  const compare = async (query = '') =>
    (await world.ask('GET', `/api/v1/snapshots/${first.id}/compare${query}`, { as: 'viewer' })).body;
  assert.equal(await compare(), {
    same: true,
    flows: { added: [], removed: [], changed: [] },
    modules: { added: [], removed: [], changed: [] },
    settings: [],
  });
  stub.deploy(id, {
    flows: [...flow('other').slice(1), { id: 'new', type: 'inject', z: 'tab' }],
    modules: { b: '2', c: '1' },
  });
  await world.ask('PUT', `/api/v1/instances/${id}`, {
    body: { options: { theme: 'light' }, environment: [{ name: 'KEY', value: 'hushzq' }] },
  });
  await world.ask('POST', `/api/v1/instances/${id}/actions/restart`);
  await context.loop.settled();
  const now = await compare();
  assert.equal(now, {
    same: false,
    flows: {
      added: [{ id: 'new', type: 'inject', tab: 'tab' }],
      removed: [{ id: 'tab', type: 'tab', name: 'Line' }],
      changed: [{ id: 'make', type: 'function', name: 'Make', tab: 'tab', fields: ['func'] }],
    },
    modules: {
      added: [{ name: 'c', version: '1' }],
      removed: [{ name: 'a', version: '1' }],
      changed: [{ name: 'b', before: '1', after: '2' }],
    },
    settings: ['theme', 'environment.KEY'],
  });
  assert.not(JSON.stringify(now).includes('hushzq'));
  const { body: second } = await take(context, 'Second');
  assert.equal(await compare(`?with=${second.id}`), now);
  assert.is((await world.ask('GET', `/api/v1/snapshots/${first.id}/compare?with=nothing`)).status, 404);
});

snapshots('go with their instance, and stay through an upgrade that fails', async (context) => {
  const { world, stub, loop, id } = context;
  stub.deploy(id, { flows: flow('x') });
  await context.autos.settled();
  await world.ask('PUT', `/api/v1/instances/${id}`, { body: { options: { theme: 'light' } } });
  stub.refuse((work, _id, run) =>
    work === 'start' && run?.runtime === '5.0' ? { reason: 'Broken', message: 'x' } : undefined,
  );
  await world.ask('POST', `/api/v1/instances/${id}/actions/upgrade-stack`);
  await loop.settled();
  const { body } = await world.ask('GET', `/api/v1/instances/${id}`);
  assert.equal([body.state, body.stack], ['running', 'nr-4']);
  assert.is(body.options.find(({ name }: { name: string }) => name === 'theme').value, 'light');
  assert.is((await list(context)).count, 1);
  await world.ask('DELETE', `/api/v1/instances/${id}`);
  await loop.settled();
  assert.is(world.store.read().count('Snapshot'), 0);
  assert.is(await world.store.blobs.collect(), 1);
});

snapshots('stand in the timeline of their instance with whatever else happened to it', async (context) => {
  const { world, stub, id } = context;
  const { body: taken } = await take(context);
  stub.deploy(id, { flows: flow('x') });
  await context.autos.settled();
  await restore(context, taken.id);
  await make(context, 'core', 'Line 2');
  const { status, body, text } = await world.ask('GET', `/api/v1/instances/${id}/timeline`, { as: 'viewer' });
  assert.is(status, 200, text);
  assert.equal(body.timeline.map(({ event }: { event: string }) => event).reverse(), [
    'instance.created',
    'instance.updated',
    'snapshot.created',
    'snapshot.created',
    'instance.updated',
    'instance.restored',
    'instance.updated',
  ]);
  const first = body.timeline.find(({ target }: { target: { id: string } }) => target.id === taken.id);
  assert.equal([first.snapshot, first.actor.name], [taken, 'max']);
  const page = await world.ask('GET', `/api/v1/instances/${id}/timeline?limit=2`);
  assert.equal([page.body.count, page.body.timeline.length], [body.count, 2]);
  const next = await world.ask('GET', `/api/v1/instances/${id}/timeline?limit=2&cursor=${page.body.meta.next_cursor}`);
  assert.equal(next.body.timeline, body.timeline.slice(2, 4));
  await world.ask('PUT', '/api/v1/teams/core', { body: { type: 'plain' } });
  const without = await world.ask('GET', `/api/v1/instances/${id}/timeline`);
  assert.equal([without.status, without.body.violations[0].rule], [409, 'feature-required']);
});

snapshots('that were on their way into an instance when Weir ended are restored by its next start', async (context) => {
  const { world, stub, loop, id } = context;
  stub.deploy(id, { flows: flow('old') });
  const { body: taken } = await take(context);
  stub.deploy(id, { flows: flow('new') });
  await context.autos.settled();
  await loop.close();
  const asked = restore(context, taken.id);
  await until('it is written down', () => world.store.read().get('Instance', id)?.spec.restore);
  assert.is((await world.ask('DELETE', `/api/v1/snapshots/${taken.id}`)).status, 204);
  await world.store.blobs.collect();
  const drivers = new Map([['local', stub]]);
  const door = { store: world.store, facts: () => ({ drivers, certificateProblem: () => undefined }) };
  const again = startConverge({ door, drivers, clock: () => start, newId, log: () => {} });
  assert.is((await asked).status, 200);
  assert.equal(await flowsIn(context), flow('old'));
  await again.close();
});

snapshots.run();
