// What the type of a team allows it to have.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isDeclaredKind, type KindName } from '../../../src/core/kinds/index.ts';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import { overlay } from '../../../src/core/model/overlay.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { instancesOfType, teamUse } from '../../../src/core/model/team-use.ts';
import type { View } from '../../../src/core/model/view.ts';
import { check } from '../../../src/core/rules/index.ts';
import { noConsents } from '../../../src/core/rules/rule.ts';
import { apply, facts, living, put, violationsOf, type World, write } from '../../control/world.ts';
import {
  catalogueWith,
  device,
  edit,
  idOf,
  instance,
  invitation,
  member,
  newTeamsWorld,
  team,
  withTeam,
} from './teams-world.ts';

const make =
  (...resources: readonly Resource[]) =>
  (): readonly Change[] =>
    resources.map(created);

const enabled = suite('instance-type-not-enabled');

enabled('keeps a team from instances of a type that its own type does not list', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps');
  const what = (name: string) =>
    `instance-type-not-enabled Instance/${name}: instanceType cannot be large, because TeamType/starter, the type of Team/core, does not list it (it lists small, medium, old): choose one of its list, or have an admin add it there`;
  assert.equal(await write(world, make(instance(world, 'core', 'big', { type: 'large' }))), [what('big')]);
  assert.equal(await write(world, make(pumps)), []);
  assert.equal(await write(world, edit(pumps, { instanceType: idOf(world, 'InstanceType', 'large') })), [
    what('pumps'),
  ]);
});

enabled('says that a type lists none', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann', 'closed');
  assert.match(
    (await write(world, make(instance(world, 'core', 'pumps'))))[0] ?? '',
    /does not list it \(it lists none\)/,
  );
});

enabled(
  'lists, where a team gets another type, every type of its instances that the new one does not list',
  async () => {
    const world = await newTeamsWorld('ann');
    const core = await withTeam(world, 'core', 'ann', 'roomy');
    const [pumps, valves] = [instance(world, 'core', 'pumps'), instance(world, 'core', 'valves')];
    await put(world, pumps, valves, instance(world, 'core', 'big', { type: 'large' }));
    const none = catalogueWith('spec: {active: false}\n`', '');
    assert.ok(none);
    await put(world, { ...team(world, 'other', 'closed') });
    const { spec } = team(world, 'x', 'closed');
    const problems = await write(world, edit(core, { type: spec.type }));
    assert.equal(
      problems.filter((problem) => problem.startsWith('instance-type')),
      [
        'instance-type-not-enabled Team/core: type cannot be closed, because the team has 2 instances of InstanceType/small and TeamType/closed does not list that: delete them first, or have an admin add it there',
        'instance-type-not-enabled Team/core: type cannot be closed, because the team has 1 instance of InstanceType/large and TeamType/closed does not list that: delete it first, or have an admin add it there',
      ],
    );
  },
);

enabled('leaves the instances alone whose type leaves the list', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps');
  await put(world, pumps);
  const shorter = catalogueWith('{name: small, limit: 2}, ', '');
  assert.equal(await violationsOf(world, shorter), []);
  await apply(world, shorter);
  assert.equal(await write(world, edit(pumps, { state: 'running' }, 'pump')), []);
  assert.match((await write(world, make(instance(world, 'core', 'more'))))[0] ?? '', /^instance-type-not-enabled/);
});

enabled.run();

const limits = suite('limit-reached');

limits('counts members and pending invitations together, whoever adds them', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd', 'dan');
  await withTeam(world, 'core', 'ann');
  assert.equal(await write(world, make(member('core', 'bob'), invitation('core', 'eve', 'ann'))), []);
  const full =
    'limit-reached Team/core: cannot have 4 members (1 of them invited), because TeamType/starter allows 3: remove 1 first, or choose another team type';
  assert.equal(await write(world, make(member('core', 'cyd'))), [full]);
  assert.equal(await write(world, make(invitation('core', 'fay', 'ann'))), [full.replace('1 of', '2 of')]);
  assert.equal(await write(world, make(member('core', 'cyd'), member('core', 'dan'))), [
    'limit-reached Team/core: cannot have 5 members (1 of them invited), because TeamType/starter allows 3: remove 2 first, or choose another team type',
  ]);
});

limits('does not count twice who accepts an invitation', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd');
  await withTeam(world, 'core', 'ann');
  const asked = invitation('core', 'cyd', 'ann');
  await put(world, member('core', 'bob'), asked);
  assert.equal(await write(world, () => [deleted(asked), created(member('core', 'cyd'))]), []);
});

