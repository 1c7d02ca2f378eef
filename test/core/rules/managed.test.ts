// Whose an object is: what documents declare, and what was made through the API.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import type { DeclaredResource } from '../../../src/core/model/resource.ts';
import type { View } from '../../../src/core/model/view.ts';
import type { Consents } from '../../../src/core/rules/rule.ts';
import { apply, made, newWorld, planOf, put, violationsOf, write } from '../../control/world.ts';

const stack = (name: string, spec = 'runtime: "4"', more = '') =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n${more}`;
const adopting = (...adopt: string[]): Consents => ({ adopt: new Set(adopt) });

/** A proposal that alters the stack `a`. */
function editing(
  edit: (stack: DeclaredResource<'Stack'>) => Partial<DeclaredResource<'Stack'>>,
): (view: View) => Change[] {
  return (view) => {
    const before = view.named('Stack', 'a');
    return before ? [updated(before, { ...before, ...edit(before) })] : [];
  };
}

const managed = suite('config-managed');
const declared = 'because a.yaml:1 declares it: edit it there';

managed('refuses to change or delete through the API what a document declares, and says where', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const relabel = editing(({ spec }) => ({ spec: { ...spec, label: 'x' } }));
  assert.equal(await write(world, relabel), [
    `a.yaml:1:1 config-managed Stack/a: cannot be changed through the API, ${declared} (weir export Stack/a --with CHANGE.json shows how)`,
  ]);
  const remove = (view: View) => [...view.all('Stack')].map(deleted);
  assert.equal(await write(world, remove), [
    `a.yaml:1:1 config-managed Stack/a: cannot be deleted through the API, ${declared}`,
  ]);
  assert.equal(
    (
      await write(
        world,
        editing(() => ({ managedBy: 'api' })),
      )
    ).length,
    1,
  );
  assert.equal(
    (
      await write(
        world,
        editing(() => ({ name: 'b' })),
      )
    ).length,
    1,
  );
  assert.equal(
    (
      await write(
        world,
        editing(() => ({ lifecycle: { protect: true, onRemove: 'delete', ignore: [] } })),
      )
    ).length,
    1,
  );
});

managed('lets through the fields that the document leaves to the API, and no others with them', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'runtime: "4"', 'lifecycle: {ignore: [/spec/label, /spec/resources]}\n') });
  assert.equal(
    await write(
      world,
      editing(({ spec }) => ({ spec: { ...spec, label: 'x' } })),
    ),
    [],
  );
  assert.equal(
    await write(
      world,
      editing(({ spec }) => ({ spec: { ...spec, resources: { memoryMb: 64 } } })),
    ),
    [],
  );
  assert.equal(
    (
      await write(
        world,
        editing(({ spec }) => ({ spec: { ...spec, label: 'y', active: false } })),
      )
    ).length,
    1,
  );
  assert.equal(
    (
      await write(
        world,
        editing(({ spec }) => ({ labels: { a: 'b' }, spec: { ...spec, label: 'y' } })),
      )
    ).length,
    1,
  );
  const { document } = await planOf(world, {
    'a.yaml': stack('a', 'runtime: "4"', 'lifecycle: {ignore: [/spec/label, /spec/resources]}\n'),
  });
  assert.is(document.summary.unchanged, 2, 'the reconciler leaves them too');
  assert.is(world.store.read().named('Stack', 'a')?.spec.label, 'x');
});

managed('does not speak of what the API made, nor of what the reconciler does', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '4' }));
  assert.equal(
    await write(
      world,
      editing(({ spec }) => ({ spec: { ...spec, label: 'x' } })),
    ),
    [],
  );
  const other = newWorld();
  await apply(other, { 'a.yaml': stack('a') });
  assert.equal(await violationsOf(other, { 'a.yaml': stack('a', 'runtime: "5"') }), []);
});

managed('notices a label of any name', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  for (const key of ['constructor', 'toString', 'hasOwnProperty'])
    assert.equal(
      (
        await write(
          world,
          editing(() => ({ labels: { [key]: 'x' } })),
        )
      ).length,
      1,
      key,
    );
});

managed.run();

const adoption = suite('needs-adopt');

adoption('refuses a document that would change what the API made, and lists the fields', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '5', label: 'x' }));
  assert.equal(await violationsOf(world, { 'a.yaml': stack('a').replace('}', ', labels: {t: x}}') }), [
    'a.yaml:2:18 needs-adopt Stack/a: cannot be changed by its document, because it was made through the API (this would change label, runtime, labels): consent with --adopt Stack/a; at a running server: "weir apply --server URL --token-file FILE --adopt Stack/a", or POST /api/v1/admin/config/reconcile {"adopt":["Stack/a"]}',
  ]);
});

adoption('is silent for what is equal: who manages it is all that changes', async () => {
  const world = newWorld();
  await put(
    world,
    made('InstanceType', 'a', { stacks: ['y', 'x'], defaultStack: 'x' }),
    made('Stack', 'x', { runtime: '4' }),
    made('Stack', 'y', { runtime: '4' }),
  );
  const type = 'kind: InstanceType\nmetadata: {name: a}\nspec: {stacks: [x, y], active: true, defaultStack: x}\n';
  const files = { 'a.yaml': type, 'x.yaml': stack('x'), 'y.yaml': stack('y') };
  const document = await apply(world, files);
  assert.equal(document.summary, { create: 1, update: 0, delete: 0, rename: 0, adopt: 3, unchanged: 0, blocked: 0 });
  assert.equal(
    document.changes.map(({ address }) => address),
    ['Platform/platform'],
  );
  assert.equal(
    document.adopted?.map(({ address }) => address),
    ['Stack/x', 'Stack/y', 'InstanceType/a'],
  );
  const now = world.store.read().named('InstanceType', 'a');
  assert.equal([now?.managedBy, now?.generation, now?.id], ['config', 1, 'api-InstanceType-a']);
  assert.is((await planOf(world, files)).document.summary.unchanged, 4);
});

adoption('happens with consent, and counts as one', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '5' }));
  const files = { 'a.yaml': stack('a') };
  assert.equal((await violationsOf(world, files, adopting('Stack/b'))).length, 1);
  const { summary, changes } = await apply(world, files, adopting('Stack/a'));
  assert.equal([summary.adopt, summary.update, summary.blocked], [1, 0, 0]);
  assert.equal(
    changes.find(({ address }) => address === 'Stack/a')?.fields.map(({ path }) => path),
    ['/status/managedBy', '/spec/runtime'],
  );
  assert.is(world.store.read().named('Stack', 'a')?.managedBy, 'config');
});

adoption('is needed for an object that is called otherwise, by its new name', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'old', { runtime: '4' }));
  const files = { 'a.yaml': stack('a').replace('}', ', previousNames: [old]}') };
  assert.match(
    (await violationsOf(world, files))[0] ?? '',
    /\(this would change name\): consent with --adopt Stack\/a; /,
  );
  assert.equal(await violationsOf(world, files, adopting('Stack/a')), []);
});

adoption('is not needed for the first document of settings that nobody made', async () => {
  const files = { 'a.yaml': 'kind: AdminSettings\nmetadata: {name: default}\nspec: {userTeamCreation: true}\n' };
  assert.equal(await violationsOf(newWorld(), files), []);
  const world = newWorld();
  await put(world, made('AdminSettings', 'default', {}));
  assert.match((await violationsOf(world, files))[0] ?? '', /needs-adopt AdminSettings\/default/);
});

adoption('has nothing to do with what the API does', async () => {
  assert.equal(await write(newWorld(), () => [created(made('Stack', 'a', { runtime: '4' }))]), []);
});

adoption.run();
