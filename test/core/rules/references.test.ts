// Names that nothing declares, and names that are taken away or given twice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import type { View } from '../../../src/core/model/view.ts';
import { allowing, apply, living, made, newWorld, problemsIn, put, violationsOf, write } from '../../control/world.ts';
import { device, idOf, instance, invitation, member, newTeamsWorld, team, withTeam } from './teams-world.ts';

const stack = (name: string) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`;
const size = (name: string, stacks: string) =>
  `kind: InstanceType\nmetadata: {name: ${name}}\nspec:\n  stacks: [${stacks}]\n`;

function removing(kind: 'Stack' | 'InstanceType', name: string): (view: View) => Change[] {
  return (view) => [view.named(kind, name)].flatMap((found) => (found ? [deleted(found)] : []));
}

const references = suite('references');

references('to what nothing declares are refused at the item, with what was probably meant', () => {
  assert.equal(problemsIn({ 'a.yaml': stack('nr-4'), 'b.yaml': size('small', 'nr-41') }), [
    'b.yaml:4:12 references InstanceType/small: stacks[0] names Stack/nr-41, which nothing declares: name what there is, or declare it first (did you mean nr-4)',
  ]);
});

references('are refused in the same words through the API', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('nr-4') });
  const type = made('InstanceType', 'small', { stacks: ['nr-41'] });
  assert.equal(await write(world, () => [created(type)]), [
    'references InstanceType/small: stacks[0] names Stack/nr-41, which nothing declares: name what there is, or declare it first (did you mean nr-4)',
  ]);
  assert.equal(await write(world, () => [created(made('InstanceType', 'small', { stacks: ['nr-4'] }))]), []);
});

references('keep what they name from being deleted, and say who names it', async () => {
  const world = newWorld();
  const files = { 'a.yaml': stack('nr-4') };
  await apply(world, files);
  await put(world, ...['d', 'a', 'c', 'b'].map((name) => made('InstanceType', name, { stacks: ['nr-4'] })));
  const refusal =
    'Stack/nr-4: cannot be deleted, because InstanceType/d, InstanceType/a, InstanceType/c and 1 more still name it: change or delete these first';
  assert.equal(await violationsOf(world, {}, allowing(1)), [`references ${refusal}`]);
  await put(world, made('Stack', 'nr-5', { runtime: '5' }), made('Stack', 'nr-6', { runtime: '6', replaces: 'nr-5' }));
  assert.equal(await write(world, removing('Stack', 'nr-5')), [
    'references Stack/nr-5: cannot be deleted, because Stack/nr-6 still names it: change or delete that first',
  ]);
});

references('do not hold what is deleted with those that name it', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('nr-4'), 'b.yaml': size('small', 'nr-4') });
  assert.equal(await violationsOf(world, {}, allowing(2)), []);
  await put(world, made('Stack', 'nr-5', { runtime: '5' }), made('InstanceType', 'large', { stacks: ['nr-5'] }));
  const both = (view: View) => [...removing('Stack', 'nr-5')(view), ...removing('InstanceType', 'large')(view)];
  assert.equal(await write(world, both), []);
});

references('are followed when a document renames what they name, or the rename is refused', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'nr-4', { runtime: '4' }), made('InstanceType', 'small', { stacks: ['nr-4'] }));
  const rename = (view: View) => {
    const old = view.named('Stack', 'nr-4');
    return old ? [updated(old, { ...old, name: 'nr-four' })] : [];
  };
  assert.equal(await write(world, rename), [
    'references Stack/nr-four: cannot be called nr-four, because InstanceType/small still names nr-4: change the name there too',
  ]);
});

references('to a document that cannot be read are not reported too', () => {
  const broken = 'kind: Stack\nmetadata: {name: nr-4}\nspec: {runtime: 4}\n';
  assert.equal(problemsIn({ 'a.yaml': broken, 'b.yaml': size('small', 'nr-4') }).length, 1);
  const typo = 'kind: Stak\nmetadata: {name: nr-4}\nspec: {runtime: "4"}\n';
  assert.equal(problemsIn({ 'a.yaml': typo, 'b.yaml': size('small', 'nr-4') }).length, 1);
  const unparsed = 'kind: Stack\nmetadata:\n  name: nr-4\nspec: {runtime: "4"\n';
  assert.equal(problemsIn({ 'a.yaml': unparsed, 'b.yaml': size('small', 'nr-4') }).length, 1);
});

references('keep a team that has instances or devices, and let its members and invitations go with it', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  const core = await withTeam(world, 'core', 'ann');
  await put(world, invitation('core', 'eve', 'ann'), member('core', 'bob'));
  const belongings = [instance(world, 'core', 'pumps'), device('core', 'edge')];
  await put(world, ...belongings);
  assert.equal(await write(world, () => [deleted(core)]), [
    'references Team/core: cannot be deleted, because Instance/pumps, Device/edge still belong to it: delete these first',
  ]);
  assert.equal(await write(world, () => [deleted(core), ...belongings.map(deleted)]), []);
  const view = world.store.read();
  assert.is(view.count('Membership') + view.count('Invitation'), 0);
});

references('from a user who is deleted go with the user, and hold nothing back', async () => {
  const world = await newTeamsWorld('ann', 'bob');
  await withTeam(world, 'core', 'ann');
  const hash = 'b'.repeat(64);
  const at = '2026-02-01T00:00:00.000Z';
  const session = { user: 'User-bob', hash, expiresAt: at, idleHours: 1, lastSeenAt: at, address: '::1', agent: '' };
  const bob = living('User', 'bob', { email: 'bob@example.com' });
  await put(
    world,
    member('core', 'bob'),
    invitation('core', 'eve', 'bob'),
    living('Token', 't', { user: 'User-bob', hash }),
    living('Session', 's', session),
    living('ActionToken', 'a', {
      user: 'User-bob',
      purpose: 'verify-email',
      email: bob.spec.email,
      hash,
      expiresAt: at,
    }),
  );
  assert.equal(await write(world, () => [deleted(bob)]), []);
  const view = world.store.read();
  for (const kind of ['Invitation', 'Token', 'Session', 'ActionToken'] as const) assert.is(view.count(kind), 0, kind);
  assert.equal(
    [...view.all('Membership')].map(({ spec }) => spec.user),
    ['User-ann'],
  );
});

references('of what is made at run time say the name that was chosen, but no id', async () => {
  const world = await newTeamsWorld('ann');
  const core = team(world, 'core');
  const make = (type: string) => {
    const wanted = { ...core, spec: { ...core.spec, type } };
    return write(world, () => [created(wanted), created(member('core', 'ann', 'owner'))]);
  };
  assert.equal(await make('startr'), [
    'references Team/core: type names TeamType/startr, which nothing declares: name what there is, or declare it first (did you mean starter)',
  ]);
  assert.equal(await make('Xy7opaqueId'), [
    'references Team/core: type cannot name this TeamType, because there is no such one any more: name another',
  ]);
  await make(core.spec.type);
  assert.equal(await write(world, () => [created(member('core', 'nobody'))]), [
    'references Membership/core-nobody: user cannot name this User, because there is no such one any more: name another',
  ]);
});

references('to a stack hold it while an upgrade may go back to it', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps');
  await put(world, { ...pumps, spec: { ...pumps.spec, previousStack: idOf(world, 'Stack', 'nr-3') } });
  const problems = await write(world, removing('Stack', 'nr-3'));
  assert.ok(
    problems.includes(
      'stack-in-use Stack/nr-3: cannot be deleted, because 1 instance uses it: move it to another stack first',
    ),
    problems.join(),
  );
});

references('in great numbers are all reported, with suggestions for the first', () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 3000; at += 1) files[`s${at}.yaml`] = stack(`stack-${at}`);
  for (let at = 0; at < 1000; at += 1) files[`t${at}.yaml`] = size(`type-${at}`, `stak-${at}`);
  const start = process.cpuUsage().user;
  const problems = problemsIn(files);
  assert.is(problems.length, 1000);
  assert.match(problems[0] ?? '', /did you mean stack-/);
  assert.ok(process.cpuUsage().user - start < 20_000_000);
});

references.run();

const duplicates = suite('duplicate-object');

duplicates('are refused at the second, with the place of the first', () => {
  assert.equal(problemsIn({ 'a.yaml': stack('nr-4'), 'b.yaml': `# again\n${stack('nr-4')}` }), [
    'b.yaml:3:18 duplicate-object Stack/nr-4: cannot be declared twice, because a.yaml:2 declares it already',
  ]);
  assert.equal(problemsIn({ 'a.yaml': stack('nr-4') + size('nr-4', 'nr-4').replace(/^/, '---\n') }), []);
});

