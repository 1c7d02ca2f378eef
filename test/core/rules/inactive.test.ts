// What is not active is not chosen for anything new, and goes on working for those who have it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../../src/core/model/change.ts';
import { apply, put, violationsOf, write } from '../../control/world.ts';
import {
  catalogue,
  catalogueWith,
  edit,
  idOf,
  instance,
  member,
  newTeamsWorld,
  team,
  withTeam,
} from './teams-world.ts';

const inactive = suite('inactive');

inactive('keeps a team from being made of a team type, or given one, that is not active', async () => {
  const world = await newTeamsWorld('ann');
  const closed =
    'inactive Team/core: type cannot be closed, because TeamType/closed has "active: false": choose one that is active';
  const make = () => [created(team(world, 'core', 'closed')), created(member('core', 'ann', 'owner'))];
  assert.equal(await write(world, make), [closed]);
  const core = await withTeam(world, 'core', 'ann');
  assert.equal(await write(world, edit(core, { type: idOf(world, 'TeamType', 'closed') })), [closed]);
});

inactive('names at once everything that a new instance cannot be made of', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps', { type: 'old', template: 'retired', stack: 'nr-3' });
  assert.equal(await write(world, () => [created(pumps)]), [
    'inactive Instance/pumps: instanceType cannot be old, because InstanceType/old has "active: false": choose one that is active',
    'inactive Instance/pumps: template cannot be retired, because Template/retired has "active: false": choose one that is active',
    'inactive Instance/pumps: stack cannot be nr-3, because Stack/nr-3 has "active: false": choose one that is active',
  ]);
});

inactive('looks at what is chosen anew, and not at what stays', async () => {
  const world = await newTeamsWorld('ann');
  const core = await withTeam(world, 'core', 'ann', 'closed');
  const pumps = instance(world, 'core', 'pumps', { type: 'old', template: 'retired', stack: 'nr-3' });
  await put(world, pumps);
  assert.equal(await write(world, edit(core, { displayName: 'Core' }, 'heart')), []);
  assert.equal(await write(world, edit(pumps, { state: 'running' }, 'pump')), []);
  assert.equal(await write(world, edit(pumps, { stack: idOf(world, 'Stack', 'nr-4') })), []);
  assert.match(
    (await write(world, edit(pumps, { stack: idOf(world, 'Stack', 'nr-3') })))[0] ?? '',
    /^inactive Instance\/pump: stack cannot be nr-3, because/,
  );
});

inactive('lets an upgrade that fails go back to a stack that is not active any more', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const nr3 = idOf(world, 'Stack', 'nr-3');
  const pumps = instance(world, 'core', 'pumps');
  await put(world, { ...pumps, spec: { ...pumps.spec, state: 'upgrading', previousStack: nr3 } });
  assert.equal(await write(world, edit(pumps, { stack: nr3, state: 'stopped', previousStack: undefined })), []);
});

inactive('is no reason to keep a document from ending the use of what is in use', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps');
  await put(world, pumps);
  const ended = catalogueWith('spec: {runtime: "4"}', 'spec: {runtime: "4", active: false}');
  assert.equal(await violationsOf(world, ended), []);
  await apply(world, ended);
  assert.equal(await write(world, edit(pumps, { state: 'running' })), []);
  assert.match(
    (await write(world, () => [created(instance(world, 'core', 'more'))]))[0] ?? '',
    /^inactive Instance\/more: stack/,
  );
  await apply(world, catalogue);
  assert.equal(await write(world, () => [created(instance(world, 'core', 'more'))]), []);
});

inactive.run();
