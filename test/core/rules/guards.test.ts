// What guards against losing things: protection, the limit on deletions, emptied files, and folders that vanished.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleted, updated } from '../../../src/core/model/change.ts';
import {
  allowing,
  apply,
  type Files,
  living,
  made,
  newWorld,
  planOf,
  put,
  violationsOf,
  write,
} from '../../control/world.ts';

/** What to do, wherever it is refused: a server tells it to people who do not know its commands. */
const consent = (count: number) =>
  `if that is meant, consent with --allow-deletes ${count}; at a running server: "weir apply --server URL --token-file FILE --allow-deletes ${count}", or POST /api/v1/admin/config/reconcile {"allowDeletes":${count}}`;

const stack = (name: string, more = '') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n${more}`;
const stacks = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}.yaml`, stack(`s${at}`)]));
const platform = (reconcile: string) => `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: ${reconcile}}\n`;
/** Beside these the folder and the kind have something left. */
const kept: Files = { 'kept.yaml': stack('kept') };

const protection = suite('protected');

protection('keeps what it guards from being deleted, until it is lifted in an earlier revision', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'a.yaml': stack('a', 'lifecycle: {protect: true}\n') });
  assert.equal(await violationsOf(world, kept), [
    'protected Stack/a: cannot be deleted, because lifecycle.protect guards it: apply "protect: false" first, and delete it in a later revision',
  ]);
  assert.equal((await violationsOf(world, kept, allowing(1))).length, 1, 'consent to deletions is no consent to this');
  await apply(world, { ...kept, 'a.yaml': stack('a') });
  assert.equal(await violationsOf(world, kept), []);
});

protection('shows the deletion as one that is blocked', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'a.yaml': stack('a', 'lifecycle: {protect: true}\n') });
  const { document } = await planOf(world, kept);
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
  await apply(world, { ...kept, 'a.yaml': stack('a', 'lifecycle: {protect: true, onRemove: orphan}\n') });
  const renamed = stack('b', 'lifecycle: {protect: true}\n').replace('}', ', previousNames: [a]}');
  assert.equal(await violationsOf(world, { ...kept, 'a.yaml': renamed }), []);
  assert.equal(await violationsOf(world, kept), []);
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
  const eager = { 'weir.yaml': platform('{maxDeletes: {percent: 100}}') };
  await apply(world, { ...eager, ...stacks(15) });
  assert.equal(await violationsOf(world, stacks(5)), []);
  assert.equal(await violationsOf(world, stacks(4)), [
    `mass-delete Platform/platform: this plan cannot delete 11 of 16 declared objects (Stack/s4, Stack/s5, Stack/s6, Stack/s7, Stack/s8, Stack/s9, Stack/s10, Stack/s11, Stack/s12, Stack/s13, Stack/s14), because reconcile.maxDeletes.count is 10: ${consent(11)}`,
  ]);
  assert.equal(await violationsOf(world, stacks(4), allowing(11)), []);
  assert.equal(await violationsOf(world, stacks(4), allowing(12)), [
    'mass-delete Platform/platform: this plan cannot be applied, because it deletes 11 objects (Stack/s4, Stack/s5, Stack/s6, Stack/s7, Stack/s8, Stack/s9, Stack/s10, Stack/s11, Stack/s12, Stack/s13, Stack/s14) and 12 were consented to: look at the plan again',
  ]);
  assert.equal(
    (await violationsOf(world, { ...eager, ...stacks(15) }, allowing(1))).length,
    1,
    'nothing is deleted, and 1 was consented to',
  );
});

massDelete('names what would go, in order, and no more than twenty', async () => {
  const world = newWorld();
  await apply(world, stacks(31));
  const { document } = await planOf(world, stacks(1));
  const [finding, ...others] = document.findings;
  assert.equal(others, []);
  const names = Array.from({ length: 20 }, (_, at) => `Stack/s${at + 1}`).join(', ');
  assert.ok(finding?.message.includes(`30 of 32 declared objects (${names} and 10 more), because`), finding?.message);
  assert.ok(document.changes.every(({ action, blockedBy }) => action === 'blocked' && blockedBy?.length === 1));
});

massDelete('counts a share once 5 objects are declared', async () => {
  const few = newWorld();
  await apply(few, stacks(3));
  assert.equal(await violationsOf(few, stacks(1)), [], '2 of 4');
  const five = newWorld();
  await apply(five, stacks(4));
  assert.equal(await violationsOf(five, stacks(3)), [], '1 of 5 is 20 per cent, and no more');
  assert.match(
    (await violationsOf(five, stacks(2))).join(),
    /cannot delete 2 of 5 declared objects \(.*\), because .*percent is 20/,
  );
  const many = newWorld();
  await apply(many, stacks(19));
  assert.equal(await violationsOf(many, stacks(15)), [], '4 of 20');
  assert.equal(await violationsOf(many, stacks(14)), [
    `mass-delete Platform/platform: this plan cannot delete 5 of 20 declared objects (Stack/s14, Stack/s15, Stack/s16, Stack/s17, Stack/s18), because reconcile.maxDeletes.percent is 20: ${consent(5)}`,
  ]);
});

