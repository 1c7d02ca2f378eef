// Drift: what others changed while no server was looking is told apart from what the tree changed, reverted or left, and named with who did it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyLoaded } from '../../src/control/attempt.ts';
import { type Condition, type HistoryEntry, leftCount } from '../../src/control/config-status.ts';
import { driftIn } from '../../src/control/drift.ts';
import { historyEntry, historyRecord } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Loop, startLoop } from '../../src/control/loop.ts';
import { noteReconciled } from '../../src/control/reconciled.ts';
import { statusOfStore } from '../../src/control/status.ts';
import { loadTree } from '../../src/control/tree.ts';
import type { LoopOptions } from '../../src/control/turn.ts';
import { type Change, created } from '../../src/core/model/change.ts';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { load, made } from './world.ts';

const platform = (drift: 'revert' | 'report') =>
  `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 3600, drift: ${drift}}}\n`;
const stack = (name: string, label = name) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4.1", label: ${label}}\n`;

const tree = (drift: 'revert' | 'report' = 'revert') => ({
  'weir.yaml': platform(drift),
  'a.yaml': stack('a'),
  'b.yaml': stack('b'),
});

interface Scene {
  readonly store: Store;
  readonly root: string;
  readonly logged: string[];
  /** Applies another tree, as `weir apply` does while no server runs. */
  command(files: Record<string, string>): Promise<void>;
  /** Runs a server on the tree. */
  serve<T>(look: (loop: Loop) => Promise<T>): Promise<T>;
  labels(): Record<string, string | undefined>;
  later(minutes: number): void;
}