duplicates('are no two documents that were one object', () => {
  const was = (name: string) => stack(name).replace('}', ', previousNames: [old]}');
  assert.equal(problemsIn({ 'a.yaml': was('a'), 'b.yaml': was('b') }), [
    'b.yaml:2:37 duplicate-object Stack/b: cannot have been old, because Stack/a says that it was: take the name out of one of the two',
  ]);
});

duplicates('cannot be made through the API either, however many ask at once', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('nr-4') });
  const again = (id: string, name: string) =>
    write(world, () => [created(made('Stack', name, { runtime: '4' }, { id }))]);
  assert.equal(await again('x', 'nr-4'), [
    'duplicate-object Stack/nr-4: cannot be made, because there is one of this name already',
  ]);
  const results = await Promise.all(['p', 'q', 'r'].map((id) => again(id, 'nr-5')));
  assert.equal(
    results.map((problems) => problems.length),
    [0, 1, 1],
  );
});

duplicates(
  'of a name whose addresses an identity provider was given are refused, as long as they are somebody’s',
  async () => {
    const world = newWorld();
    const sso = (name: string, domain: string, more = '', provider = 'saml') =>
      `kind: SsoConfig\nmetadata: {name: ${name}${more}}\nspec: {emailDomain: ${domain}, provider: ${provider}}\n`;
    const renamed = sso('old', 'a.example', ', previousNames: [corp]');
    await apply(world, { 'a.yaml': sso('corp', 'a.example') });
    await apply(world, { 'a.yaml': renamed });
    assert.equal(await violationsOf(world, { 'a.yaml': renamed, 'b.yaml': sso('corp', 'b.example') }), [
      'b.yaml:2:18 duplicate-object SsoConfig/corp: cannot be made, because SsoConfig/old was made with this name and keeps its addresses: choose another',
    ]);
    const ldap = sso('corp', 'b.example', '', 'ldap');
    assert.equal(await violationsOf(world, { 'a.yaml': renamed, 'b.yaml': ldap }), []);
    assert.equal(await violationsOf(world, { 'a.yaml': sso('corp', 'a.example', ', previousNames: [old]') }), []);
    assert.equal(await violationsOf(world, { 'b.yaml': sso('corp', 'b.example') }), []);
  },
);

duplicates.run();
