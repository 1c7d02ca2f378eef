// What guards against losing things: protection, the limit on deletions, and emptied files.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleted, updated } from '../../../src/core/model/change.ts';
import type { Consents } from '../../../src/core/rules/rule.ts';
import { apply, type Files, living, made, newWorld, planOf, put, violationsOf, write } from '../../control/world.ts';

const stack = (name: string, more = '') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n${more}`;
const stacks = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}.yaml`, stack(`s${at}`)]));
const platform = (reconcile: string) => `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: ${reconcile}}\n`;
const allow = (allowDeletes: number): Consents => ({ allowDeletes, adopt: new Set() });

const protection = suite('protected');

protection('keeps what it guards from being deleted, until it is lifted in an earlier revision', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'lifecycle: {protect: true}\n') });
  assert.equal(await violationsOf(world, {}), [
    'protected Stack/a: cannot be deleted, because lifecycle.protect guards it: apply "protect: false" first, and delete it in a later revision',
  ]);
  assert.equal((await violationsOf(world, {}, allow(1))).length, 1, 'consent to deletions is no consent to this');
  await apply(world, { 'a.yaml': stack('a') });
  assert.equal(await violationsOf(world, {}), []);
});

protection('shows the deletion as one that is blocked', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'lifecycle: {protect: true}\n') });
  const { document } = await planOf(world, {});
  assert.equal(
    document.changes.map(({ address, action, fields }) => ({ address, action, fields })),
    [
      {
        address: 'Stack/a',
        action: 'blocked',
        fields: [
          { path: '/lifecycle/protect', before: true, after: null },
          { path: '/spec/runtime', before: '4', after: null },
        ],
      },
    ],
  );
});

protection('allows edits, renames, and being let go', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'lifecycle: {protect: true, onRemove: orphan}\n') });
  const renamed = stack('b', 'lifecycle: {protect: true}\n').replace('}', ', previousNames: [a]}');
  assert.equal(await violationsOf(world, { 'a.yaml': renamed }), []);
  assert.equal(await violationsOf(world, {}), []);
});

protection('holds through the API', async () => {
  const world = newWorld();
  const own = made('Stack', 'own', { runtime: '4' }, { lifecycle: { protect: true, onRemove: 'delete', ignore: [] } });
  await put(world, own);
  assert.match((await write(world, () => [deleted(own)]))[0] ?? '', /^protected Stack\/own: cannot be deleted/);
  const lifted = { ...own, lifecycle: { ...own.lifecycle, protect: false } };
  assert.equal(await write(world, () => [updated(own, lifted)]), []);
});

protection.run();

const massDelete = suite('mass-delete');

massDelete('lets a few go, and wants the exact number for more', async () => {
  const world = newWorld();
  await apply(world, stacks(15));
  assert.equal(await violationsOf(world, stacks(5)), []);
  assert.equal(await violationsOf(world, stacks(4)), [
    'mass-delete Platform/platform: this plan cannot delete 11 of 16 declared objects (Stack/s4, Stack/s5, Stack/s6, Stack/s7, Stack/s8, Stack/s9, Stack/s10, Stack/s11, Stack/s12, Stack/s13, Stack/s14), because reconcile.maxDeletes.count is 10: if that is meant, consent with --allow-deletes 11',
  ]);
  assert.equal(await violationsOf(world, stacks(4), allow(11)), []);
  assert.equal(await violationsOf(world, stacks(4), allow(12)), [
    'mass-delete Platform/platform: this plan cannot be applied, because it deletes 11 objects (Stack/s4, Stack/s5, Stack/s6, Stack/s7, Stack/s8, Stack/s9, Stack/s10, Stack/s11, Stack/s12, Stack/s13, Stack/s14) and 12 were consented to: look at the plan again',
  ]);
  assert.equal(
    (await violationsOf(world, stacks(15), allow(1))).length,
    1,
    'nothing is deleted, and 1 was consented to',
  );
});

massDelete('names what would go, in order, and no more than twenty', async () => {
  const world = newWorld();
  await apply(world, stacks(30));
  const { document } = await planOf(world, {});
  const [finding, ...others] = document.findings;
  assert.equal(others, []);
  const names = Array.from({ length: 20 }, (_, at) => `Stack/s${at}`).join(', ');
  assert.ok(finding?.message.includes(`30 of 31 declared objects (${names} and 10 more), because`), finding?.message);
  assert.ok(document.changes.every(({ action, blockedBy }) => action === 'blocked' && blockedBy?.length === 1));
});

