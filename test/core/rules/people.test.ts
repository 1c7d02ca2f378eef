// Who must not go: the last admin of the platform, and the last owner of a team.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownersKey } from '../../../src/core/kinds/membership.ts';
import { activeAdmin } from '../../../src/core/kinds/user.ts';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import type { View } from '../../../src/core/model/view.ts';
import { living, newWorld, put, type World, write } from '../../control/world.ts';
import { edit, member, newTeamsWorld, team, withTeam } from './teams-world.ts';

const person = (name: string, more: { readonly admin?: boolean; readonly suspended?: boolean } = {}) =>
  living('User', name, { email: `${name}@example.com`, ...more });

const lastAdmin = suite('last-admin');
const left = 'because no other active admin would be left: make somebody else an admin first';

async function oneAdmin(): Promise<{ world: World; ann: Resource<'User'>; bob: Resource<'User'> }> {
  const world = newWorld();
  const [ann, bob] = [person('ann', { admin: true }), person('bob')];
  await put(world, ann, bob, person('eve', { admin: true, suspended: true }));
  return { world, ann, bob };
}

lastAdmin('keeps the flag, the access and the life of the only active admin', async () => {
  const { world, ann } = await oneAdmin();
  assert.equal(await write(world, edit(ann, { admin: false })), [
    `last-admin User/ann: cannot be without the admin flag, ${left}`,
  ]);
  assert.equal(await write(world, edit(ann, { suspended: true })), [
    `last-admin User/ann: cannot be suspended, ${left}`,
  ]);
  assert.equal(await write(world, () => [deleted(ann)]), [`last-admin User/ann: cannot be deleted, ${left}`]);
  assert.equal((await write(world, edit(ann, { admin: false, suspended: true }))).length, 2, 'each by itself');
  assert.equal(await write(world, edit(ann, { displayName: 'Ann' }, 'anna')), []);
});

lastAdmin('looks at a whole batch: two cannot go at once, and one can take over', async () => {
  const { world, ann, bob } = await oneAdmin();
  const promoted = updated(bob, { ...bob, spec: { ...bob.spec, admin: true } });
  assert.equal(await write(world, () => [deleted(ann), promoted]), []);
  const other = person('cyd', { admin: true });
  await put(world, other);
  assert.equal(await write(world, (view) => [deleted(view.get('User', bob.id) as Resource), deleted(other)]), [
    `last-admin User/bob: cannot be deleted, ${left}`,
    `last-admin User/cyd: cannot be deleted, ${left}`,
  ]);
});

lastAdmin('does not name who was suspended, and was none that counts', async () => {
  const { world, ann } = await oneAdmin();
  const eve = [...world.store.read().all('User')].find(({ name }) => name === 'eve') as Resource<'User'>;
  assert.equal(await write(world, () => [deleted(eve), deleted(ann)]), [
    `last-admin User/ann: cannot be deleted, ${left}`,
  ]);
});

lastAdmin('is not asked where there is none yet', async () => {
  const world = newWorld();
  assert.equal(await write(world, () => [created(person('bob'))]), []);
  assert.equal(await write(world, edit(person('bob'), { suspended: true })), []);
});

lastAdmin.run();

const lastOwner = suite('last-owner');
const orphaned =
  'last-owner Team/core: cannot be without an owner, because User/ann is its only owner: make another member an owner first';

lastOwner('keeps the only owner of a team from leaving, being demoted, and being deleted', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  await withTeam(world, 'core', 'ann');
  await put(world, member('core', 'bob'));
  const owner = member('core', 'ann', 'owner');
  assert.equal(await write(world, () => [deleted(owner)]), [orphaned]);
  assert.equal(await write(world, edit(owner, { role: 'member' })), [orphaned]);
  assert.equal(await write(world, () => [deleted(person('ann'))]), [orphaned]);
  assert.equal(await write(world, () => [deleted(member('core', 'bob'))]), []);
});

lastOwner('names every team that a user would leave without an owner', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  for (const slug of ['core', 'edge']) await withTeam(world, slug, 'ann');
  await withTeam(world, 'shared', 'ann');
  await put(world, member('shared', 'bob', 'owner'));
  assert.equal(await write(world, () => [deleted(person('ann'))]), [orphaned, orphaned.replace('core', 'edge')]);
});

lastOwner('looks at a whole batch: another takes over, all cannot go, and the team may go with them', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  const core = await withTeam(world, 'core', 'ann');
  const [ann, bob] = [member('core', 'ann', 'owner'), member('core', 'bob')];
  await put(world, bob);
  const owner = { ...bob, spec: { ...bob.spec, role: 'owner' as const } };
  assert.equal(await write(world, () => [updated(bob, owner), deleted(ann)]), []);
  await put(world, ann);
  assert.equal(await write(world, () => [deleted(ann), deleted(owner)]), [
    'last-owner Team/core: cannot be without an owner, because User/ann, User/bob are its only owners: make another member an owner first',
  ]);
  assert.equal(await write(world, () => [deleted(person('ann')), deleted(person('bob')), deleted(core)]), []);
});

lastOwner('wants a new team to have one', async () => {
  const world = await newTeamsWorld('ann');
  const core = team(world, 'core');
  const what =
    'last-owner Team/core: cannot be without an owner, because nobody could run it: make somebody its owner in the same change';
  assert.equal(await write(world, () => [created(core)]), [what]);
  assert.equal(await write(world, () => [created(core), created(member('core', 'ann'))]), [what]);
  assert.equal(await write(world, () => [created(core), created(member('core', 'ann', 'owner'))]), []);
});

