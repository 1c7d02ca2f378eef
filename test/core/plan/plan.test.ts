// What a plan does to which object: made, altered, renamed, adopted, let go, deleted, in which order, and who is affected.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keep, prepare } from '../../../src/control/reconcile.ts';
import { updated } from '../../../src/core/model/change.ts';
import type { DeclaredResource } from '../../../src/core/model/resource.ts';
import type { PlanMode } from '../../../src/core/plan/drift.ts';
import type { Consents } from '../../../src/core/rules/rule.ts';
import {
  allowing,
  apply,
  type Files,
  living,
  load,
  made,
  newWorld,
  planOf,
  problemsIn,
  put,
  record,
  told,
  violationsOf,
  type World,
} from '../../control/world.ts';

const stack = (name: string, spec = 'runtime: "4"', more = '', metadata = '') =>
  `kind: Stack\nmetadata: {name: ${name}${metadata}}\nspec: {${spec}}\n${more}`;
const renamed = (name: string, ...previous: string[]) =>
  stack(name, 'runtime: "4"', '', `, previousNames: [${previous.join(', ')}]`);
const adopting = (...adopt: string[]): Consents => ({ adopt: new Set(adopt) });

/** `action address`, one a change. */
async function changesOf(world: World, files: Files, consents?: Consents): Promise<string[]> {
  const { document } = await planOf(world, files, consents);
  return document.changes.map(({ action, address, previousAddress }) =>
    [action, ...(previousAddress ? [previousAddress, '→'] : []), address].join(' '),
  );
}

async function appliedTo(...trees: readonly Files[]): Promise<World> {
  const world = newWorld();
  for (const files of trees) await apply(world, files);
  return world;
}

const named = (world: World, name: string) => world.store.read().named('Stack', name);

const actions = suite('a plan');

actions('makes, alters and deletes, and leaves the rest', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a'), 'b.yaml': stack('b'), 'c.yaml': stack('c') });
  const files = { 'a.yaml': stack('a'), 'b.yaml': stack('b', 'runtime: "5"'), 'd.yaml': stack('d') };
  const { document } = await planOf(world, files);
  assert.equal(
    document.changes.map(({ action, address }) => `${action} ${address}`),
    ['update Stack/b', 'create Stack/d', 'delete Stack/c'],
  );
  assert.equal(document.summary, { create: 1, update: 1, delete: 1, rename: 0, adopt: 0, unchanged: 2, blocked: 0 });
  await apply(world, files);
  assert.equal([named(world, 'b')?.generation, named(world, 'a')?.generation], [2, 1]);
  assert.is(named(world, 'c'), undefined);
});

actions('changes nothing when it is made a second time, or when a file or line moved', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a') });
  assert.equal(await changesOf(world, { 'a.yaml': stack('a') }), []);
  assert.equal(await changesOf(world, { 'sub/b.yml': `# moved\n${stack('a')}` }), []);
  await apply(world, { 'sub/b.yml': `# moved\n${stack('a')}` });
  assert.equal(named(world, 'a')?.source, { file: 'sub/b.yml', line: 2 });
  assert.is(named(world, 'a')?.generation, 1);
});

actions('takes a default that is written out for one that is not', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a') });
  assert.equal(
    await changesOf(world, { 'a.yaml': stack('a', 'runtime: "4", active: true, resources: {}, label: ""') }),
    [],
  );
});

actions('keeps when it was made and which id it has', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a') });
  const before = named(world, 'a');
  await apply(world, { 'a.yaml': stack('a', 'runtime: "5"') });
  const after = named(world, 'a');
  assert.equal([after?.id, after?.createdAt], [before?.id, before?.createdAt]);
  assert.ok((after?.updatedAt ?? '') > (before?.updatedAt ?? ''));
});

actions('leaves to the API what a document ignores, and takes it back when it no longer does', async () => {
  const ignoring = stack('a', 'runtime: "4", label: first', 'lifecycle: {ignore: [/spec/label]}\n');
  const world = await appliedTo({ 'a.yaml': ignoring });
  assert.is(named(world, 'a')?.spec.label, 'first', 'what is new is as the document says');
  assert.equal(await changesOf(world, { 'a.yaml': ignoring.replace('first', 'second') }), []);
  await apply(world, { 'a.yaml': stack('a', 'runtime: "4", label: third') });
  assert.is(named(world, 'a')?.spec.label, 'third');
});