massDelete('counts a share once 20 objects are declared', async () => {
  const few = newWorld();
  await apply(few, stacks(18));
  assert.equal(await violationsOf(few, stacks(9)), [], '9 of 19');
  const many = newWorld();
  await apply(many, stacks(19));
  assert.equal(await violationsOf(many, stacks(15)), [], '4 of 20');
  assert.equal(await violationsOf(many, stacks(14)), [
    'mass-delete Platform/platform: this plan cannot delete 5 of 20 declared objects (Stack/s14, Stack/s15, Stack/s16, Stack/s17, Stack/s18), because reconcile.maxDeletes.percent is 20: if that is meant, consent with --allow-deletes 5',
  ]);
});

massDelete('counts what documents declare, and not what the API made', async () => {
  const world = newWorld();
  await apply(world, stacks(10));
  await put(world, ...Array.from({ length: 30 }, (_, at) => made('Stack', `own${at}`, { runtime: '4' })));
  assert.equal(await violationsOf(world, stacks(0)), [], '10 of 11: too few for a share');
});

massDelete('counts no people, teams and instances, and nothing that follows from a change', async () => {
  const world = newWorld();
  const settings = (more: string) => `kind: AdminSettings\nmetadata: {name: default}\nspec: {${more}}\n`;
  const guarded = { 'weir.yaml': platform('{maxDeletes: {count: 0}}'), ...stacks(10) };
  await apply(world, { ...guarded, 'settings.yaml': settings('statisticsTokenAccess: true') });
  const people = Array.from({ length: 30 }, (_, at) => living('User', `u${at}`, { email: `u${at}@example.com` }));
  await put(world, ...people, living('StatisticsToken', 's', { hash: 'a'.repeat(64) }));
  await apply(world, { ...guarded, 'settings.yaml': settings('') });
  assert.is(world.store.read().count('StatisticsToken'), 0, 'it went, and was no deletion of the plan');
  assert.equal(
    await violationsOf(world, { 'weir.yaml': guarded['weir.yaml'], ...stacks(9), 'settings.yaml': settings('') }),
    [
      'mass-delete Platform/platform: this plan cannot delete 1 of 12 declared objects (Stack/s9), because reconcile.maxDeletes.count is 0: if that is meant, consent with --allow-deletes 1',
    ],
  );
});

massDelete('reads its limits from what was applied, never from the tree that it guards against', async () => {
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('{maxDeletes: {count: 2}}'), ...stacks(5) });
  const generous = { 'weir.yaml': platform('{maxDeletes: {count: 100, percent: 100}}') };
  assert.match((await violationsOf(world, generous))[0] ?? '', /maxDeletes.count is 2: .*--allow-deletes 5$/);
  await apply(world, { ...generous, ...stacks(5) });
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{maxDeletes: {count: 0}}') }), []);
});

massDelete('blocks the deletions and nothing else', async () => {
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('{maxDeletes: {count: 0}}'), ...stacks(2) });
  const { document } = await planOf(world, {
    'weir.yaml': platform('{maxDeletes: {count: 1}}'),
    's0.yaml': stack('s0'),
    'n.yaml': stack('n'),
  });
  assert.equal(
    document.changes.map(({ address, action }) => `${action} ${address}`),
    ['update Platform/platform', 'create Stack/n', 'blocked Stack/s1'],
  );
});

massDelete('does not count what is let go, and does not stop the API', async () => {
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('{prune: false, maxDeletes: {count: 0}}'), ...stacks(3) });
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{prune: false}') }), []);
  const own = made('Stack', 'own', { runtime: '4' });
  await put(world, own);
  assert.equal(await write(world, () => [deleted(own)]), []);
});

massDelete.run();

const emptied = suite('emptied-file');

emptied('deletes nothing, though nothing else stands in the way', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const refusal =
    'a.yaml:1:1 emptied-file Stack/a: cannot be deleted by emptying a.yaml, because a half-written file looks the same: delete the file instead';
  for (const empty of ['', '# nothing left\n', '---\n', '\n\n'])
    assert.equal(await violationsOf(world, { 'a.yaml': empty }), [refusal], empty);
  assert.equal(await violationsOf(world, {}), [], 'deleting the file deletes');
});

emptied('is no matter where its objects moved to another file', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  assert.equal(await violationsOf(world, { 'a.yaml': '', 'b.yaml': stack('a') }), []);
  const { summary } = await apply(world, { 'a.yaml': '', 'b.yaml': stack('a') });
  assert.is(summary.unchanged, 2);
  assert.equal(await violationsOf(world, { 'a.yaml': '' }), [], 'it declares nothing since');
});

emptied('does not let go of objects either', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'lifecycle: {onRemove: orphan}\n') });
  assert.equal(await violationsOf(world, { 'a.yaml': '' }), [
    'a.yaml:1:1 emptied-file Stack/a: cannot be let go by emptying a.yaml, because a half-written file looks the same: delete the file instead',
  ]);
});

emptied('has nothing to do with the API', async () => {
  const world = newWorld();
  const own = made('Stack', 'own', { runtime: '4' });
  await put(world, own);
  assert.equal(await write(world, () => [deleted(own)]), []);
});

emptied.run();