limits('lets whoever was invited into a full team: the invitation goes, and makes room', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd', 'dan');
  await withTeam(world, 'core', 'ann');
  const { email: _, ...spec } = invitation('core', 'cyd', 'ann').spec;
  await put(world, member('core', 'bob'), living('Invitation', 'core-cyd', { ...spec, user: 'User-cyd' }));
  assert.is((await write(world, make(member('core', 'dan')))).length, 1, 'the room is for cyd');
  assert.equal(await write(world, make(member('core', 'cyd'))), []);
  const { members, invitations } = teamUse(world.store.read(), 'Team-core');
  assert.equal([members, invitations], [3, 0]);
});

limits('counts instances in total and by type, and devices', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  await put(world, instance(world, 'core', 'a'), instance(world, 'core', 'b'), device('core', 'edge'));
  assert.equal(
    await write(world, make(instance(world, 'core', 'c'), instance(world, 'core', 'd'), device('core', 'x'))),
    [
      'limit-reached Team/core: cannot have 4 instances, because TeamType/starter allows 3: delete 1 first, or choose another team type',
      'limit-reached Team/core: cannot have 2 devices, because TeamType/starter allows 1: delete 1 first, or choose another team type',
      'limit-reached Team/core: cannot have 4 instances of InstanceType/small, because TeamType/starter allows 2: delete 2 first, or choose another team type',
    ],
  );
});

limits('counts an instance that is given another type', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const [a, b, c] = [
    instance(world, 'core', 'a'),
    instance(world, 'core', 'b'),
    instance(world, 'core', 'c', { type: 'old' }),
  ];
  await put(world, a, b, c);
  assert.equal(await write(world, edit(c, { instanceType: idOf(world, 'InstanceType', 'small') })), [
    'limit-reached Team/core: cannot have 3 instances of InstanceType/small, because TeamType/starter allows 2: delete 1 first, or choose another team type',
  ]);
});

limits('refuses growth only: a limit that was lowered takes nothing away', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd');
  const core = await withTeam(world, 'core', 'ann');
  const asked = invitation('core', 'cyd', 'ann');
  const pumps = instance(world, 'core', 'pumps');
  await put(world, member('core', 'bob'), asked, pumps, device('core', 'edge'));
  const lower = catalogueWith('{members: 3, instances: 3, devices: 1}', '{members: 1, instances: 0, devices: 0}');
  assert.equal(await violationsOf(world, lower), []);
  await apply(world, lower);
  assert.equal(await write(world, edit(core, { displayName: 'Core' })), []);
  assert.equal(await write(world, edit(pumps, { state: 'running' })), []);
  assert.equal(await write(world, () => [deleted(asked), created(member('core', 'cyd'))]), [], 'no growth either');
  assert.equal(await write(world, () => [deleted(member('core', 'bob'))]), []);
  assert.equal((await write(world, make(member('core', 'bob')))).length, 1);
});

limits('lists, where a team gets another type, everything that the new one does not allow', async () => {
  const world = await newTeamsWorld('ann', 'bob', 'cyd', 'dan');
  const core = await withTeam(world, 'core', 'ann', 'roomy');
  const small = ['a', 'b', 'c'].map((name) => instance(world, 'core', name));
  await put(world, ...['bob', 'cyd'].map((user) => member('core', user)), invitation('core', 'dan', 'ann'), ...small);
  await put(world, instance(world, 'core', 'big', { type: 'large' }), device('core', 'x'), device('core', 'y'));
  assert.equal(await write(world, edit(core, { type: idOf(world, 'TeamType', 'starter') })), [
    'instance-type-not-enabled Team/core: type cannot be starter, because the team has 1 instance of InstanceType/large and TeamType/starter does not list that: delete it first, or have an admin add it there',
    'limit-reached Team/core: type cannot be starter, because the team has 4 members (1 of them invited) and TeamType/starter allows 3: remove 1 first',
    'limit-reached Team/core: type cannot be starter, because the team has 4 instances and TeamType/starter allows 3: delete 1 first',
    'limit-reached Team/core: type cannot be starter, because the team has 2 devices and TeamType/starter allows 1: delete 1 first',
    'limit-reached Team/core: type cannot be starter, because the team has 3 instances of InstanceType/small and TeamType/starter allows 2: delete 1 first',
  ]);
});