lastOwner('lets an owner be suspended, who does not count while they are', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd');
  await withTeam(world, 'core', 'ann');
  await put(world, member('core', 'bob', 'owner'));
  await put(world, member('core', 'cyd', 'owner'));
  const [ann, bob, cyd] = ['ann', 'bob', 'cyd'].map((who) => member('core', who, 'owner'));
  for (const who of ['bob', 'cyd']) await put(world, person(who, { suspended: true }));
  const alone = orphaned.replace('only owner', 'only owner who is not suspended');
  assert.equal(await write(world, () => [deleted(ann as Resource)]), [alone]);
  assert.equal(await write(world, edit(ann as Resource<'Membership'>, { role: 'member' })), [alone]);
  assert.equal(await write(world, edit(person('ann'), { suspended: true })), []);
  await put(world, person('ann', { suspended: true }));
  // Nothing becomes worse by it, until nobody is left.
  assert.equal(await write(world, () => [deleted(bob as Resource)]), []);
  assert.equal(await write(world, () => [ann, bob, cyd].map((one) => deleted(one as Resource))), [
    orphaned.replace('User/ann is its only owner', 'User/ann, User/bob, User/cyd are its only owners'),
  ]);
});

const users = ['ann', 'bob', 'cyd'] as const;
const slugs = ['core', 'edge'] as const;
const step = fc.record({
  what: fc.constantFrom('user', 'team', 'membership'),
  who: fc.constantFrom(...users),
  slug: fc.constantFrom(...slugs),
  role: fc.constantFrom('owner' as const, 'member' as const),
  admin: fc.boolean(),
  suspended: fc.boolean(),
  gone: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function changeOf(
  world: World,
  view: View,
  { what, who, slug, role, admin, suspended, gone }: Step,
): readonly Change[] {
  const wanted = {
    user: person(who, { admin, suspended }),
    team: team(world, slug, 'roomy'),
    membership: member(slug, who, role),
  }[what];
  const there = view.get(wanted.kind, wanted.id) as Resource | undefined;
  if (gone) return there ? [deleted(there)] : [];
  return [there ? updated(there, wanted) : created(wanted)];
}

lastOwner('and last-admin hold whatever is tried, in batches of any kind', async () => {
  const world = await newTeamsWorld();
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 12 }), async (batches) => {
      await empty(world);
      await put(
        world,
        person('ann', { admin: true }),
        person('bob'),
        team(world, 'core', 'roomy'),
        member('core', 'ann', 'owner'),
      );
      for (const steps of batches) {
        const problems = await write(world, (view) => {
          const changes = steps.flatMap((one) => changeOf(world, view, one));
          return [...new Map(changes.map((change) => [change.id, change])).values()];
        });
        if (problems.length === 0) kept++;
        const view = world.store.read();
        assert.ok(view.countHaving('User', activeAdmin) > 0, 'somebody administers the platform');
        for (const { id, name } of view.all('Team'))
          assert.ok(view.countHaving('Membership', ownersKey(id)) > 0, `Team/${name} has an owner`);
        for (const { spec } of view.all('Membership'))
          assert.ok(view.get('User', spec.user) && view.get('Team', spec.team), 'a member is somebody, of something');
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(kept > 100, `${kept} batches were kept`);
});

async function empty(world: World): Promise<void> {
  const view = world.store.read();
  const all = (['Membership', 'Team', 'User'] as const).flatMap((kind): readonly Resource[] => [...view.all(kind)]);
  await world.store.commit(() => ({ changes: all.map(deleted) }), { id: world.context('api').newId() });
}

lastOwner.run();

const slug = suite('slug-unique');

slug('belongs to one team, whatever the case of its letters', async () => {
  const world = await newTeamsWorld('ann');
  const core = await withTeam(world, 'core', 'ann');
  const second = { ...team(world, 'CORE'), id: 'second' };
  const owner = living('Membership', 'm', { team: 'second', user: 'User-ann', role: 'owner' });
  const taken = 'slug-unique Team/CORE: slug cannot be CORE, because another team has it: choose another slug';
  assert.equal(await write(world, () => [created(second), created(owner)]), [taken]);
  const edge = await withTeam(world, 'edge', 'ann');
  assert.equal(await write(world, edit(edge, {}, 'CORE')), [taken]);
  assert.equal(await write(world, edit(edge, { displayName: 'Core' })), [], 'names may be equal');
  assert.equal(await write(world, edit(core, {}, 'Core')), [], 'its own, in other letters');
});

slug('can be given up and taken in one batch, and taken by one alone of several at once', async () => {
  const world = await newTeamsWorld('ann');
  const core = await withTeam(world, 'core', 'ann');
  const edge = await withTeam(world, 'edge', 'ann');
  assert.equal(
    await write(world, () => [updated(core, { ...core, name: 'edge' }), updated(edge, { ...edge, name: 'core' })]),
    [],
  );
  const results = await Promise.all([write(world, edit(core, {}, 'hub')), write(world, edit(edge, {}, 'Hub'))]);
  assert.equal(
    results.map((problems) => problems.length),
    [0, 1],
  );
});

slug.run();