actions('lets go of what should not be deleted, and the API may do with it what it wants', async () => {
  const world = await appliedTo({
    'a.yaml': stack('a', 'runtime: "4"', 'lifecycle: {onRemove: orphan, ignore: [/spec/label]}\n'),
  });
  assert.equal(await changesOf(world, {}, allowing(0)), ['update Stack/a']);
  const { summary } = await apply(world, {}, allowing(0));
  assert.equal([summary.update, summary.delete], [1, 0]);
  const own = named(world, 'a');
  assert.equal(
    [own?.managedBy, own?.source, own?.lifecycle],
    ['api', undefined, { protect: false, onRemove: 'delete', ignore: [] }],
  );
  assert.equal(await changesOf(world, {}), [], 'it is nobody’s business any more');
});

actions('lets go of everything while the applied Platform does not prune', async () => {
  const platform = (prune: boolean) =>
    `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {prune: ${prune}}}\n`;
  const world = await appliedTo({ 'weir.yaml': platform(false), 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const { changes } = (await planOf(world, { 'weir.yaml': platform(true), 'b.yaml': stack('b') })).document;
  assert.equal(
    changes.map(({ action, address }) => `${action} ${address}`),
    ['update Platform/platform', 'update Stack/a'],
  );
  assert.equal(changes[1]?.fields, [{ path: '/status/managedBy', before: 'config', after: 'api' }]);
  await apply(world, { 'weir.yaml': platform(true), 'b.yaml': stack('b') });
  assert.equal(await changesOf(world, { 'weir.yaml': platform(true) }, allowing(1)), ['delete Stack/b']);
});

actions('never touches what the API made and no document declares', async () => {
  const world = await appliedTo({});
  await put(world, made('Stack', 'own', { runtime: '4' }));
  assert.equal(await changesOf(world, {}), []);
});

actions.run();

const renames = suite('a rename');

renames('keeps the object, and is done once though previousNames stay', async () => {
  const world = await appliedTo({ 'a.yaml': stack('old') });
  const id = named(world, 'old')?.id;
  assert.equal(await changesOf(world, { 'a.yaml': renamed('new', 'old') }), ['rename Stack/old → Stack/new']);
  await apply(world, { 'a.yaml': renamed('new', 'old') });
  assert.equal([named(world, 'new')?.id, named(world, 'new')?.firstName, named(world, 'old')], [id, 'old', undefined]);
  assert.equal(await changesOf(world, { 'a.yaml': renamed('new', 'old') }), []);
  assert.equal(await changesOf(world, { 'a.yaml': renamed('new', 'old'), 'b.yaml': stack('old') }), [
    'create Stack/old',
  ]);
  await apply(world, { 'a.yaml': renamed('newest', 'new', 'old') });
  assert.equal([named(world, 'newest')?.id, named(world, 'newest')?.firstName], [id, 'old']);
});

renames('that also edits counts once', async () => {
  const world = await appliedTo({ 'a.yaml': stack('old') });
  const { document } = await planOf(world, { 'a.yaml': renamed('new', 'old').replace('"4"', '"5"') });
  assert.equal([document.summary.rename, document.summary.update], [1, 0]);
  assert.equal(
    document.changes[0]?.fields.map(({ path }) => path),
    ['/metadata/name', '/spec/runtime'],
  );
});

renames('onto a name that something else holds is refused', async () => {
  const files = { 'a.yaml': stack('a'), 'b.yaml': stack('b') };
  const world = await appliedTo(files);
  assert.equal(await violationsOf(world, { 'b.yaml': renamed('b', 'a') }), [
    'b.yaml:2:37 duplicate-object Stack/b: cannot have been a, because Stack/b and Stack/a are both there: delete one of them in a revision of its own, or take a out of previousNames',
  ]);
  await put(world, made('Stack', 'own', { runtime: '4' }));
  assert.equal(await violationsOf(world, { 'b.yaml': stack('b'), 'own.yaml': renamed('own', 'a') }), [
    'own.yaml:2:39 duplicate-object Stack/own: cannot have been a, because Stack/own and Stack/a are both there: delete one of them in a revision of its own, or take a out of previousNames',
  ]);
});

renames('of what another document still declares is refused, of what was followed already is silent', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a') });
  const files = { 'a.yaml': stack('a'), 'c.yaml': renamed('c', 'a') };
  assert.equal(await violationsOf(world, files), [
    'c.yaml:2:37 duplicate-object Stack/c: cannot have been a, because a.yaml:2 still declares Stack/a: take a out of previousNames, or rename in a revision of its own',
  ]);
  await apply(world, { 'c.yaml': renamed('c', 'a') });
  await apply(world, files);
  assert.equal(await violationsOf(world, files), []);
  assert.equal((await planOf(world, files)).plan.planned, []);
  const more = { 'b.yaml': stack('b'), 'c.yaml': renamed('c', 'a', 'b') };
  await apply(world, { 'c.yaml': renamed('c', 'a'), 'b.yaml': stack('b') });
  assert.is((await violationsOf(world, more)).length, 1, 'what is added to them is not');
});

renames('cannot bring two objects together', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  assert.equal(await violationsOf(world, { 'c.yaml': renamed('c', 'a', 'b') }), [
    'c.yaml:2:40 duplicate-object Stack/c: cannot have been b, because it is Stack/a, and Stack/b is there too: take one of the two out of previousNames',
  ]);
});

