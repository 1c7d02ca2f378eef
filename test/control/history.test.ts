// History forgets what is old; what is served, and what was tried last, is known however much was refused since.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HistoryEntry } from '../../src/control/config-status.ts';
import { historyEntry, historyRecord, keepHistory, lastAttempts, noteHistory } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Started, startLoop } from '../../src/control/loop.ts';
import { openStore } from '../../src/store/json-file.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 600}}\n';
const stack = 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4.1"}\n';

const forgetful = suite('a history that forgets');

/** A store whose history keeps three entries, with a snapshot at every turn, by which the older ones go. */
const open = (folder: string): Promise<Store> =>
  openStore(folder, {
    create: true,
    log: () => {},
    snapshotBytes: 1,
    retention: { history: { count: 3 }, audit: { days: 400 } },
  });

async function serve(root: string, store: Store): Promise<Started> {
  let ids = 0;
  return startLoop({
    root,
    store,
    facts: () => ({ drivers: new Map([['local', { provides: new Set() }]]), certificateProblem: () => undefined }),
    now: () => new Date().toISOString(),
    newId: () => `${process.hrtime.bigint()}-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: () => {},
  });
}

forgetful('knows what is served after more refused attempts than it keeps', async () => {
  const [tree, folder] = [temporaryFolder(), temporaryFolder()];
  await writeFiles(tree.path, { 'weir.yaml': platform, 'a.yaml': stack });
  let store = await open(folder.path);
  const first = await serve(tree.path, store);
  const good = (await first.loop.status()).revision.applied;
  await first.loop.close();
  await store.close();
  for (let nth = 0; nth < 12; nth += 1) {
    await writeFile(join(tree.path, 'a.yaml'), `${stack}  broken${nth}: x\n`);
    store = await open(folder.path);
    const { loop, hasGoodState, failure } = await serve(tree.path, store);
    assert.equal([hasGoodState, failure?.name], [true, 'TreeInvalid'], `attempt ${nth}`);
    const { revision, lastAppliedAt } = await loop.status();
    assert.is(revision.applied, good);
    assert.is.not(revision.attempted, good);
    assert.ok(lastAppliedAt);
    await loop.close();
    await store.close();
  }
  store = await open(folder.path);
  const kept = (await store.records({ stream: 'history', limit: 100 })).map(historyEntry);
  assert.ok(kept.length < 12 && kept.every(({ result }) => result === 'refused'), `${kept.length} entries`);
  await store.close();
  await Promise.all([tree.remove(), folder.remove()]);
});

const entry = (part: Partial<HistoryEntry>): HistoryEntry => ({
  revision: 'r1',
  trigger: 'watch',
  result: 'refused',
  at: '2026-11-21T10:00:00.000Z',
  durationMs: 3,
  summary: { create: 0, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 0, blocked: 0 },
  errors: 0,
  warnings: 0,
  findings: [],
  ...part,
});

forgetful('has one entry of an outcome that the server meets again and again', async () => {
  const store = openMemoryStore();
  const keep = (id: string, part: Partial<HistoryEntry>) => keepHistory(store, id, entry(part));
  await keep('1', {});
  await keep('2', { trigger: 'poll', at: '2026-11-21T10:05:00.000Z', durationMs: 9 });
  await keep('3', { trigger: 'start' });
  await keep('4', { trigger: 'api', actor: 'ann' });
  await keep('5', { trigger: 'api', actor: 'ann' });
  await keep('6', { revision: 'r2' });
  await keep('7', { revision: 'missing', missing: 'there is no tree' });
  await keep('8', { revision: 'missing', missing: 'there is no tree', trigger: 'poll' });
  await keep('9', { revision: 'r2' });
  const ids = (await store.records({ stream: 'history', limit: 100 })).map(({ id }) => id);
  assert.equal(ids, ['9', '7', '6', '5', '4', '1']);
});

forgetful('of an earlier version is noted once, and serves until then', async () => {
  const store = openMemoryStore();
  const old = [
    entry({ revision: 'served', result: 'applied', trigger: 'start' }),
    entry({ revision: 'by hand', result: 'applied', trigger: 'command' }),
    entry({ revision: 'refused' }),
    entry({ revision: 'missing', missing: 'gone' }),
  ];
  for (const [nth, one] of old.entries())
    await store.commit(() => ({ changes: [], records: [historyRecord(`${nth}`, one)] }), { id: `${nth}` });
  const revisions = async () => {
    const { attempted, applied, served, missing } = await lastAttempts(store);
    return [attempted?.revision, applied?.revision, served?.revision, missing];
  };
  assert.equal(await revisions(), ['refused', 'by hand', 'served', 'gone']);
  await noteHistory(store, () => 'note');
  assert.is(store.read().count('NewestAttempt'), 3);
  const { position } = store.read();
  await noteHistory(store, () => 'again');
  assert.is(store.read().position, position);
  assert.equal(await revisions(), ['refused', 'by hand', 'served', 'gone']);
});

forgetful.run();