limits('and the other rules of run-time objects cost what the change costs, however much there is', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  await withTeam(world, 'core', 'ann');
  const bob = living('User', 'bob', { email: 'bob@example.com', admin: true });
  await put(world, living('User', 'root', { email: 'root@example.com', admin: true }), member('core', 'bob'));
  const changes = [
    created(instance(world, 'core', 'pumps')),
    created(device('core', 'edge')),
    created(team(world, 'other')),
    created(member('other', 'bob', 'owner')),
    deleted(member('core', 'bob')),
    updated(bob, { ...bob, spec: { ...bob.spec, admin: false } }),
  ];
  const before = counting(world.store.read());
  const after = counting(overlay(world.store.read(), changes));
  assert.equal(check({ door: 'api', changes, before, after, consents: noConsents, facts }), []);
});

/** A view that can only be asked for single resources, for numbers and for the first few of an index, where people, teams and instances are concerned. */
function counting(view: View): View {
  const scanned = (kind: KindName): never => {
    throw new Error(`all of ${kind} was looked at`);
  };
  return {
    get: (kind, id) => view.get(kind, id),
    named: (kind, name) => view.named(kind, name),
    count: (kind) => view.count(kind),
    countHaving: (kind, key) => view.countHaving(kind, key),
    all: (kind) => (isDeclaredKind(kind) ? view.all(kind) : scanned(kind)),
    having: (kind, key) => (isDeclaredKind(kind) ? view.having(kind, key) : few(view.having(kind, key), kind)),
  };
}

/** As many as an answer takes that stops at the first one. */
function* few<T>(found: Iterable<T>, kind: KindName): Iterable<T> {
  let count = 0;
  for (const one of found) {
    count += 1;
    if (count > 1) throw new Error(`more than one of ${kind} was looked at`);
    yield one;
  }
}

const users = ['ann', 'bob', 'cyd', 'dan'] as const;
const step = fc.record({
  what: fc.constantFrom('member', 'invite', 'accept', 'small', 'medium', 'device'),
  who: fc.constantFrom(...users),
  slug: fc.constantFrom('core', 'edge'),
  gone: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A step as changes of what is there by then; nothing where it makes no sense. */
function changesOf(world: World, view: View, { what, who, slug, gone }: Step): readonly Change[] {
  const one = {
    member: member(slug, who),
    invite: invitation(slug, who, 'ann'),
    device: device(slug, `${slug}-${who}`),
  };
  const asked = view.get('Invitation', one.invite.id);
  if (what === 'accept')
    return asked && !view.get('Membership', one.member.id) ? [deleted(asked), created(one.member)] : [];
  const isInstance = what === 'small' || what === 'medium';
  const wanted = isInstance ? instance(world, slug, `${slug}-${who}`, { type: what }) : one[what];
  const there = view.get(wanted.kind, wanted.id) as Resource | undefined;
  if (gone) return there ? [deleted(there)] : [];
  return there ? [] : [created(wanted)];
}

limits('are never passed, however writers get in each other’s way', async () => {
  const world = await newTeamsWorld(...users);
  const small = idOf(world, 'InstanceType', 'small');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 25 }), async (batches) => {
      const before = world.store.read();
      const left = (['Team', 'Membership', 'Invitation', 'Instance', 'Device'] as const).flatMap((kind) => [
        ...before.all(kind),
      ]);
      await world.store.commit(() => ({ changes: left.map((one) => deleted(one)) }), {
        id: world.context('api').newId(),
      });
      const owners = ['core', 'edge'].map((slug) => member(slug, 'root', 'owner'));
      await put(world, team(world, 'core'), team(world, 'edge'), ...owners);
      await Promise.all(
        batches.map((steps) =>
          write(world, (view) => {
            const changes = steps.flatMap((one) => changesOf(world, view, one));
            return [...new Map(changes.map((change) => [change.id, change])).values()];
          }),
        ),
      );
      const view = world.store.read();
      for (const id of ['Team-core', 'Team-edge']) {
        const use = teamUse(view, id);
        assert.ok(use.members + use.invitations <= 3, `${id} ${JSON.stringify(use)}`);
        assert.ok(use.instances <= 3 && use.devices <= 1, `${id} ${JSON.stringify(use)}`);
        assert.ok(instancesOfType(view, id, small) <= 2, id);
      }
    }),
    { numRuns: 60 },
  );
});

limits.run();