renames('that others followed already says nothing where its object is deleted and made anew', async () => {
  const world = newWorld();
  const serve = async (files: Files, gone?: PlanMode['gone']) => {
    const mode = { serves: true, ...(gone ? { gone } : {}) };
    const prepared = await prepare(world.store, load(files), { ...world.options(), mode });
    await keep(world.store, prepared, record(world));
    return prepared.plan.planned;
  };
  const files = { 'a.yaml': stack('a'), 'b.yaml': renamed('b', 'a') };
  await serve({ 'a.yaml': stack('a') });
  await serve({ 'b.yaml': renamed('b', 'a') });
  await serve(files);
  await apply(world, { 'a.yaml': stack('a') });
  assert.is((await serve(files, ({ kind, name }) => `${kind}/${name}` === 'Stack/b')).length, 1);
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const [drifted, ...more] = await serve(files);
  assert.equal([drifted?.change.after?.previousNames, more], [['a'], []]);
  assert.equal(await serve(files), []);
});

renames('takes the first of its former names that is there', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a') });
  assert.equal(await changesOf(world, { 'c.yaml': renamed('c', 'never', 'a') }), ['rename Stack/a → Stack/c']);
});

renames('passes over former names that others have by now, in whatever order they stand', async () => {
  const world = await appliedTo({ 'a.yaml': stack('old') });
  await apply(world, { 'a.yaml': renamed('a', 'old') });
  await apply(world, { 'a.yaml': renamed('a', 'old'), 'old.yaml': stack('old') });
  const files = { 'c.yaml': renamed('c', 'old', 'a'), 'old.yaml': stack('old') };
  assert.equal(await changesOf(world, files), ['rename Stack/a → Stack/c']);
  await apply(world, files);
  assert.equal((await planOf(world, files)).plan.planned, []);
});

renames('can go in a line within one revision', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const [a, b] = [named(world, 'a')?.id, named(world, 'b')?.id];
  const files = { 'b.yaml': renamed('b', 'a'), 'c.yaml': renamed('c', 'b') };
  assert.equal((await changesOf(world, files)).sort(), ['rename Stack/a → Stack/b', 'rename Stack/b → Stack/c']);
  await apply(world, files);
  assert.equal([named(world, 'b')?.id, named(world, 'c')?.id], [a, b]);
  assert.equal(await changesOf(world, files), []);
});

renames('of a line of 3000 is found without looking at it again and again', async () => {
  const many = Array.from({ length: 3000 }, (_, at) => at);
  const world = newWorld();
  await put(
    world,
    ...many.map((at) =>
      made('Stack', `s${at}`, { runtime: '4' }, { managedBy: 'config', source: { file: 'a.yaml', line: 1 } }),
    ),
  );
  const files = Object.fromEntries(many.map((at) => [`${at}.yaml`, renamed(`s${at + 1}`, `s${at}`)]));
  const start = process.cpuUsage().user;
  const { document } = await planOf(world, files);
  assert.is(document.summary.rename, 3000);
  assert.ok(process.cpuUsage().user - start < 15_000_000);
});