async function scene(files: Record<string, string>): Promise<Scene> {
  const store = openMemoryStore({ rehearse: true });
  const root = temporaryFolder().path;
  await writeFiles(root, files);
  const logged: string[] = [];
  let ids = 0;
  let now = Date.UTC(2026, 10, 21, 10);
  const facts = { drivers: new Map([['local', { provides: new Set<never>() }]]), certificateProblem: () => undefined };
  const options: LoopOptions = {
    root,
    store,
    facts: () => facts,
    now: () => new Date(now++).toISOString(),
    newId: () => `id-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: (level, message) => logged.push(`${level}: ${message}`),
  };
  return {
    store,
    root,
    logged,
    async command(others) {
      const folder = temporaryFolder().path;
      await writeFiles(folder, others);
      const loaded = await loadTree(folder, { facts, git: false });
      const actor = { kind: 'config', name: 'command' } as const;
      const attempt = await applyLoaded(options, loaded, { trigger: 'command', actor });
      if (attempt.failure) throw new Error(JSON.stringify(attempt.entry.findings), { cause: attempt.failure });
    },
    async serve(look) {
      const { loop } = await startLoop(options);
      try {
        return await look(loop);
      } finally {
        await loop.close();
      }
    },
    labels: () => Object.fromEntries([...store.read().all('Stack')].map(({ name, spec }) => [name, spec.label])),
    later: (minutes) => {
      now += minutes * 60_000;
    },
  };
}

async function driftedIn(loop: Loop): Promise<Condition> {
  const found = (await loop.status()).conditions.find(({ type }) => type === 'Drifted');
  if (!found) throw new Error('there is no condition Drifted');
  return found;
}

function causes({ changes }: PlanDocument): Record<string, string> {
  return Object.fromEntries(changes.map(({ address, action, cause }) => [`${action} ${address}`, `${cause}`]));
}

const nothing = async () => {};

/** A server has applied the tree; then somebody else applied one in which `a` is otherwise, `b` is missing, and `c` is new. */
async function drifted(drift: 'revert' | 'report'): Promise<Scene> {
  const made = await scene(tree(drift));
  await made.serve(nothing);
  await made.command({ 'weir.yaml': platform(drift), 'a.yaml': stack('a', 'otherwise'), 'c.yaml': stack('c') });
  assert.equal(made.labels(), { a: 'otherwise', c: 'c' });
  return made;
}

const reverting = suite('drift that is reverted');

reverting('is found at the next start, undone, and told with who made it', async () => {
  const { serve, labels, logged } = await drifted('revert');
  const condition = await serve(driftedIn);
  assert.equal(labels(), { a: 'a', b: 'b' });
  assert.is(`${condition.status} ${condition.reason}`, 'False Reverted');
  assert.match(condition.message, /^3 objects had been changed by others and were reverted: /);
  assert.match(
    condition.message,
    /Stack\/a \(label, by command at 2026-11-21T10:00:00\.\d+Z \(revision [0-9a-f]{12}\)\)/,
  );
  assert.match(condition.message, /Stack\/b \(deleted, by command at /);
  assert.match(condition.message, /Stack\/c \(made, by command at /);
  assert.ok(logged.some((line) => line.startsWith('warn: 3 objects had been changed by others and were reverted')));
});

reverting('is shown once: the next reconcile finds nothing', async () => {
  const { serve } = await drifted('revert');
  await serve(nothing);
  assert.is((await serve(driftedIn)).reason, 'AsApplied');
});

reverting('is not what the tree itself changed, whether a server ran meanwhile or not', async () => {
  const { serve, root, command, labels } = await scene(tree());
  await serve(nothing);
  await command({ ...tree(), 'b.yaml': stack('b', 'by command') });
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  await writeFile(join(root, 'd.yaml'), stack('d'));
  const condition = await serve(driftedIn);
  assert.match(condition.message, /^1 object had been changed by others and was reverted: Stack\/b \(label,/);
  assert.equal(labels(), { a: 'edited', b: 'b', d: 'd' });
});

reverting('is no drift where a document was changed as well: the document is then applied as it is now', async () => {
  const { serve, root, command, labels } = await scene(tree('report'));
  await serve(nothing);
  await command({ ...tree('report'), 'a.yaml': stack('a', 'by command') });
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  assert.is((await serve(driftedIn)).reason, 'AsApplied');
  assert.equal(labels(), { a: 'edited', b: 'b' });
});

reverting('is nothing that a command prepared for the first server', async () => {
  const { serve, command } = await scene(tree());
  await command({ ...tree(), 'a.yaml': stack('a', 'otherwise'), 'c.yaml': stack('c') });
  assert.is((await serve(driftedIn)).reason, 'AsApplied');
});

reverting('is nothing when the same tree was applied by a command', async () => {
  const { serve, root, command } = await scene(tree());
  await serve(nothing);
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  await command({ ...tree(), 'a.yaml': stack('a', 'edited') });
  assert.is((await serve(driftedIn)).reason, 'AsApplied');
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited again'));
  assert.is((await serve(driftedIn)).reason, 'AsApplied');
});

reverting('undoes a rename by others as a rename, so that nothing is lost', async () => {
  const { serve, command, store, labels } = await scene(tree());
  await serve(nothing);
  const id = store.read().named('Stack', 'a')?.id;
  const z = 'kind: Stack\nmetadata: {name: z, previousNames: [a]}\nspec: {runtime: "4.1", label: z}\n';
  await command({ 'weir.yaml': platform('revert'), 'b.yaml': stack('b'), 'z.yaml': z });
  assert.is(store.read().named('Stack', 'z')?.id, id);
  const condition = await serve(driftedIn);
  assert.match(
    condition.message,
    /^1 object had been changed by others and was reverted: Stack\/a \(renamed, by command/,
  );
  assert.equal(labels(), { a: 'a', b: 'b' });
  assert.is(store.read().named('Stack', 'a')?.id, id);
});

reverting('again and again is a fight, and is said so until it has been quiet for an hour', async () => {
  const { serve, command, later, logged } = await scene(tree());
  await serve(nothing);
  const once = async () => {
    await command({ ...tree(), 'a.yaml': stack('a', 'mine') });
    later(5);
    return serve(driftedIn);
  };
  assert.is((await once()).reason, 'Reverted');
  assert.is((await once()).reason, 'Reverted');
  const third = await once();
  assert.is(`${third.status} ${third.reason}`, 'True Fighting');
  assert.match(
    third.message,
    /somebody else keeps changing what the tree declares: Stack\/a \(.*\), 3 times within an hour/,
  );
  assert.ok(logged.some((line) => line.includes('keeps changing')));
  later(120);
  assert.is((await once()).reason, 'Reverted');
});

reverting.run();

const reporting = suite('drift that is reported');

reporting('is left as it is, over restarts, and stays told', async () => {
  const { serve, labels, store } = await drifted('report');
  for (let restart = 0; restart < 3; restart++) {
    const condition = await serve(driftedIn);
    assert.is(`${condition.status} ${condition.reason}`, 'True Left');
    assert.match(condition.message, /^3 objects had been changed by others and were left so: /);
    const { conditions } = await statusOfStore(store, createInventory());
    assert.match(
      conditions.find(({ type }) => type === 'Ready')?.message ?? '',
      / wants, but for 3 objects that drifted$/,
    );
    assert.equal(labels(), { a: 'otherwise', c: 'c' });
  }
  const offline = await statusOfStore(store, createInventory());
  assert.is(offline.conditions.find(({ type }) => type === 'Drifted')?.reason, 'Left');
});

reporting('does not keep what the tree changes from being applied', async () => {
  const { serve, labels, root } = await drifted('report');
  await serve(nothing);
  await writeFile(join(root, 'd.yaml'), stack('d'));
  await serve(nothing);
  assert.equal(labels(), { a: 'otherwise', c: 'c', d: 'd' });
  await writeFile(join(root, 'a.yaml'), stack('a', 'edited'));
  const condition = await serve(driftedIn);
  assert.equal(labels(), { a: 'edited', c: 'c', d: 'd' });
  assert.match(condition.message, /^2 objects had/);
});

reporting('shows in the plan of the server as drift, beside what the tree changes', async () => {
  const { serve, root } = await drifted('report');
  await serve(async (loop) => {
    await writeFile(join(root, 'd.yaml'), stack('d'));
    assert.equal(causes(await loop.plan()), {
      'update Stack/a': 'drift',
      'create Stack/b': 'drift',
      'delete Stack/c': 'drift',
      'create Stack/d': 'source',
    });
  });
});

reporting('is reverted when somebody asks for a reconcile', async () => {
  const { serve, labels } = await drifted('report');
  await serve(async (loop) => {
    await loop.reconcile({ consents: noConsents, actor: { kind: 'user', id: 'ann', name: 'ann' } });
    assert.is((await driftedIn(loop)).reason, 'Reverted');
  });
  assert.equal(labels(), { a: 'a', b: 'b' });
});

reporting('ends when the tree says that it is to be reverted', async () => {
  const { serve, labels, root } = await drifted('report');
  await serve(nothing);
  await writeFile(join(root, 'weir.yaml'), platform('revert'));
  assert.is((await serve(driftedIn)).reason, 'Reverted');
  assert.equal(labels(), { a: 'a', b: 'b' });
});

reporting('is remembered while the tree itself is wrong', async () => {
  const { serve, root } = await drifted('report');
  await serve(nothing);
  await writeFile(join(root, 'a.yaml'), 'kind: Stack\nspec: [');
  assert.is((await serve(driftedIn)).status, 'True');
});

reporting.run();

const much = suite('much drift at once');

const many = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);

/** A tree with so many stacks, whose platform lets all but nothing of them be deleted without consent. */
function wide(names: readonly string[], drift: 'revert' | 'report'): Record<string, string> {
  const reconcile = `settleMs: 50, pollSeconds: 3600, drift: ${drift}, maxDeletes: {count: 10000, percent: 100}`;
  return {
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {${reconcile}}}\n`,
    ...(names.length > 0 ? { 'all.yaml': names.map((name) => stack(name)).join('---\n') } : {}),
    'kept.yaml': stack('kept'),
  };
}

