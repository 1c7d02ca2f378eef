// Attempts: what is applied or refused, and the record that each leaves.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyLoaded, isOfCaller, type Occasion, type Workbench } from '../../src/control/attempt.ts';
import { BaseMoved, ConsentMistaken, PlanBlocked, SourceMoved, TreeInvalid } from '../../src/control/failures.ts';
import { historyEntry, lastAttempts } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { maxTries } from '../../src/control/reconcile.ts';
import { created, updated } from '../../src/core/model/change.ts';
import type { View } from '../../src/core/model/view.ts';
import type { AnyTransaction, Store } from '../../src/store/store.ts';
import { until } from '../support/until.ts';
import { type Files, facts, load, made, newWorld, put, type World } from './world.ts';

const stack = (name: string, spec = 'runtime: "4"') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;
const occasion: Occasion = { trigger: 'command', actor: { kind: 'config' } };

function benchOf(world: World): Workbench {
  const { newId } = world.context('config');
  const inventoryOf = createInventory();
  let time = 1000;
  return {
    store: world.store,
    facts: () => facts,
    now: () => world.context('config').now,
    newId,
    elapsed: () => (time += 7),
    inventoryOf,
    fingerprint: () => 'print',
  };
}

const attempt = (world: World, files: Files, more: Partial<Occasion> = {}) =>
  applyLoaded(benchOf(world), load(files), { ...occasion, ...more });

async function history(world: World) {
  return (await world.store.records({ stream: 'history', limit: 100 })).map(historyEntry);
}

const attempts = suite('an attempt');

attempts('applies a tree, and says so', async () => {
  const world = newWorld();
  const { entry, plan, failure } = await attempt(world, { 'a.yaml': stack('a') });
  assert.is(failure, undefined);
  assert.equal([entry.result, entry.trigger, entry.errors, entry.summary.create], ['applied', 'command', 0, 2]);
  assert.is(entry.revision, plan?.source.digest);
  assert.ok(entry.durationMs > 0);
  assert.equal(await history(world), [entry]);
  const again = await attempt(world, { 'a.yaml': stack('a') });
  assert.equal([again.entry.result, again.plan?.base.revision], ['unchanged', entry.revision]);
});

attempts('counts taking over an equal object as applied', async () => {
  const world = newWorld();
  await attempt(world, {});
  await put(world, made('Stack', 'a', { runtime: '4' }));
  const { entry } = await attempt(world, { 'a.yaml': stack('a') });
  assert.equal([entry.result, entry.summary.adopt], ['applied', 1]);
});

attempts('refuses a wrong tree whatever the state, and leaves a record', async () => {
  const world = newWorld();
  await attempt(world, { 'a.yaml': stack('a') });
  const { position } = world.store.read();
  const { entry, plan, failure } = await attempt(world, { 'a.yaml': stack('a', 'runtime: 4, lable: x') });
  assert.instance(failure, TreeInvalid);
  assert.equal([entry.result, entry.errors, plan, entry.findings.length], ['refused', 2, undefined, 2]);
  assert.is(world.store.read().named('Stack', 'a')?.spec.runtime, '4');
  assert.is.not(world.store.read().position, position, 'the record is kept');
  const { attempted, applied } = await lastAttempts(world.store);
  assert.equal([attempted?.result, applied?.result, (await history(world)).length], ['refused', 'applied', 2]);
});

attempts('refuses what rules of the state forbid, with the plan', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '5' }));
  const { entry, plan, failure } = await attempt(world, { 'a.yaml': stack('a') });
  assert.instance(failure, PlanBlocked);
  assert.equal(
    [entry.result, entry.summary.blocked, entry.summary.create, plan?.summary.blocked],
    ['refused', 1, 1, 1],
  );
  assert.is(world.store.read().count('Platform'), 0, 'all or nothing');
  const consents = { adopt: new Set(['Stack/a']) };
  assert.is((await attempt(world, { 'a.yaml': stack('a') }, { consents })).entry.result, 'applied');
});

attempts('refuses when the base that the caller saw has moved', async () => {
  const world = newWorld();
  const first = await attempt(world, { 'a.yaml': stack('a') });
  const base = { revision: first.entry.revision };
  assert.is((await attempt(world, { 'a.yaml': stack('a', 'runtime: "5"') }, { base })).entry.result, 'applied');
  const late = await attempt(world, { 'a.yaml': stack('a', 'runtime: "6"') }, { base });
  assert.instance(late.failure, BaseMoved);
  assert.equal([late.entry.result, late.entry.errors], ['refused', 0]);
  const digest = await attempt(world, {}, { base: { digest: 'f'.repeat(64) } });
  assert.instance(digest.failure, BaseMoved);
  assert.is((await history(world)).length, 2, 'it says nothing of the tree, so no record is kept');
  assert.is((await attempt(newWorld(), {}, { base: { revision: null } })).entry.result, 'applied');
});

