// The loop on a real folder and a real store: it follows, refuses, keeps the last good state, and recovers by itself.
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigStatus } from '../../src/control/config-status.ts';
import { PlanBlocked, TreeInvalid, TreeMissing } from '../../src/control/failures.ts';
import { historyEntry } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Started, startLoop } from '../../src/control/loop.ts';
import type { LoopOptions } from '../../src/control/turn.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 1}}\n';
const stack = (name: string, label = name) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4.1", label: ${label}}\n`;

interface Scene extends Started {
  readonly root: string;
  readonly store: Store;
  readonly logged: string[];
  readonly labels: () => Record<string, string | undefined>;
}

async function scene(
  files: Record<string, string>,
  store = openMemoryStore(),
  root = temporaryFolder().path,
): Promise<Scene> {
  await writeFiles(root, files);
  const logged: string[] = [];
  let ids = 0;
  const options: LoopOptions = {
    root,
    store,
    facts: () => ({ drivers: new Map([['local', { provides: new Set() }]]), certificateProblem: () => undefined }),
    now: () => new Date().toISOString(),
    newId: () => `${process.hrtime.bigint()}-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: (level, message) => logged.push(`${level}: ${message}`),
  };
  const started = await startLoop(options);
  const labels = () => Object.fromEntries([...store.read().all('Stack')].map(({ name, spec }) => [name, spec.label]));
  return { ...started, root, store, logged, labels };
}

function condition({ conditions }: ConfigStatus, type: string): string | undefined {
  const found = conditions.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
}

const good = { 'weir.yaml': platform, 'stacks/a.yaml': stack('a'), 'stacks/b.yaml': stack('b') };

const start = suite('the loop at start');

start('applies the tree, and says so', async () => {
  const { loop, labels, failure, store } = await scene(good);
  assert.is(failure, undefined);
  assert.equal(labels(), { a: 'a', b: 'b' });
  const status = await loop.status();
  assert.is(condition(status, 'Ready'), 'True Applied');
  assert.is(condition(status, 'SourceAvailable'), 'True Read');
  assert.is(status.inventory.count, 3);
  assert.is(status.revision.applied, status.revision.attempted);
  const [entry] = await store.records({ stream: 'history', limit: 10 });
  assert.is(entry && historyEntry(entry).result, 'applied');
  assert.is(entry && historyEntry(entry).trigger, 'start');
  await loop.close();
});

start('changes nothing for a bad tree, and serves what an earlier one left', async () => {
  const store = openMemoryStore();
  const first = await scene(good, store);
  await first.loop.close();
  const second = await scene({ 'weir.yaml': platform, 'stacks/a.yaml': 'kind: Stack\nspec: [' }, store);
  assert.instance(second.failure, TreeInvalid);
  assert.is(second.hasGoodState, true);
  assert.equal(second.labels(), { a: 'a', b: 'b' });
  await second.loop.close();
});

start('tells a tree that is missing from one that wants nothing', async () => {
  const { loop, failure, hasGoodState } = await scene({ 'other.yaml': stack('a') });
  assert.instance(failure, TreeMissing);
  assert.is(hasGoodState, false);
  assert.is(condition(await loop.status(), 'SourceAvailable'), 'False Missing');
  await loop.close();
});

start.run();

const running = suite('the loop while it runs');

running('applies an edit without waiting for the poll', async () => {
  const { loop, root, labels } = await scene({
    ...good,
    'weir.yaml': platform.replace('pollSeconds: 1', 'pollSeconds: 600'),
  });
  await writeFile(join(root, 'stacks/a.yaml'), stack('a', 'edited'));
  await until('applied', () => labels().a === 'edited');
  await loop.close();
});

running('keeps the last good state while a file is broken, says why, and recovers when it is mended', async () => {
  const { loop, root, labels, store } = await scene(good);
  await writeFile(join(root, 'stacks/a.yaml'), `${stack('a', 'edited')}  runtyme: x\n`);
  await until('refused', async () => condition(await loop.status(), 'Ready') === 'False Refused');
  const status = await loop.status();
  assert.equal(labels(), { a: 'a', b: 'b' });
  assert.is(condition(status, 'Stalled'), 'True Invalid');
  assert.ok(status.findings.some(({ rule, source }) => rule === 'syntax' && source?.file === 'stacks/a.yaml'));
  assert.is.not(status.revision.applied, status.revision.attempted);
  await writeFile(join(root, 'stacks/a.yaml'), stack('a', 'mended'));
  await until('mended', () => labels().a === 'mended');
  assert.is(condition(await loop.status(), 'Ready'), 'True Applied');
  const results = (await store.records({ stream: 'history', limit: 10 })).map((record) => historyEntry(record).result);
  assert.equal(results, ['applied', 'refused', 'applied']);
  await loop.close();
});

running('deletes nothing when weir.yaml, or the whole folder, is gone, and goes on when it is back', async () => {
  const { loop, root, labels } = await scene(good);
  await rm(join(root, 'weir.yaml'));
  await until('missed', async () => condition(await loop.status(), 'SourceAvailable') === 'False Missing');
  assert.equal(labels(), { a: 'a', b: 'b' });
  await rename(root, `${root}-away`);
  await delay(300);
  assert.equal(labels(), { a: 'a', b: 'b' });
  await rename(`${root}-away`, root);
  await writeFile(join(root, 'stacks/b.yaml'), stack('b', 'edited'));
  await writeFile(join(root, 'weir.yaml'), platform);
  await until('back', () => labels().b === 'edited');
  assert.is(condition(await loop.status(), 'SourceAvailable'), 'True Read');
  await loop.close();
});

running('refuses a file that turned empty, and takes its deletion', async () => {
  const { loop, root, labels } = await scene(good);
  await writeFile(join(root, 'stacks/b.yaml'), '');
  await until('refused', async () => condition(await loop.status(), 'Stalled') === 'True Blocked');
  const { findings } = await loop.status();
  assert.equal(
    findings.map(({ rule }) => rule),
    ['emptied-file'],
  );
  assert.equal(labels(), { a: 'a', b: 'b' });
  await rm(join(root, 'stacks/b.yaml'));
  await until('deleted', () => !('b' in labels()));
  assert.equal(labels(), { a: 'a' });
  await loop.close();
});

running(
  'refuses a folder that vanished, however small, and goes on by itself when it is back, or as it was consented to',
  async () => {
    const { loop, root, labels } = await scene({ ...good, 'types/t.yaml': 'kind: Template\nmetadata: {name: t}\n' });
    const reason = async () => (await loop.status()).findings.map(({ rule }) => rule).join();
    await rename(join(root, 'stacks'), join(root, '.stacks'));
    await until('refused', async () => (await reason()) === 'vanished');
    assert.equal(labels(), { a: 'a', b: 'b' });
    await rename(join(root, '.stacks'), join(root, 'stacks'));
    await until('back', async () => (await reason()) === '');
    await rm(join(root, 'stacks'), { recursive: true });
    await until('refused again', async () => (await reason()) === 'vanished');
    await loop.reconcile({ consents: { allowDeletes: 2, adopt: new Set() }, actor: { kind: 'user', id: 'u1' } });
    assert.equal(labels(), {});
    await loop.close();
  },
);

running.run();

const asked = suite('a reconcile that was asked for');

asked('answers the plan that it did', async () => {
  const { loop, root, labels } = await scene(good);
  await writeFile(join(root, 'stacks/a.yaml'), stack('a', 'asked'));
  const plan = await loop.reconcile({ consents: noConsents, actor: { kind: 'user', id: 'u1', name: 'ann' } });
  // The watch may have been first: then nothing was left to do.
  assert.ok(plan.summary.update === 1 || plan.summary.unchanged === 3);
  assert.is(labels().a, 'asked');
  await loop.close();
});

asked('needs consent for many deletions, by their exact number', async () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`stacks/${at}.yaml`, stack(`many-${at}`)]));
  const { loop, root, labels } = await scene({ ...good, ...many });
  await rm(join(root, 'stacks'), { recursive: true });
  await until('refused', async () => condition(await loop.status(), 'Stalled') === 'True Blocked');
  const actor = { kind: 'user', id: 'u1' } as const;
  const refused = await loop
    .reconcile({ consents: { allowDeletes: 3, adopt: new Set() }, actor })
    .catch((error) => error);
  assert.instance(refused, PlanBlocked);
  assert.is(Object.keys(labels()).length, 14);
  const plan = await loop.reconcile({ consents: { allowDeletes: 14, adopt: new Set() }, actor });
  assert.is(plan.summary.delete, 14);
  assert.equal(labels(), {});
  await loop.close();
});

asked(
  'keeps a wrong number of deletions to whoever gave it: the state and the tree are as good as before',
  async () => {
    const { loop, root, labels } = await scene(good);
    const actor = { kind: 'user', id: 'u1' } as const;
    const before = await loop.status();
    const refused = await loop
      .reconcile({ consents: { allowDeletes: 3, adopt: new Set() }, actor })
      .catch((error) => error);
    assert.instance(refused, PlanBlocked);
    assert.match(refused.plan.findings[0].message, /it deletes 0 objects and 3 were consented to/);
    const after = await loop.status();
    const told = ({ conditions, revision }: typeof after) => [
      conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
      revision,
    ];
    assert.equal(told(after), told(before));
    assert.is(condition(after, 'Ready'), 'True Applied');
    // What is in the way besides is told as ever.
    await writeFile(join(root, 'stacks/a.yaml'), `${stack('a', 'edited')}---\n${stack('b', 'twice')}`);
    await loop.reconcile({ consents: { allowDeletes: 3, adopt: new Set() }, actor }).catch((error) => error);
    assert.match(condition(await loop.status(), 'Ready') ?? '', /^False/);
    assert.is(labels().a, 'a');
    await loop.close();
  },
);

asked('is refused where the state is not the one that the caller saw', async () => {
  const { loop } = await scene(good);
  const actor = { kind: 'user', id: 'u1' } as const;
  const seen = (await loop.plan()).base;
  const refused = await loop
    .reconcile({ base: { digest: 'another' }, consents: noConsents, actor })
    .catch((error) => error);
  assert.is(refused.name, 'BaseMoved');
  assert.is((await loop.reconcile({ base: seen, consents: noConsents, actor })).summary.unchanged, 3);
  await loop.close();
});

asked('leaves the tree to the watch where it is refused so, and the conditions as they are', async () => {
  const { loop, root, labels, logged } = await scene(good);
  const request = { base: { digest: 'another' }, consents: noConsents, actor: { kind: 'user', id: 'u1' } } as const;
  const refused = Array.from({ length: 10 }, () => loop.reconcile(request).catch((error) => error.name));
  await writeFile(join(root, 'stacks/a.yaml'), stack('a', 'edited'));
  assert.equal(new Set(await Promise.all(refused)), new Set(['BaseMoved']));
  await until('applied', () => labels().a === 'edited');
  await loop.reconcile(request).catch(() => {});
  const status = await loop.status();
  assert.equal([condition(status, 'Ready'), condition(status, 'Stalled')], ['True Applied', 'False NotStalled']);
  assert.equal(
    logged.filter((line) => line.startsWith('error')),
    [],
  );
  await loop.close();
});

asked.run();