async function newest(store: Store): Promise<HistoryEntry> {
  const [record] = await store.records({ stream: 'history', limit: 1 });
  if (!record) throw new Error('there is no history');
  return historyEntry(record);
}

for (const drift of ['revert', 'report'] as const)
  much(`is told by its first hundred objects and their number, in history and elsewhere (${drift})`, async () => {
    const { serve, command, store } = await scene(wide(many(250), drift));
    await serve(nothing);
    await command(wide([], drift));
    const condition = await serve(driftedIn);
    assert.match(condition.message, /^250 objects had been changed by others and were /);
    assert.match(condition.message, /; and 245 more$/);
    const entry = await newest(store);
    assert.equal([entry.drift?.length, entry.driftTotal, leftCount(entry)], [100, 250, drift === 'report' ? 250 : 0]);
    assert.ok(JSON.stringify(entry).length < 25_000, `an entry of ${JSON.stringify(entry).length} characters`);
  });

much('that is left stays left, start after start, and is no reason to leave what documents say anew', async () => {
  const { serve, command, root, labels } = await scene(wide(many(250), 'report'));
  await serve(nothing);
  await command(wide([], 'report'));
  for (let times = 0; times < 3; times += 1)
    assert.match((await serve(driftedIn)).message, /^250 objects .* were left so/);
  assert.equal(labels(), { kept: 'kept' });
  await writeFile(join(root, 'new.yaml'), stack('new'));
  const files = wide(many(249), 'report');
  await writeFile(join(root, 'all.yaml'), `${files['all.yaml']}---\n${stack('s249', 'edited')}`);
  assert.match((await serve(driftedIn)).message, /^249 objects .* were left so/);
  assert.equal(labels(), { kept: 'kept', new: 'new', s249: 'edited' });
});

