// A tree that was not applied for no fault of its own is applied by and by; callers share turns, and the end ends them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotPermitted, PlanBlocked } from '../../src/control/failures.ts';
import { historyEntry } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Loop, startLoop } from '../../src/control/loop.ts';
import type { ReconcileRequest } from '../../src/control/reconciler.ts';
import type { LoopOptions } from '../../src/control/turn.ts';
import { created, deleted, updated } from '../../src/core/model/change.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { NotKept, type Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { facts, made } from './world.ts';

const platform = (pollSeconds: number) =>
  `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: ${pollSeconds}}}\n`;
const stack = (name: string, label = name) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4.1", label: ${label}}\n`;

interface Scene {
  readonly loop: Loop;
  readonly root: string;
  readonly store: Store;
  readonly turns: string[];
  readonly logged: string[];
  readonly label: (name: string) => string | undefined;
  /** So many commits from now on are not kept. */
  fail(times: number): void;
  readonly results: () => Promise<string[]>;
}

async function scene(files: Record<string, string>, more: Partial<LoopOptions> = {}): Promise<Scene> {
  const root = temporaryFolder().path;
  await writeFiles(root, { 'weir.yaml': platform(600), ...files });
  const inner = openMemoryStore();
  let failures = 0;
  const commit: Store['commit'] = (transaction, options) =>
    failures-- > 0 ? Promise.reject(new NotKept('the disk is full')) : inner.commit(transaction, options);
  const store = { ...inner, commit };
  const turns: string[] = [];
  const logged: string[] = [];
  let ids = 0;
  const { loop } = await startLoop({
    root,
    store,
    facts: () => facts,
    now: () => new Date().toISOString(),
    newId: () => `${process.hrtime.bigint()}-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: (level, message) => logged.push(`${level}: ${message}`),
    onTurn: ({ trigger, result }) => turns.push(`${trigger} ${result}`),
    ...more,
  });
  const results = async () => {
    const records = await inner.records({ stream: 'history', limit: 100 });
    return records
      .map(historyEntry)
      .map(({ trigger, result }) => `${trigger} ${result}`)
      .reverse();
  };
  const label = (name: string) => inner.read().named('Stack', name)?.spec.label;
  return { loop, root, store: inner, turns, logged, label, fail: (times) => (failures = times), results };
}

const ann: ReconcileRequest = { actor: { kind: 'user', id: 'ann', name: 'ann' }, consents: noConsents };
const failed = (error: unknown) => error;

const again = suite('a turn that came to nothing for no fault of the tree');

again('is taken again when the store took nothing, without another edit', async () => {
  const { loop, root, label, fail, turns } = await scene({ 'a.yaml': stack('a') });
  fail(1);
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  await until('failed', () => turns.includes('watch failed'));
  assert.is(label('a'), 'a');
  await until('applied', () => label('a') === 'edited');
  assert.equal(turns.slice(-1), ['poll applied']);
  assert.is((await loop.status()).conditions.find(({ type }) => type === 'Ready')?.status, 'True');
  await delay(1500);
  assert.equal(turns.slice(-1), ['poll applied'], 'and then no more');
  await loop.close();
});

again('is taken again for what the watch has read when a caller meant the same, and that turn failed', async () => {
  const { loop, root, label, fail } = await scene({ 'a.yaml': stack('a') });
  fail(1);
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  const answer = await loop.reconcile(ann).catch(failed);
  if (answer instanceof Error) assert.instance(answer, NotKept);
  await until('applied', () => label('a') === 'edited');
  await loop.close();
});

again('leaves the reading to the watch where a caller came first and that turn failed', async () => {
  const { loop, root, label, fail, turns } = await scene({ 'a.yaml': stack('a') });
  // Who is first is up to the disk: until the caller was, and the watch applied it.
  for (let edit = 0, isTold = false; !isTold; edit++) {
    assert.ok(edit < 20, 'the caller was first at last, and the watch then');
    const begun = turns.length;
    fail(1);
    await writeFile(join(root, 'a.yaml'), stack('a', `edit-${edit}`));
    await loop.reconcile(ann).catch(failed);
    await until('applied', () => label('a') === `edit-${edit}`);
    // Where the machine is busy, the next try of the failed turn may come before the watch has read.
    isTold = turns[begun] === 'api failed' && turns[begun + 1] === 'watch applied';
  }
  await loop.close();
});

again('is taken again when the state that stood in the way moves, and leaves one record of the refusals', async () => {
  const { loop, root, store, label, results, logged } = await scene({ 'a.yaml': stack('a') });
  // Others made it: taking it over needs consent.
  await store.commit(() => ({ changes: [created(made('Stack', 'b', { runtime: '5' }))] }), { id: 'b' });
  await writeFile(join(root, 'b.yaml'), stack('b'));
  await until('refused', async () => (await results()).at(-1) === 'watch refused');
  await store.commit(
    (view) => {
      const before = view.named('Stack', 'b');
      assert.ok(before);
      return { changes: [updated(before, { ...before, spec: { ...before.spec, label: 'moved' } })] };
    },
    { id: 'moved' },
  );
  await until('refused again', () => logged.some((line) => line === 'debug: the tree was refused again'));
  await store.commit((view) => ({ changes: [deleted(view.named('Stack', 'b') ?? made('Stack', 'b'))] }), {
    id: 'gone',
  });
  await until('applied', () => label('b') === 'b');
  assert.equal(await results(), ['start applied', 'watch refused', 'poll applied']);
  assert.is(logged.filter((line) => line.startsWith('error: the tree was refused')).length, 1);
  await loop.close();
});

again('is taken again at each poll as long as the state moves, whatever moves in it', async () => {
  const { loop, root, store, turns } = await scene({ 'weir.yaml': platform(1), 'a.yaml': stack('a') });
  await store.commit(() => ({ changes: [created(made('Stack', 'b', { runtime: '5' }))] }), { id: 'b' });
  await writeFile(join(root, 'b.yaml'), stack('b'));
  await until('refused', () => turns.at(-1)?.endsWith(' refused') === true);
  const before = turns.length;
  await delay(1500);
  assert.is(turns.length, before, 'the same plan would come of the same state');
  await store.commit(() => ({ changes: [], records: [] }), { id: 'still' });
  await store.commit(
    () => ({ changes: [], records: [{ stream: 'audit', id: 'x', at: new Date().toISOString(), body: {} }] }),
    { id: 'moved' },
  );
  await until('planned again', () => turns.length > before);
  assert.is(turns.at(-1), 'poll refused');
  await loop.close();
});

again('takes up what a caller with consents of another plan has read', async () => {
  const { loop, root, store, results } = await scene({ 'a.yaml': stack('a'), 'c.yaml': stack('c') });
  await store.commit(() => ({ changes: [created(made('Stack', 'b', { runtime: '5' }))] }), { id: 'b' });
  await writeFile(join(root, 'b.yaml'), stack('b'));
  const consents = { allowDeletes: 7, adopt: new Set<string>() };
  assert.instance(await loop.reconcile({ ...ann, consents }).catch(failed), PlanBlocked);
  // What stands there is what the server finds by itself, and no word of seven deletions.
  await until('planned again', async () => {
    const { findings } = await loop.status();
    return findings.length > 0 && findings.every(({ rule }) => rule === 'needs-adopt');
  });
  assert.ok((await results()).length <= 4);
  assert.is(store.read().named('Stack', 'b')?.managedBy, 'api');
  await loop.close();
});

again.run();

const shared = suite('reconciles that many ask for');

shared('share one turn that begins after all of them have asked, and not one that is under way', async () => {
  const { loop, root, turns, label } = await scene({ 'a.yaml': stack('a') });
  const first = loop.reconcile(ann);
  await delay(5);
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  const before = turns.length;
  await Promise.all([first, ...Array.from({ length: 150 }, () => loop.reconcile({ ...ann }))]);
  assert.is(label('a'), 'edited');
  assert.ok(turns.slice(before).filter((one) => one.startsWith('api')).length <= 2, turns.join());
  await loop.close();
});

shared('differ where who asks, or what is consented to, does', async () => {
  const { loop, turns } = await scene({ 'a.yaml': stack('a') });
  const bob: ReconcileRequest = { ...ann, actor: { kind: 'user', id: 'bob', name: 'bob' } };
  const other = { ...ann, consents: { allowDeletes: 0, adopt: new Set<string>() } };
  const base = (await loop.plan()).base;
  const all = [ann, ann, bob, other, { ...ann, base }, { ...ann, source: { digest: 'another' } }];
  await Promise.all(all.map((one) => loop.reconcile(one).catch(failed)));
  assert.is(turns.filter((one) => one.startsWith('api')).length, 5);
  await loop.close();
});

shared('are denied to whoever may not, and to nobody else', async () => {
  const { loop, turns } = await scene({ 'a.yaml': stack('a') });
  const permit = () => {
    throw new Error('revoked');
  };
  const [good, bad, fine] = await Promise.all(
    [ann, { ...ann, permit }, { ...ann, permit: () => {} }].map((one) => loop.reconcile(one).catch(failed)),
  );
  assert.instance(bad, NotPermitted);
  assert.equal((bad as NotPermitted).cause, new Error('revoked'));
  assert.not.instance(good, Error);
  assert.not.instance(fine, Error);
  assert.instance(await loop.reconcile({ ...ann, permit }).catch(failed), NotPermitted);
  assert.equal(turns.filter((one) => one.startsWith('api')).length, 1);
  await loop.close();
});

shared('are answered at once when the loop is closed, and none begins after', async () => {
  const { loop, turns, store } = await scene({ 'a.yaml': stack('a') });
  const asked = Array.from({ length: 20 }, (_, at) =>
    loop.reconcile({ ...ann, actor: { kind: 'user', id: `u${at}` } }).catch(failed),
  );
  await delay(5);
  await loop.close();
  const taken = turns.length;
  await store.close();
  const answers = await Promise.all(asked);
  assert.ok(answers.filter((one) => one instanceof NotKept).length >= 19);
  assert.instance(await loop.reconcile(ann).catch(failed), NotKept);
  await delay(300);
  assert.is(turns.length, taken);
});

shared.run();
