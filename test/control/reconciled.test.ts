// What was reconciled last: it is state, and outlives the history that tells of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyLoaded, type Occasion, type Workbench } from '../../src/control/attempt.ts';
import type { HistoryEntry } from '../../src/control/config-status.ts';
import { historyEntry, historyRecord, lastAttempts } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { startLoop } from '../../src/control/loop.ts';
import { recall } from '../../src/control/turn.ts';
import { deleted } from '../../src/core/model/change.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { type Files, facts, load } from './world.ts';

const stack = (name: string, spec = 'runtime: "4"') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;
const broken = (nth: number) => stack('a', `runtime: "4", lable: x${nth}`);

function benchOf(store: Store): Workbench {
  let ids = 0;
  const now = () => new Date().toISOString();
  const newId = () => `${process.hrtime.bigint()}-${ids++}`;
  const elapsed = () => performance.now();
  return { store, facts: () => facts, now, newId, elapsed, inventoryOf: createInventory(), fingerprint: () => 'print' };
}

/** A store on the disk that keeps no more history than it has to. */
function forgetful(folder: string): Promise<Store> {
  const retention = { history: { count: 3 }, audit: { days: 30 } } as const;
  return openStore(folder, { create: true, snapshotBytes: 1000, retention, onKeyMade: () => {} });
}

const attempt = (store: Store, files: Files, trigger: Occasion['trigger'] = 'watch') =>
  applyLoaded(benchOf(store), load(files), { trigger, actor: { kind: 'config' } });

const historyOf = async (store: Store) => (await store.records({ stream: 'history', limit: 1000 })).map(historyEntry);

async function refuseMany(store: Store): Promise<void> {
  for (let nth = 0; nth < 100; nth++) await attempt(store, { 'a.yaml': broken(nth) });
}

const kept = suite('what was reconciled last');

kept('is known when refused attempts have pushed it out of history: a start on the broken tree serves it', async () => {
  const { path } = temporaryFolder();
  const store = await forgetful(path);
  const { entry } = await attempt(store, { 'a.yaml': stack('a') });
  await refuseMany(store);
  await store.close();
  const again = await forgetful(path);
  assert.not(
    (await historyOf(again)).some(({ result }) => result !== 'refused'),
    'history has forgotten it',
  );
  const root = temporaryFolder().path;
  await writeFiles(root, { 'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n', 'a.yaml': broken(0) });
  const { loop, failure, hasGoodState } = await startLoop({ ...benchOf(again), root, log: () => {} });
  const status = await loop.status();
  await loop.close();
  assert.ok(failure);
  assert.is(hasGoodState, true);
  assert.equal([status.revision.applied, status.lastAppliedAt], [entry.revision, entry.at]);
  await again.close();
});

kept('tells what a server applied apart from what a command did since', async () => {
  const { path } = temporaryFolder();
  const store = await forgetful(path);
  const { entry: served } = await attempt(store, { 'a.yaml': stack('a') });
  await attempt(store, { 'a.yaml': stack('a'), 'b.yaml': stack('b') }, 'command');
  const { entry: byHand } = await attempt(store, { 'a.yaml': stack('a'), 'c.yaml': stack('c') }, 'command');
  await refuseMany(store);
  const attempts = await lastAttempts(store);
  assert.equal(attempts.served, served);
  assert.equal(attempts.applied, byHand);
  await store.close();
});

kept('is taken from history where an older version of Weir left it there alone', async () => {
  const { path } = temporaryFolder();
  const store = await forgetful(path);
  const { entry: served } = await attempt(store, { 'a.yaml': stack('a') });
  const { entry: applied } = await attempt(store, { 'b.yaml': stack('b'), 'a.yaml': stack('a') }, 'command');
  const forget = () => ({ changes: [...store.read().all('Reconciled')].map((one) => deleted(one)) });
  await store.commit(forget, { id: 'older' });
  assert.equal([(await lastAttempts(store)).applied, (await lastAttempts(store)).served], [applied, served]);
  await recall(benchOf(store));
  await refuseMany(store);
  assert.equal([(await lastAttempts(store)).applied, (await lastAttempts(store)).served], [applied, served]);
  await store.close();
});

kept('serves a declared state also where an older version has forgotten when it was applied', async () => {
  const { path } = temporaryFolder();
  const store = await forgetful(path);
  await attempt(store, { 'a.yaml': stack('a') });
  await store.commit(() => ({ changes: [...store.read().all('Reconciled')].map((one) => deleted(one)) }), {
    id: 'older',
  });
  await store.close();
  const older = await forgetful(path);
  const root = temporaryFolder().path;
  await writeFiles(root, { 'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n', 'a.yaml': broken(0) });
  const forgotten: Store = { ...older, records: async () => [] };
  const { loop, hasGoodState } = await startLoop({ ...benchOf(forgotten), root, log: () => {} });
  await loop.close();
  assert.is(hasGoodState, true);
  await older.close();
});

kept(
  'leaves one record of a refusal that comes again, and another for whoever asks, and for another outcome',
  async () => {
    const { path } = temporaryFolder();
    const store = await openStore(path, { create: true, onKeyMade: () => {} });
    const results = async () => (await historyOf(store)).map(({ trigger, result }) => `${trigger} ${result}`).reverse();
    await attempt(store, { 'a.yaml': broken(1) }, 'start');
    await attempt(store, { 'a.yaml': broken(1) }, 'watch');
    await attempt(store, { 'a.yaml': broken(1) }, 'poll');
    assert.equal(await results(), ['start refused']);
    await attempt(store, { 'a.yaml': broken(1) }, 'api');
    await attempt(store, { 'a.yaml': broken(2) }, 'api');
    await attempt(store, { 'a.yaml': stack('a') }, 'watch');
    await attempt(store, { 'a.yaml': broken(2) }, 'watch');
    assert.equal(await results(), ['start refused', 'api refused', 'api refused', 'watch applied', 'watch refused']);
    const [newest] = await historyOf(store);
    assert.ok(newest);
    const drifted: HistoryEntry = { ...newest, driftTotal: 3 };
    await store.commit(() => ({ changes: [], records: [historyRecord('drift', drifted)] }), { id: 'drift' });
    await attempt(store, { 'a.yaml': broken(2) }, 'watch');
    assert.is((await historyOf(store)).length, 7, 'what was found drifted is part of the outcome');
    await store.close();
  },
);

kept.run();