massDelete('counts what documents declare, and not what the API made', async () => {
  const world = newWorld();
  await apply(world, stacks(3));
  await put(world, ...Array.from({ length: 30 }, (_, at) => made('Stack', `own${at}`, { runtime: '4' })));
  assert.equal(await violationsOf(world, stacks(1)), [], '2 of 4: too few for a share');
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
      `mass-delete Platform/platform: this plan cannot delete 1 of 12 declared objects (Stack/s9), because reconcile.maxDeletes.count is 0: ${consent(1)}`,
    ],
  );
});

massDelete('reads its limits from what was applied, never from the tree that it guards against', async () => {
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('{maxDeletes: {count: 2}}'), ...stacks(5) });
  const generous = { 'weir.yaml': platform('{maxDeletes: {count: 100, percent: 100}}') };
  assert.match((await violationsOf(world, generous))[0] ?? '', /maxDeletes.count is 2: .*--allow-deletes 5;/);
  await apply(world, { ...generous, ...stacks(5) });
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{maxDeletes: {count: 0}}'), ...stacks(1) }), []);
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
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{prune: false}'), ...stacks(1) }), []);
  const own = made('Stack', 'own', { runtime: '4' });
  await put(world, own);
  assert.equal(await write(world, () => [deleted(own)]), []);
});

massDelete.run();

const emptied = suite('emptied-file');

emptied('deletes nothing, though nothing else stands in the way', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'a.yaml': stack('a') });
  const refusal =
    'a.yaml:1:1 emptied-file Stack/a: cannot be deleted by emptying a.yaml, because a half-written file looks the same: delete the file instead';
  for (const empty of ['', '# nothing left\n', '---\n', '\n\n'])
    assert.equal(await violationsOf(world, { ...kept, 'a.yaml': empty }), [refusal], empty);
  assert.equal(await violationsOf(world, kept), [], 'deleting the file deletes');
  assert.equal(
    await violationsOf(world, { 'a.yaml': '' }, allowing(2)),
    [refusal],
    'consent to deletions is no consent to this',
  );
});

emptied('is no matter where its objects moved to another file', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'a.yaml': stack('a') });
  assert.equal(await violationsOf(world, { ...kept, 'a.yaml': '', 'b.yaml': stack('a') }), []);
  const { summary } = await apply(world, { ...kept, 'a.yaml': '', 'b.yaml': stack('a') });
  assert.is(summary.unchanged, 3);
  assert.equal(await violationsOf(world, { ...kept, 'a.yaml': '' }), [], 'it declares nothing since');
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

const vanishing = suite('vanished');

const template = (name: string) => `kind: Template\nmetadata: {name: ${name}}\n`;
const refusal = (what: string, because: string, count: number) =>
  `vanished Platform/platform: this plan cannot ${what} because ${because}: ${consent(count)}`;
const notMounted = 'a folder that is not mounted looks the same';
const partMissing = 'a tree of which a part is missing looks the same';

vanishing(
  'refuses the loss of all documents of a folder, whatever their number, without the exact number',
  async () => {
    const world = newWorld();
    const more: Files = { 'more/a.yaml': stack('a'), 'more/b.yaml': `${stack('b')}---\n${stack('c')}` };
    await apply(world, { ...kept, ...stacks(20), ...more });
    assert.equal(await violationsOf(world, { ...kept, ...stacks(20) }), [
      refusal('delete all 3 objects of the folder more (Stack/a, Stack/b, Stack/c),', notMounted, 3),
    ]);
    assert.equal(await violationsOf(world, { ...kept, ...stacks(20) }, allowing(3)), []);
    assert.match(
      (await violationsOf(world, { ...kept, ...stacks(20) }, allowing(2))).join(),
      /^mass-delete .* deletes 3 objects \(.*\) and 2 were/,
    );
    for (const file of Object.keys(more)) {
      const { [file]: _, ...rest } = more;
      assert.equal(
        await violationsOf(world, { ...kept, ...stacks(20), ...rest }),
        [],
        `${file} is gone, and the folder has another`,
      );
    }
  },
);

vanishing('takes a folder with one file for a folder, and the root folder too', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a'), 'x/b.yaml': stack('b'), 'y/c.yaml': stack('c') });
  assert.equal(await violationsOf(world, { 'a.yaml': stack('a'), 'y/c.yaml': stack('c') }), [
    refusal('delete Stack/b, the only object of the folder x,', notMounted, 1),
  ]);
  assert.equal(await violationsOf(world, { 'x/b.yaml': stack('b'), 'y/c.yaml': stack('c') }), [
    refusal('delete Stack/a, the only object of the root folder,', notMounted, 1),
  ]);
});

vanishing('tells of folders in one another once, and of others one by one', async () => {
  const world = newWorld();
  const lost = { 'x/a.yaml': stack('a'), 'x/y/b.yaml': stack('b'), 'x/y/z/c.yaml': stack('c'), 'w/d.yaml': stack('d') };
  await apply(world, { ...kept, ...lost, ...stacks(19), 'v/w/e.yaml': stack('e'), 'v/f.yaml': stack('f') });
  assert.equal(await violationsOf(world, { ...kept, ...stacks(19), 'v/f.yaml': stack('f') }), [
    refusal('delete all 3 objects of the folder x (Stack/a, Stack/b, Stack/c),', notMounted, 5),
    refusal('delete Stack/d, the only object of the folder w,', notMounted, 5),
    refusal('delete Stack/e, the only object of the folder v/w,', notMounted, 5),
  ]);
});