renames('can change places within one revision, once, though previousNames stay', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a', 'runtime: "1"'), 'b.yaml': stack('b', 'runtime: "2"') });
  const [a, b] = [named(world, 'a')?.id, named(world, 'b')?.id];
  const files = {
    'a.yaml': stack('a', 'runtime: "2"', '', ', previousNames: [b]'),
    'b.yaml': stack('b', 'runtime: "1"', '', ', previousNames: [a]'),
  };
  assert.equal((await changesOf(world, files)).sort(), ['rename Stack/a → Stack/b', 'rename Stack/b → Stack/a']);
  await apply(world, files);
  assert.equal([named(world, 'b')?.id, named(world, 'a')?.id], [a, b]);
  assert.equal((await planOf(world, files)).plan.planned, []);
  const without = { 'a.yaml': stack('a', 'runtime: "2"'), 'b.yaml': stack('b', 'runtime: "1"') };
  assert.equal(await changesOf(world, without), []);
  await apply(world, without);
  await apply(world, { 'a.yaml': renamed('a', 'b'), 'b.yaml': renamed('b', 'a') });
  assert.equal([named(world, 'a')?.id, named(world, 'b')?.id], [a, b], 'and again, once they were taken out');
});

renames('can go round in a circle, of which some was said before', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a'), 'b.yaml': stack('b'), 'c.yaml': stack('old') });
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b'), 'c.yaml': renamed('c', 'old') });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => named(world, name)?.id);
  const files = { 'a.yaml': renamed('a', 'c'), 'b.yaml': renamed('b', 'a'), 'c.yaml': renamed('c', 'old', 'b') };
  await apply(world, files);
  assert.equal(
    ['b', 'c', 'a'].map((name) => named(world, name)?.id),
    [a, b, c],
  );
  assert.equal((await planOf(world, files)).plan.planned, []);
});

renames('in a circle that stands since an older Weir applied it is none', async () => {
  const world = newWorld();
  const source = { file: 'a.yaml', line: 1 };
  await put(world, ...['a', 'b'].map((name) => made('Stack', name, { runtime: '4' }, { managedBy: 'config', source })));
  const files = { 'a.yaml': renamed('a', 'b'), 'b.yaml': renamed('b', 'a') };
  assert.equal((await changesOf(world, files)).slice(1), []);
  await apply(world, files);
  assert.equal(named(world, 'a')?.previousNames, ['b']);
});

renames('leaves what a document says as it is, where that needs no change', async () => {
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a]}\n';
  const world = await appliedTo({ 'a.yaml': stack('a'), 'c.yaml': stack('c'), 't.yaml': type });
  const files = { 'a.yaml': renamed('a', 'c'), 'b.yaml': renamed('b', 'a'), 't.yaml': type };
  assert.equal((await changesOf(world, files)).sort(), ['rename Stack/a → Stack/b', 'rename Stack/c → Stack/a']);
  await apply(world, files);
  assert.equal(world.store.read().named('InstanceType', 't')?.spec.stacks, ['a']);
  assert.equal((await planOf(world, files)).plan.planned, []);
});

renames('keeps what the API wrote into an item of a list, which has the new name too', async () => {
  const sizes = (name: string, more = '') => `kind: InstanceType\nmetadata: {name: ${name}${more}}\n`;
  const team = (item: string) =>
    `kind: TeamType\nmetadata: {name: team}\nlifecycle: {ignore: [/spec/instanceTypes/${item}/limit]}\nspec: {instanceTypes: [{name: ${item}}]}\n`;
  const world = await appliedTo({ 's.yaml': sizes('small'), 't.yaml': team('small') });
  const before = world.store.read().named('TeamType', 'team');
  const spec = { ...before?.spec, instanceTypes: [{ name: 'small', limit: 5 }] };
  await world.store.commit(
    () => ({ changes: [updated(before as DeclaredResource, { ...before, spec } as DeclaredResource)] }),
    { id: 'write' },
  );
  const files = { 's.yaml': sizes('tiny', ', previousNames: [small]'), 't.yaml': team('tiny') };
  await apply(world, files);
  const limits = () => world.store.read().named('TeamType', 'team')?.spec.instanceTypes;
  assert.equal(limits(), [{ name: 'tiny', limit: 5 }]);
  assert.equal((await planOf(world, files)).plan.planned, []);
  const stale = { ...files, 't.yaml': team('tiny').replace('/tiny/', '/small/') };
  const loaded = load(stale);
  assert.equal(loaded.findings.filter(({ rule }) => rule === 'references').map(told), [
    't.yaml:3:22 references TeamType/team: lifecycle.ignore[0] names /spec/instanceTypes/small/limit, which is /spec/instanceTypes/tiny/limit now: write the new name, because this holds only as long as its previous name is declared (did you mean /spec/instanceTypes/tiny/limit)',
  ]);
  assert.equal((await planOf(world, stale)).document.changes, []);
  await apply(world, stale);
  assert.equal(limits(), [{ name: 'tiny', limit: 5 }]);
});

