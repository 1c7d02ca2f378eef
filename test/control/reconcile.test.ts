// Planning beside writers: what was planned is kept only as long as it still holds.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BaseMoved, PlanBlocked } from '../../src/control/failures.ts';
import { keep, prepare } from '../../src/control/reconcile.ts';
import { submit } from '../../src/control/submit.ts';
import { created, deleted, updated } from '../../src/core/model/change.ts';
import { createSlicer } from '../../src/lib/slice.ts';
import { Refused } from '../../src/store/store.ts';
import { allowing, apply, living, load, made, newWorld, planOf, put, record, type World, write } from './world.ts';

const stack = (name: string, spec = 'runtime: "4"') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;

/** How keeping ends. */
async function kept(world: World, prepared: Awaited<ReturnType<typeof planOf>>): Promise<string> {
  try {
    await keep(world.store, prepared, record(world));
    return 'kept';
  } catch (error) {
    if (error instanceof BaseMoved) return `moved: ${error.addresses.join(' ')}`;
    if (error instanceof Refused) return `refused: ${error.violations.map(({ rule }) => rule).join(' ')}`;
    if (error instanceof PlanBlocked) return 'blocked';
    throw error;
  }
}

const keeping = suite('keeping a plan');

keeping('is one commit with one record', async () => {
  const world = newWorld();
  const entries: string[][] = [];
  world.store.subscribe((entry) => entries.push(entry === 'reset' ? [] : entry.changes.map(({ kind }) => kind)));
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  assert.equal(entries, [['Platform', 'Stack', 'Stack', 'Reconciled']], 'and what was reconciled last is in it');
  assert.is((await world.store.records({ stream: 'history', limit: 10 })).length, 1);
});

keeping('refuses a plan that rules forbid, and changes nothing', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '5' }));
  const { position } = world.store.read();
  assert.is(await kept(world, await planOf(world, { 'a.yaml': stack('a') })), 'blocked');
  assert.is(world.store.read().position, position);
});

keeping('does not mind writes to other things', async () => {
  const world = newWorld();
  const prepared = await planOf(world, { 'a.yaml': stack('a') });
  await put(world, made('Stack', 'own', { runtime: '4' }), living('User', 'ann', { email: 'ann@b.example' }));
  assert.is(await kept(world, prepared), 'kept');
});

keeping('notices that an object of the plan moved', async () => {
  const world = newWorld();
  const own = made('Stack', 'a', { runtime: '4' });
  await put(world, own);
  const edited = await planOf(world, { 'a.yaml': stack('a') });
  await submit(
    world.door,
    () => [updated(own, { ...own, spec: { ...own.spec, label: 'x' }, generation: 2 })],
    world.context('api'),
  );
  assert.is(await kept(world, edited), 'moved: Stack/a');
});

keeping('notices that a name was taken, for something new and for a rename', async () => {
  const world = newWorld();
  await apply(world, { 'old.yaml': stack('old') });
  const made1 = await planOf(world, { 'old.yaml': stack('old'), 'a.yaml': stack('a') });
  const renamed = await planOf(world, { 'a.yaml': stack('a').replace('}', ', previousNames: [old]}') });
  await put(world, made('Stack', 'a', { runtime: '4' }));
  assert.is(await kept(world, made1), 'moved: Stack/a');
  assert.is(await kept(world, renamed), 'moved: Stack/a');
});

keeping('asks the rules again where somebody wrote in between', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const deletion = await planOf(world, {}, allowing(1));
  await put(world, made('InstanceType', 't', { stacks: ['a'] }));
  assert.is(await kept(world, deletion), 'refused: references');
  const rename = await planOf(world, { 'b.yaml': stack('b').replace('}', ', previousNames: [a]}') });
  await put(world, made('InstanceType', 'later', { stacks: ['a'] }));
  assert.is(await kept(world, rename), 'refused: references', 'who came later would name nothing');
  assert.ok(world.store.read().named('Stack', 'a'));
});

keeping('of two plans made from one state keeps one', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const [one, other] = [
    await planOf(world, { 'a.yaml': stack('a', 'runtime: "5"') }),
    await planOf(world, { 'a.yaml': stack('a', 'runtime: "6"') }),
  ];
  assert.equal(await Promise.all([kept(world, one), kept(world, other)]), ['kept', 'moved: Stack/a']);
  assert.is(world.store.read().named('Stack', 'a')?.spec.runtime, '5');
});

keeping.run();

const preparing = suite('planning beside writers');

preparing('begins again when declared objects change while it plans in slices', async () => {
  const world = newWorld();
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${at}.yaml`, stack(`s${at}`)]));
  await apply(world, files);
  const slicer = createSlicer(0);
  let writes = 0;
  const breathe = async () => {
    if (writes++ < 3) await put(world, made('InstanceType', `t${writes}`, { stacks: ['s1'] }));
    await slicer.breathe();
  };
  const loaded = load(Object.fromEntries(Object.entries(files).filter(([path]) => path !== '1.yaml')));
  const prepared = await prepare(world.store, loaded, { ...world.options(), slicer: { breathe, spent: () => true } });
  assert.is(prepared.position, world.store.read().position, 'made from the state as it is at the end');
  assert.match(
    prepared.document.findings[0]?.message ?? '',
    /because InstanceType\/t1, InstanceType\/t2, InstanceType\/t3 still name it/,
  );
});

preparing('ends though somebody writes all the time', async () => {
  const world = newWorld();
  let count = 0;
  let going = true;
  const writer = (async () => {
    while (going)
      await write(world, () => [created(made('Stack', `own${count}`, { runtime: '4' }, { id: `own${count++}` }))]);
  })();
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.yaml`, stack(`s${at}`)]));
  const prepared = await prepare(world.store, load(files), { ...world.options(), slicer: createSlicer(0) });
  going = false;
  await writer;
  assert.is(prepared.document.summary.create, 301);
});

preparing('shows the state that it was made from', async () => {
  const world = newWorld();
  const first = (await planOf(world, {})).document.base;
  assert.equal(first, { revision: null, digest: '0'.repeat(64) });
  await apply(world, { 'a.yaml': stack('a') });
  const second = (await planOf(world, {})).document.base;
  assert.is.not(second.digest, first.digest);
  const own = made('Stack', 'own', { runtime: '4' });
  await put(world, own);
  assert.is((await planOf(world, {})).document.base.digest, second.digest, 'what the API made is not declared');
  await write(world, () => [deleted(own)]);
});

preparing.run();