vanishing('refuses the loss of the last objects of a kind, wherever they stood', async () => {
  const world = newWorld();
  const settings = 'kind: AdminSettings\nmetadata: {name: default}\n';
  await apply(world, {
    ...kept,
    ...stacks(9),
    'a.yaml': template('a'),
    'x/b.yaml': template('b'),
    'x/c.yaml': settings,
  });
  assert.equal(
    await violationsOf(world, { ...kept, ...stacks(9), 'x/b.yaml': template('b'), 'x/c.yaml': settings }),
    [],
  );
  assert.equal(await violationsOf(world, { ...kept, ...stacks(9), 'x/c.yaml': settings }), [
    refusal('delete the last 2 objects of kind Template (Template/a, Template/b),', partMissing, 2),
  ]);
  assert.equal(
    await violationsOf(world, { ...kept, ...stacks(9), 'a.yaml': template('a'), 'x/b.yaml': template('b') }),
    [refusal('delete AdminSettings/default, the last AdminSettings,', partMissing, 1)],
  );
  await put(world, made('Template', 'own'));
  assert.is(
    (await violationsOf(world, { ...kept, ...stacks(9), 'x/c.yaml': settings })).length,
    1,
    'made over the API, not declared',
  );
});

vanishing(
  'has nothing against files that moved, names that changed, and folders whose documents are others',
  async () => {
    const world = newWorld();
    const many = { ...kept, ...stacks(20) };
    await apply(world, { ...many, 'x/a.yaml': stack('a'), 'x/b.yaml': stack('b'), 'x/c.yaml': template('c') });
    const moved = { 'y/a.yaml': stack('a'), 'y/b.yaml': stack('b'), 'c.yaml': template('c') };
    assert.equal(await violationsOf(world, { ...many, ...moved }), []);
    assert.equal(
      await violationsOf(world, { ...many, 'y/a.yaml': stack('a'), 'c.yaml': template('c') }),
      [],
      'one was deleted on the way',
    );
    const renamed = stack('d').replace('}', ', previousNames: [a]}');
    assert.equal(
      await violationsOf(world, { ...many, 'd.yaml': renamed, 'x/c.yaml': template('c') }),
      [],
      'one of each stays',
    );
    assert.equal(await violationsOf(world, { ...many, 'x/n.yaml': template('n') }), [], 'the folder has others');
    await apply(world, { ...many, ...moved });
    assert.equal(
      await violationsOf(world, { ...many, 'c.yaml': template('c') }),
      [refusal('delete all 2 objects of the folder y (Stack/a, Stack/b),', notMounted, 2)],
      'where they stood last',
    );
  },
);

vanishing('refuses to let go of them, too', async () => {
  const world = newWorld();
  const orphan = stack('a', 'lifecycle: {onRemove: orphan}\n');
  await apply(world, { ...kept, 'x/a.yaml': orphan });
  const expected = refusal('let go of Stack/a, the only object of the folder x,', notMounted, 0);
  assert.equal(await violationsOf(world, kept), [expected]);
  assert.equal(await violationsOf(world, kept, allowing(0)), []);
  const { document } = await planOf(world, kept);
  assert.equal(
    document.changes.map(({ address, action }) => `${action} ${address}`),
    ['blocked Stack/a'],
  );
  const still = newWorld();
  const unpruned = { 'weir.yaml': platform('{prune: false}'), ...kept };
  await apply(still, { ...unpruned, 'x/a.yaml': stack('a') });
  assert.equal(await violationsOf(still, unpruned), [expected]);
});

vanishing('is left to emptied-file where a file is there, and empty', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'x/a.yaml': stack('a') });
  assert.match(
    (await violationsOf(world, { ...kept, 'x/a.yaml': '' })).join('\n'),
    /^x\/a\.yaml:1:1 emptied-file [^\n]*$/,
  );
});

vanishing('blocks the deletions and nothing else, and stands at no line of the tree', async () => {
  const world = newWorld();
  await apply(world, { ...kept, 'x/a.yaml': stack('a') });
  const { document } = await planOf(world, {
    'weir.yaml': platform('{pollSeconds: 5}'),
    ...kept,
    'n.yaml': stack('n'),
  });
  assert.equal(
    document.changes.map(({ address, action }) => `${action} ${address}`),
    ['update Platform/platform', 'create Stack/n', 'blocked Stack/a'],
  );
  assert.equal(
    document.findings.map(({ rule, source }) => [rule, source]),
    [['vanished', undefined]],
  );
});

vanishing('has nothing to do with the API', async () => {
  const world = newWorld();
  const own = made('Stack', 'own', { runtime: '4' });
  await put(world, own);
  assert.equal(await write(world, () => [deleted(own)]), []);
});

vanishing.run();