much('of more than an entry can remember is left too: nothing is made unasked, until somebody asks', async () => {
  const { store, serve, root, labels } = await scene(tree('report'));
  await serve(nothing);
  await writeFile(join(root, 'c.yaml'), stack('c'));
  const entry = { ...(await newest(store)), gone: 'all' as const };
  const record = historyRecord('overfull', entry);
  await store.commit((view) => ({ changes: noteReconciled(view, record), records: [record] }), { id: 'overfull' });
  await serve(async (loop) => {
    assert.match((await driftedIn(loop)).message, /^1 object had been changed by others and was left so: Stack\/c /);
    await loop.reconcile({ actor: { kind: 'user', id: 'ann' }, consents: noConsents });
  });
  assert.equal(labels(), { a: 'a', b: 'b', c: 'c' });
});

much('is remembered as far as an entry can hold it', async () => {
  const store = openMemoryStore({ rehearse: true });
  const world = (count: number, action: 'create' | 'update' = 'create') => {
    const { desired } = load({
      'all.yaml': many(count)
        .map((name) => stack(name))
        .join('---\n'),
    }).desired;
    const left = [...desired.values()].map((wanted) => ({
      ...{ action, quiet: false, desired: wanted, cause: 'drift' as const },
      change: created(made('Stack', wanted.name, { runtime: '4' })) as Change<'Stack'>,
    }));
    return driftIn(store, { planned: [], unchanged: 0, left: left.slice(-count) }, '2026-11-21T10:00:00.000Z');
  };
  const most = await world(10_100);
  assert.equal([most.drift?.length, most.driftTotal], [100, 10_100]);
  assert.ok(JSON.stringify(most).length < 160_000, `${JSON.stringify(most).length} characters`);
  assert.is((await world(10_101)).gone, 'all');
  // What was changed is still there, and is compared anew.
  const changed = await world(10_101, 'update');
  assert.equal([changed.driftTotal, changed.gone], [10_101, undefined]);
});

much.run();