renames('is followed where drift is left as it is, as far as the document does not say it', async () => {
  const world = newWorld();
  const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {drift: report}}\n';
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a]}\n';
  const serve = async (files: Files) => {
    const mode = { serves: true, leavesDrift: true };
    const prepared = await prepare(world.store, load({ 'weir.yaml': platform, ...files }), {
      ...world.options(),
      mode,
    });
    await keep(world.store, prepared, record(world));
    return [prepared.plan.planned.length, prepared.plan.left?.length ?? 0];
  };
  const stacks = () => world.store.read().named('InstanceType', 't')?.spec.stacks;
  const files = { 'a.yaml': stack('a'), 'x.yaml': stack('x'), 't.yaml': type };
  await serve(files);
  await apply(world, {
    'weir.yaml': platform,
    ...files,
    't.yaml': type.replace('[a]', '[a, x], defaultStack: x'),
  });
  assert.equal(await serve(files), [0, 1]);
  const renamedX = { ...files, 'x.yaml': renamed('y', 'x') };
  assert.equal(await serve(renamedX), [2, 1]);
  assert.equal(stacks(), ['a', 'y']);
  assert.equal(await serve(renamedX), [0, 1]);
});

renames('of one object by two documents is refused', () => {
  assert.equal(problemsIn({ 'a.yaml': renamed('a', 'old'), 'b.yaml': renamed('b', 'old') }).length, 1);
});

renames('is followed by what the API made, wherever it names the object', async () => {
  const world = await appliedTo({ 'a.yaml': stack('spec'), 'b.yaml': 'kind: InstanceType\nmetadata: {name: spec}\n' });
  await put(
    world,
    made('Stack', 'aa', { runtime: '4' }),
    made('Stack', 'next', { runtime: '4', replaces: 'spec' }),
    made('InstanceType', 'own', { stacks: ['spec', 'aa'], defaultStack: 'spec' }),
    made('TeamType', 'own', {
      instanceTypes: [
        { name: 'own', limit: 1 },
        { name: 'spec', limit: 2 },
      ],
    }),
  );
  const files = {
    'a.yaml': renamed('nr-4', 'spec'),
    'b.yaml': 'kind: InstanceType\nmetadata: {name: small, previousNames: [spec]}\n',
  };
  assert.equal(await changesOf(world, files), [
    'rename Stack/spec → Stack/nr-4',
    'update Stack/next',
    'rename InstanceType/spec → InstanceType/small',
    'update InstanceType/own',
    'update TeamType/own',
  ]);
  await apply(world, files);
  const view = world.store.read();
  assert.is(view.named('Stack', 'next')?.spec.replaces, 'nr-4');
  const own = view.named('InstanceType', 'own');
  assert.equal(
    [own?.spec.stacks, own?.spec.defaultStack, own?.managedBy, own?.generation],
    [['nr-4', 'aa'], 'nr-4', 'api', 2],
  );
  assert.equal(view.named('TeamType', 'own')?.spec.instanceTypes, [
    { name: 'own', limit: 1 },
    { name: 'small', limit: 2 },
  ]);
});

