// A protected instance over the API: nobody brings other flows into it or deletes it, owners lift that, and the audit log tells.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Converging, startConverge } from '../../src/control/converge.ts';
import { type Stub, stubDriver } from '../../src/drivers/stub.ts';
import { newId } from '../../src/lib/id.ts';
import { until } from '../support/until.ts';
import { type Credential, type ServerWorld, start, startWorld } from './world.ts';

const types = (features: string) => `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4.1"}
---
kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4], defaultStack: nr-4}
---
kind: TeamType
metadata: {name: starter}
spec: {instanceTypes: [{name: small}], features: {${features}}}
---
kind: Template
metadata: {name: standard}
`;
const files = {
  'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 3600}}\n',
  'types.yaml': types('protectedInstances: true'),
};

interface Plant {
  readonly world: ServerWorld;
  readonly stub: Stub;
  readonly loop: Converging;
  readonly id: string;
  /** A snapshot of the instance, and one of another. */
  readonly own: string;
  readonly others: string;
}

const instances = suite<Plant>('a protected instance over the API');

instances.before.each(async (context) => {
  const stub = stubDriver('local', ['protectedInstances']);
  const drivers = new Map([['local', stub]]);
  const world = await startWorld(files, { drivers });
  const door = { store: world.store, facts: () => ({ drivers, certificateProblem: () => undefined }) };
  const log = (_level: string, message: string) => world.logged.push(message);
  const loop = startConverge({ door, drivers, clock: () => start, newId, log });
  const made = async (name: string) => {
    const body = { name, instanceType: 'small', template: 'standard' };
    const { body: instance, text } = await world.ask('POST', '/api/v1/teams/core/instances', { body });
    await loop.settled();
    stub.deploy(instance.id, { flows: [{ id: 'tab', type: 'tab', label: name }] });
    const taken = await world.ask('POST', `/api/v1/instances/${instance.id}/snapshots`, { body: { name } });
    assert.is(taken.status, 201, text + taken.text);
    return [instance.id, taken.body.id] as const;
  };
  const [[id, own], [, others]] = [await made('Line 1'), await made('Line 2')];
  Object.assign(context, { world, stub, loop, id, own, others });
});
instances.after.each(async ({ loop, world }) => {
  await loop.close();
  await world.close();
});

const protect = ({ world, id }: Plant, protection: boolean, as: Credential = 'owner') =>
  world.ask('PUT', `/api/v1/instances/${id}`, { as, body: { protected: protection } });

instances('takes no snapshot back, whose ever it is, and is not deleted, whoever asks', async (context) => {
  const { world, stub, loop, id, own, others } = context;
  assert.is((await protect(context, true)).status, 200);
  const position = world.store.read().position;
  const before = [stub.calls.length, await stub.keeper.read(id)];
  const attempts = [
    ...(['member', 'owner', 'admin'] as const).flatMap((as) =>
      [own, others].flatMap((snapshot) =>
        ['', '?dryRun=true'].map((query) => ['POST', `/snapshots/${snapshot}/restore${query}`, as] as const),
      ),
    ),
    ...(['owner', 'admin'] as const).flatMap((as) =>
      ['', '?dryRun=true'].map((query) => ['DELETE', query, as] as const),
    ),
  ];
  for (const [method, path, as] of attempts) {
    const { status, body, text } = await world.ask(method, `/api/v1/instances/${id}${path}`, { as });
    const what = `${as}: ${method} ${path}: ${text}`;
    const violations = path.includes('dryRun') ? body.findings : body.violations;
    assert.is(status, path.includes('dryRun') ? 200 : 409, what);
    if (status === 409) assert.is(body.code, 'rule_violated', what);
    assert.equal([violations[0].rule, violations[0].name], ['protected-instance', 'Line 1'], what);
  }
  assert.is((await world.ask('POST', `/api/v1/instances/${id}/snapshots/${own}/restore`, { as: 'plan' })).status, 403);
  await loop.settled();
  assert.is(world.store.read().position, position, 'nothing was written');
  assert.equal([stub.calls.length, await stub.keeper.read(id)], before);
  const team = await world.ask('DELETE', '/api/v1/teams/core', { as: 'owner' });
  assert.is(team.status, 409, team.text);
});

instances('goes on otherwise: it is stopped, started, changed, and snapshots are taken', async (context) => {
  const { world, loop, id } = context;
  await protect(context, true);
  for (const action of ['stop', 'start', 'restart', 'suspend', 'start']) {
    const done = await world.ask('POST', `/api/v1/instances/${id}/actions/${action}`, { as: 'member' });
    assert.is(done.status, 202, done.text);
    await loop.settled();
  }
  const body = { name: 'Press', environment: [{ name: 'LINE', value: '1' }] };
  assert.is((await world.ask('PUT', `/api/v1/instances/${id}`, { as: 'member', body })).status, 200);
  const taken = await world.ask('POST', `/api/v1/instances/${id}/snapshots`, { as: 'member', body: { name: 'Now' } });
  assert.is(taken.status, 201, taken.text);
});

instances('is protected and let go by owners and admins alone, which the audit log tells', async (context) => {
  const { world, loop, id, own } = context;
  for (const as of ['member', 'viewer', 'dashboard', 'otherOwner', 'user', 'plan', 'none'] as const)
    assert.ok([401, 403, 404].includes((await protect(context, true, as)).status), as);
  assert.is((await protect(context, true, 'owner')).status, 200);
  for (const as of ['member', 'viewer', 'dashboard', 'otherOwner', 'user', 'plan', 'none'] as const)
    assert.ok([401, 403, 404].includes((await protect(context, false, as)).status), as);
  assert.is((await protect(context, false, 'admin')).status, 200);
  const found = (await world.store.records({ stream: 'audit', limit: 500 })).map(
    ({ body }) => body as { event: string; actor: object; target: { id: string }; changes: { path: string }[] },
  );
  const told = found
    .filter(({ target, changes }) => target.id === id && changes.some(({ path }) => path.includes('protected')))
    .map(({ event, actor, changes }) => [event, (actor as { name: string }).name, changes]);
  assert.equal(told, [
    ['instance.updated', 'ann', [{ path: '/spec/protected', before: true, after: null }]],
    ['instance.updated', 'olga', [{ path: '/spec/protected', before: null, after: true }]],
  ]);
  const restored = await world.ask('POST', `/api/v1/instances/${id}/snapshots/${own}/restore`, { as: 'member' });
  assert.is(restored.status, 200, restored.text);
  assert.is((await world.ask('DELETE', `/api/v1/instances/${id}`, { as: 'owner' })).status, 204);
  await loop.settled();
  assert.is(world.store.read().get('Instance', id), undefined);
});

instances('is not protected while a restore is on its way', async (context) => {
  const { world, stub, loop, id, own } = context;
  const release = stub.hold();
  const restoring = world.ask('POST', `/api/v1/instances/${id}/snapshots/${own}/restore`, { as: 'member' });
  await until('the restore is under way', () => world.store.read().get('Instance', id)?.spec.restore);
  const early = await protect(context, true);
  release();
  assert.equal([early.status, early.body.violations?.[0]?.rule], [409, 'protected-instance'], early.text);
  assert.is((await restoring).status, 200);
  await loop.settled();
  assert.is((await protect(context, true)).status, 200);
});

instances.run();