attempts(
  'takes a wrong number of deletions for a mistake of the caller, where nothing else is in the way',
  async () => {
    const world = newWorld();
    const four = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.yaml`, stack(name)]));
    await attempt(world, four);
    const gone = { 'a.yaml': stack('a') };
    const wrong = { allowDeletes: 7, adopt: new Set<string>() };
    const mistaken = await attempt(world, gone, { consents: wrong });
    assert.instance(mistaken.failure, ConsentMistaken);
    assert.equal(mistaken.entry.result, 'refused');
    assert.is(isOfCaller(mistaken.failure), true);
    assert.is((await history(world)).length, 1, 'it says nothing of the tree, so no record is kept');
    // Who consented rightly, or to nothing, is not mistaken; nor is who would be refused all the same.
    await put(world, made('Stack', 'e', { runtime: '5' }));
    const both = await attempt(world, { ...gone, 'e.yaml': stack('e') }, { consents: wrong });
    assert.instance(both.failure, PlanBlocked);
    assert.not.instance(both.failure, ConsentMistaken);
    assert.equal(isOfCaller(both.failure), false);
    assert.is((await history(world)).length, 2);
    const nothing = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`${at}.yaml`, stack(`many-${at}`)]));
    await attempt(world, { ...four, ...nothing });
    const unasked = await attempt(world, gone);
    assert.instance(unasked.failure, PlanBlocked);
    assert.equal(new Set(unasked.entry.findings.map(({ rule }) => rule)), new Set(['mass-delete']));
    assert.not.instance(unasked.failure, ConsentMistaken);
  },
);

attempts('refuses where the tree is not the one that the caller saw, and leaves no record', async () => {
  const world = newWorld();
  const seen = load({ 'a.yaml': stack('a') }).source;
  const moved = await attempt(world, { 'a.yaml': stack('a', 'runtime: "5"') }, { source: seen });
  assert.instance(moved.failure, SourceMoved);
  assert.match((moved.failure as Error).message, `and not ${seen.digest.slice(0, 12)}, of which the plan was made`);
  assert.equal([isOfCaller(moved.failure), await history(world), world.store.read().count('Stack')], [true, [], 0]);
  assert.is((await attempt(world, { 'a.yaml': stack('a') }, { source: seen })).entry.result, 'applied');
});

attempts('says how long it took, by a clock that only goes forward', async () => {
  const world = newWorld();
  // Each look at the clock of this bench is seven milliseconds after the one before.
  const took = async (files: Files) => (await attempt(world, files)).entry.durationMs;
  assert.equal([await took({ 'a.yaml': stack('a') }), await took({ 'a.yaml': stack('a', 'runtime: 4') })], [7, 7]);
  assert.equal(
    (await history(world)).map(({ durationMs }) => durationMs),
    [7, 7],
  );
});

attempts('plans again when a writer was first', async () => {
  const world = newWorld();
  await attempt(world, {});
  const files = { 'a.yaml': stack('a') };
  const writes = Array.from({ length: 20 }, (_, at) =>
    world.store.commit(() => ({ changes: [created(made('Stack', `own${at}`, { runtime: '4' }))] }), { id: `w${at}` }),
  );
  const [{ entry }] = await Promise.all([attempt(world, files), ...writes]);
  assert.equal([entry.result, entry.summary.create], ['applied', 1]);
  assert.is(world.store.read().count('Stack'), 21);
});

/** Writes what a document leaves to the API again and again: as soon as one write is seen, the next is on its way. */
function neverStops({ store }: World, name: string): { readonly writes: () => number; stop(): void } {
  let writes = 0;
  const next = () => {
    const id = `busy-${writes++}`;
    store.commit(relabelling(name, id), { id }).catch(() => {});
  };
  const unsubscribe = store.subscribe(next);
  next();
  return { writes: () => writes, stop: unsubscribe };
}

const relabelling = (name: string, label: string) => (view: View) => {
  const before = view.named('Stack', name);
  return { changes: before ? [updated(before, { ...before, spec: { ...before.spec, label } })] : [] };
};

const shared = (runtime: string) =>
  stack('a', `runtime: "${runtime}"`).replace('spec', 'lifecycle: {ignore: [/spec/label]}\nspec');

attempts('ends though a writer changes all the time what it plans, and loses none of the writes', async () => {
  const world = newWorld();
  const others = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.yaml`, stack(`s${at}`)]));
  await attempt(world, { ...others, 'a.yaml': shared('4') });
  const writer = neverStops(world, 'a');
  const { entry, plan } = await attempt(world, { ...others, 'a.yaml': shared('5') });
  const during = writer.writes();
  await until('the writer goes on', () => writer.writes() > during + 3);
  writer.stop();
  assert.equal([entry.result, entry.summary.update], ['applied', 1]);
  assert.equal(
    plan?.changes.map(({ address }) => address),
    ['Stack/a'],
  );
  const { spec } = world.store.read().named('Stack', 'a') ?? {};
  assert.is(spec?.runtime, '5');
  assert.match(spec?.label ?? '', /^busy-/);
  assert.equal(
    (await history(world)).map(({ result }) => result),
    ['applied', 'applied'],
    'one record an attempt',
  );
});

