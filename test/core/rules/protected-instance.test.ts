// The flows of a protected instance stay as they are, and so does it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../../src/control/transact.ts';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { bringFlows } from '../../../src/core/rules/protected-instance.ts';
import { apply, made, put, told, type World, write } from '../../control/world.ts';
import { catalogueWith, edit, instance, newTeamsWorld, withTeam } from './teams-world.ts';

const protection = suite('protected-instance');

const lift = 'have an owner of its team lift the protection first ("protected": false)';
const restored = `protected-instance Instance/pumps: no snapshot can be restored into it, because it is protected, and its flows stay as they are: ${lift}`;
const gone = `protected-instance Instance/pumps: cannot be deleted, because it is protected: ${lift}`;
const pending = { id: 'r1', snapshot: 's1', name: 'Before', content: 'a'.repeat(64) };

/** A world whose team `core` has the feature, or not, with the instance `pumps`, which runs. */
async function worldWith(spec: object, has = true): Promise<{ world: World; pumps: Resource<'Instance'> }> {
  const bare = await newTeamsWorld('ann');
  const on = '{name: starter}\nspec:\n  features: {protectedInstances: true}';
  if (has) await apply(bare, catalogueWith('{name: starter}\nspec:', on));
  await withTeam(bare, 'core', 'ann');
  const provides = new Set(['protectedInstances'] as const);
  const facts: Facts = { ...bare.door.facts(), drivers: new Map([['local', { provides }]]) };
  const world = { ...bare, door: { ...bare.door, facts: () => facts } };
  const base = instance(world, 'core', 'pumps');
  const pumps = { ...base, spec: { ...base.spec, state: 'running' as const, ...spec } };
  await put(world, pumps);
  return { world, pumps };
}

/** The violations of a proposal by a door; nothing is kept. */
function refusedBy(door: Context['origin'], world: World, proposal: Proposal): string[] {
  return transact(world.store.read(), proposal, world.context(door), { facts: world.door.facts() }).violations.map(
    told,
  );
}

protection('keeps flows out, and the instance, by each door', async () => {
  const { world, pumps } = await worldWith({ protected: true });
  for (const door of ['api', 'config'] as const) {
    for (const field of Object.keys(bringFlows))
      assert.equal(refusedBy(door, world, edit(pumps, { [field]: pending })), [restored], field);
    assert.equal(refusedBy(door, world, edit(pumps, { state: 'deleting' })), [gone]);
    assert.equal(
      refusedBy(door, world, () => [deleted(pumps)]),
      [gone],
    );
    assert.equal(refusedBy(door, world, edit(pumps, { state: 'deleting', restore: pending })), [gone, restored]);
    const both = edit(pumps, { protected: false, restore: pending });
    assert.equal(refusedBy(door, world, both), [restored], 'not lifted and used in one commit');
  }
});

protection('lets the run of a pipeline bring flows, and not delete, nor touch what documents declare', async () => {
  const { world, pumps } = await worldWith({ protected: true });
  assert.equal(refusedBy('run', world, edit(pumps, { restore: pending })), []);
  assert.equal(
    refusedBy('run', world, () => [deleted(pumps)]),
    [gone],
  );
  const type = world.store.read().named('TeamType', 'roomy');
  assert.ok(type);
  const change = updated(type, { ...type, spec: { ...type.spec, description: 'x' } });
  assert.match(refusedBy('run', world, () => [change])[0] ?? '', /config-managed TeamType\/roomy/);
  assert.equal(
    refusedBy('run', world, () => [created(made('Stack', 'own', { runtime: '4' }))]),
    [],
  );
});

protection('leaves to people what is no flow, and to Weir what is on its way', async () => {
  const { world, pumps } = await worldWith({ protected: true });
  assert.equal(await write(world, edit(pumps, { state: 'stopping', desired: 'stopped' })), []);
  const own = { options: { pageTitle: 'P' }, environment: [{ name: 'LINE', value: '2' }] };
  assert.equal(await write(world, edit(pumps, own, 'Pumps')), []);
  assert.equal(await write(world, edit(pumps, { flowsDigest: 'b'.repeat(64) })), []);
  const busy = await worldWith({ protected: true, restore: pending });
  assert.equal(await write(busy.world, edit(busy.pumps, { state: 'restarting' })), []);
  assert.equal(await write(busy.world, edit(busy.pumps, { restore: undefined })), []);
  const going = await worldWith({ protected: true, state: 'deleting' });
  assert.equal(await write(going.world, () => [deleted(going.pumps)]), []);
});

protection('ends when it is lifted, and where the team has not the feature', async () => {
  const { world, pumps } = await worldWith({ protected: true });
  assert.equal(await write(world, edit(pumps, { protected: undefined })), []);
  assert.equal(await write(world, edit(pumps, { restore: pending })), []);
  const without = await worldWith({ protected: true }, false);
  assert.equal(await write(without.world, edit(without.pumps, { restore: pending })), []);
  assert.equal(await write(without.world, () => [deleted(without.pumps)]), []);
});

protection('waits for a restore that is on its way', async () => {
  const { world, pumps } = await worldWith({ restore: pending });
  assert.equal(await write(world, edit(pumps, { protected: true })), [
    'protected-instance Instance/pumps: it cannot be protected, because a snapshot is being restored into it: wait for that',
  ]);
  assert.equal(await write(world, edit(pumps, { restore: undefined })), []);
  assert.equal(await write(world, edit(pumps, { protected: true })), []);
});

protection.run();