renames('in a line is followed object by object, not name by name', async () => {
  const world = await appliedTo({ 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  await put(world, made('InstanceType', 'own', { stacks: ['a', 'b'], defaultStack: 'b' }));
  await apply(world, { 'b.yaml': renamed('b', 'a'), 'c.yaml': renamed('c', 'b') });
  const own = world.store.read().named('InstanceType', 'own');
  assert.equal([own?.spec.stacks, own?.spec.defaultStack], [['b', 'c'], 'c']);
});

renames('is followed by what is let go in the same plan, and by fields left to the API', async () => {
  const type = (stacks: string, more = '') =>
    `kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [${stacks}]}\n${more}`;
  const orphan = await appliedTo({ 'a.yaml': stack('old'), 't.yaml': type('old', 'lifecycle: {onRemove: orphan}\n') });
  await apply(orphan, { 'a.yaml': renamed('new', 'old') }, allowing(0));
  assert.equal(orphan.store.read().named('InstanceType', 't')?.spec.stacks, ['new']);
  const ignoring = type('old', 'lifecycle: {ignore: [/spec/stacks]}\n');
  const world = await appliedTo({ 'a.yaml': stack('old'), 't.yaml': ignoring });
  await apply(world, { 'a.yaml': renamed('new', 'old'), 't.yaml': ignoring.replace('[old]', '[new]') });
  assert.equal(world.store.read().named('InstanceType', 't')?.spec.stacks, ['new']);
});

renames('is followed by what is adopted in the same plan', async () => {
  const world = await appliedTo({ 'a.yaml': stack('old') });
  await put(world, made('InstanceType', 't', { stacks: ['old'] }));
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [new]}\nlifecycle: {ignore: [/spec/stacks]}\n';
  const files = { 'a.yaml': renamed('new', 'old'), 't.yaml': type };
  const { document } = await planOf(world, files, adopting('InstanceType/t'));
  assert.equal([document.summary.rename, document.summary.adopt, document.summary.unchanged], [1, 1, 1]);
  await apply(world, files, adopting('InstanceType/t'));
  assert.equal(world.store.read().named('InstanceType', 't')?.spec.stacks, ['new']);
});

renames('of what the API made needs consent', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'old', { runtime: '4' }));
  assert.equal((await changesOf(world, { 'a.yaml': renamed('new', 'old') })).slice(1), [
    'blocked Stack/old → Stack/new',
  ]);
  assert.equal((await changesOf(world, { 'a.yaml': renamed('new', 'old') }, adopting('Stack/new'))).slice(1), [
    'adopt Stack/old → Stack/new',
  ]);
});

renames.run();

const order = suite('the order of a plan');

const tree = {
  'a/team.yaml': 'kind: TeamType\nmetadata: {name: team}\nspec: {instanceTypes: [{name: size}]}\n',
  'b/size.yaml': 'kind: InstanceType\nmetadata: {name: size}\nspec: {stacks: [s3, s1], defaultStack: s3}\n',
  'c/s.yaml': [stack('s3', 'runtime: "4", replaces: s2'), stack('s2', 'runtime: "4", replaces: s1'), stack('s1')].join(
    '---\n',
  ),
};

order('puts what others name first, and deletes the other way round', async () => {
  const made = [
    'create Platform/platform',
    'create Stack/s1',
    'create Stack/s2',
    'create Stack/s3',
    'create InstanceType/size',
    'create TeamType/team',
  ];
  assert.equal(await changesOf(newWorld(), tree), made);
  const world = await appliedTo(tree);
  assert.equal(await changesOf(world, {}, allowing(5)), [
    'delete TeamType/team',
    'delete InstanceType/size',
    'delete Stack/s3',
    'delete Stack/s2',
    'delete Stack/s1',
  ]);
});

order('of a line of 10 000 stacks is found in time', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [
      `${at}.yaml`,
      stack(`s${at}`, at === 9999 ? 'runtime: "4"' : `runtime: "4", replaces: s${at + 1}`),
    ]),
  );
  const { document } = await planOf(newWorld(), files);
  assert.equal([document.changes[1]?.address, document.changes.at(-1)?.address], ['Stack/s9999', 'Stack/s0']);
});

order.run();

const affected = suite('who is affected');

affected('are the teams and instances of what changes', async () => {
  const files = { ...tree, 't.yaml': 'kind: Template\nmetadata: {name: t}\n' };
  const world = await appliedTo(files);
  const view = world.store.read();
  const [team, size, s3, template] = [
    view.named('TeamType', 'team'),
    view.named('InstanceType', 'size'),
    view.named('Stack', 's3'),
    view.named('Template', 't'),
  ];
  const instance = (name: string) =>
    living('Instance', name, { team: 'Team-x', instanceType: size?.id, template: template?.id, stack: s3?.id });
  await put(
    world,
    living('Team', 'x', { displayName: 'X', type: team?.id }),
    living('Team', 'y', { displayName: 'Y', type: team?.id }),
    instance('i'),
    instance('j'),
    instance('k'),
  );
  const described = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll('spec: {', 'spec: {active: false, ')]),
  );
  const { document } = await planOf(world, {
    ...described,
    't.yaml': 'kind: Template\nmetadata: {name: t}\nspec: {active: false}\n',
  });
  const affects = Object.fromEntries(document.changes.map((change) => [change.address, change.affects]));
  assert.equal(affects, {
    'Stack/s1': {},
    'Stack/s2': {},
    'Stack/s3': { instances: 3 },
    'InstanceType/size': { instances: 3 },
    'TeamType/team': { teams: 2 },
    'Template/t': { instances: 3 },
  });
});

affected.run();