attempts('plans three times at most beside a writer, and then while it waits', async () => {
  const world = newWorld();
  await attempt(world, { 'a.yaml': shared('4') });
  const bench = benchOf(world);
  let [plans, writes] = [0, 0];
  const write = () => {
    const id = `during-${writes++}`;
    world.store.commit(relabelling('a', id), { id }).catch(() => {});
  };
  const overtaken: Workbench = {
    ...bench,
    store: {
      ...world.store,
      commit: async (transaction: AnyTransaction<unknown>, options: { readonly id: string }) => {
        const receipt = await world.store.commit(transaction, options);
        write();
        return receipt;
      },
    } as Store,
    *inventoryOf(view) {
      plans++;
      const { position } = world.store.read();
      write();
      // In the transaction that others wait for, nothing comes of it.
      for (const over = performance.now() + 100; world.store.read().position === position && performance.now() < over; )
        yield;
      return yield* bench.inventoryOf(view);
    },
  };
  const { entry } = await applyLoaded(overtaken, load({ 'a.yaml': shared('5') }), occasion);
  assert.equal([entry.result, world.store.read().named('Stack', 'a')?.spec.runtime], ['applied', '5']);
  assert.is(plans, maxTries + 2, 'the store of a test evaluates each transaction twice');
  // One look at the clock before all, and one for both evaluations: what is kept is what was evaluated first.
  assert.is(entry.durationMs, 7);
});

attempts(
  'beside such a writer is refused and held back as ever, with a record where there is one to leave',
  async () => {
    const world = newWorld();
    await attempt(world, { 'a.yaml': shared('4'), 'b.yaml': stack('b'), 't.yaml': stack('t') });
    await put(world, made('InstanceType', 'own', { stacks: ['b'] }));
    const writer = neverStops(world, 'a');
    const refused = await attempt(world, { 'a.yaml': shared('5'), 't.yaml': stack('t') });
    const held = await attempt(
      world,
      { 'a.yaml': shared('5'), 'b.yaml': stack('b'), 't.yaml': stack('t') },
      { holds: true },
    );
    writer.stop();
    assert.instance(refused.failure, PlanBlocked);
    assert.equal([held.held, held.plan?.summary.update], [true, 1]);
    assert.equal(
      (await history(world)).map(({ result }) => result),
      ['refused', 'applied'],
    );
  },
);

attempts('lets everybody read while writers wait for it', async () => {
  const world = newWorld();
  const many = (runtime: string) =>
    Object.fromEntries(
      Array.from({ length: 1500 }, (_, at) => [`${at}.yaml`, stack(`s${at}`, `runtime: "${runtime}"`)]),
    );
  await attempt(world, { ...many('4'), 'a.yaml': shared('4') });
  const writer = neverStops(world, 'a');
  let [turns, going] = [0, true];
  const reader = (async () => {
    for (; going; turns++) await nextTurn();
  })();
  const { entry } = await attempt(world, { ...many('4'), 'a.yaml': shared('5') });
  going = false;
  writer.stop();
  await reader;
  assert.is(entry.result, 'applied');
  assert.ok(turns > 4, `the event loop came round ${turns} times`);
});

attempts('keeps who asked, and not more findings than a record should hold', async () => {
  const world = newWorld();
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`${at}.yaml`, stack(`s${at}`, 'runtime: 4')]),
  );
  const { entry } = await attempt(world, files, { trigger: 'api', actor: { kind: 'user', id: 'u1', name: 'ann' } });
  assert.equal([entry.actor, entry.trigger, entry.errors, entry.findings.length], ['ann', 'api', 300, 100]);
});

attempts.run();
