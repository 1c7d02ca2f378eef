// The loop in manual mode and while it is suspended: what is read and planned, and what is applied only once somebody asks for it.
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigStatus } from '../../src/control/config-status.ts';
import { PlanBlocked, ReconcilerSuspended } from '../../src/control/failures.ts';
import { historyEntry } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Loop, startLoop } from '../../src/control/loop.ts';
import { statusOfStore } from '../../src/control/status.ts';
import { submit } from '../../src/control/submit.ts';
import type { Proposal } from '../../src/core/model/proposal.ts';
import { resumeReconciler, suspendReconciler } from '../../src/core/proposals/suspend-reconciler.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const platform = (mode: 'auto' | 'manual') =>
  `kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {mode: ${mode}, settleMs: 50, pollSeconds: 1}}\n`;
const stack = (name: string, label = name) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4.1", label: ${label}}\n`;
const manual = { 'weir.yaml': platform('manual'), 'stacks/a.yaml': stack('a') };
const auto = { ...manual, 'weir.yaml': platform('auto') };
const facts = () => ({
  drivers: new Map([['local', { provides: new Set<never>() }]]),
  certificateProblem: () => undefined,
});
const ann = { kind: 'user', id: 'u1', name: 'ann' } as const;
const asked = { consents: noConsents, actor: ann };

let ids = 0;
const newId = () => `${process.hrtime.bigint()}-${ids++}`;
const now = () => new Date().toISOString();

/** Loops of a test, which would keep a process alive whose test has failed. */
const open: Loop[] = [];

async function closeAll(): Promise<void> {
  for (const loop of open.splice(0)) await loop.close();
}

async function scene(
  files: Record<string, string> | undefined,
  store: Store = openMemoryStore(),
  root = temporaryFolder().path,
) {
  if (files) await writeFiles(root, files);
  const logged: string[] = [];
  const turns: string[] = [];
  const started = await startLoop({
    root,
    store,
    facts,
    now,
    newId,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: (level, message) => logged.push(`${level}: ${message}`),
    onTurn: ({ trigger, result }) => turns.push(`${trigger} ${result}`),
  });
  open.push(started.loop);
  const labels = () => Object.fromEntries([...store.read().all('Stack')].map(({ name, spec }) => [name, spec.label]));
  const write = (proposal: Proposal) =>
    submit({ store, facts }, proposal, { now: now(), newId, actor: ann, origin: 'api' });
  // In one step, so that no half of it is ever read.
  const put = async (path: string, text: string) => {
    await writeFile(join(root, '.new'), text);
    await rename(join(root, '.new'), join(root, path));
  };
  const edit = (label: string) => put('stacks/a.yaml', stack('a', label));
  return { ...started, root, store, logged, turns, labels, write, edit, put };
}

function told({ conditions }: ConfigStatus, type: string): string | undefined {
  const found = conditions.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
}

const message = ({ conditions }: ConfigStatus, type: string) =>
  conditions.find((one) => one.type === type)?.message ?? '';

const waiting = (loop: Loop) => until('pending', async () => (await loop.status()).pending);

const results = async (store: Store) =>
  (await store.records({ stream: 'history', limit: 20 })).map((record) => historyEntry(record).result);

const mode = suite('manual mode');
mode.after.each(closeAll);

mode('applies the first tree of a store, because nothing applied says otherwise', async () => {
  const { loop, labels, failure } = await scene(manual);
  assert.is(failure, undefined);
  assert.equal(labels(), { a: 'a' });
  const status = await loop.status();
  assert.equal([status.mode, status.pending, told(status, 'Ready')], ['manual', undefined, 'True Applied']);
  assert.is(told(status, 'Reconciling'), 'False ManualMode');
  await loop.close();
});

mode('counts what was refused for whoever asked as that, and tells nothing of it', async () => {
  const { loop, turns, logged, store } = await scene(auto);
  const before = { status: await loop.status(), logged: logged.length };
  const mistaken = { consents: { allowDeletes: 3, adopt: new Set<string>() }, actor: ann };
  await loop.reconcile({ ...asked, base: { digest: 'another' } }).catch(() => {});
  await loop.reconcile(mistaken).catch(() => {});
  assert.equal(turns, ['start applied', 'api moved', 'api moved']);
  assert.is(logged.length, before.logged, logged.join('\n'));
  const after = await loop.status();
  const said = ({ conditions, revision }: ConfigStatus) => [
    conditions.map(({ type, status, reason, message: words }) => [type, status, reason, words]),
    revision,
  ];
  assert.equal(said(after), said(before.status));
  assert.equal(await results(store), ['applied']);
  await loop.close();
});

mode('plans a tree that changes, says what waits, and applies it when somebody asks for it', async () => {
  const { loop, labels, edit, store, turns } = await scene(manual);
  const before = await loop.status();
  await edit('edited');
  const pending = await waiting(loop);
  assert.is(pending.summary.update, 1);
  const held = await loop.status();
  assert.equal(labels(), { a: 'a' });
  assert.is(held.revision.applied, before.revision.applied);
  assert.is(held.revision.attempted, pending.revision);
  assert.is.not(pending.revision, held.revision.applied);
  assert.is(told(held, 'Ready'), 'True Applied');
  assert.is(told(held, 'Reconciling'), 'False ManualMode');
  assert.match(message(held, 'Reconciling'), `revision ${pending.revision.slice(0, 12)} waits with 1 change:`);
  assert.match(message(held, 'Ready'), (held.revision.applied ?? '').slice(0, 12));
  assert.is((await loop.plan()).summary.update, 1);
  assert.equal(await results(store), ['applied'], 'history has what was applied and refused');
  const plan = await loop.reconcile(asked);
  assert.is(plan.summary.update, 1);
  assert.equal(labels(), { a: 'edited' });
  const done = await loop.status();
  assert.equal([done.pending, done.revision.applied], [undefined, pending.revision]);
  const outcomes = turns.map((turn) => turn.replace('poll', 'watch'));
  assert.equal([...new Set(outcomes)], ['start applied', 'watch pending', 'api applied']);
  await loop.close();
});

mode('applies nothing by the poll alone', async () => {
  const { loop, labels, edit, turns } = await scene(manual);
  await edit('edited');
  await waiting(loop);
  await edit('again');
  await until('planned again', () => turns.filter((turn) => turn.endsWith('pending')).length > 1);
  assert.equal(labels(), { a: 'a' });
  await loop.close();
});

mode('holds a tree at a start, and counts that as a reconcile that has ended', async () => {
  const first = await scene(manual);
  await first.loop.close();
  await first.edit('while it was down');
  const second = await scene(undefined, first.store, first.root);
  assert.equal([second.failure, second.loop.settled()], [undefined, true]);
  assert.equal(second.labels(), { a: 'a' });
  assert.is((await second.loop.status()).pending?.summary.update, 1);
  assert.match(second.logged.join('\n'), 'warn: the tree waits to be applied, because reconcile.mode is manual');
  await second.loop.close();
});

mode('has nothing pending when the tree is again as it was applied', async () => {
  const { loop, edit } = await scene(manual);
  await edit('edited');
  await waiting(loop);
  await edit('a');
  await until('nothing pending', async () => (await loop.status()).pending === undefined);
  assert.is(told(await loop.status(), 'Ready'), 'True Applied');
  await loop.close();
});

mode('tells of a broken tree, and of one that a guard refuses, as ever', async () => {
  const { loop, edit, put, store, labels } = await scene(manual);
  await edit('[');
  await until('refused', async () => told(await loop.status(), 'Stalled') === 'True Invalid');
  assert.is(told(await loop.status(), 'Ready'), 'False Refused');
  await put('stacks/a.yaml', '');
  await until('blocked', async () => told(await loop.status(), 'Stalled') === 'True Blocked');
  assert.equal(await results(store), ['refused', 'refused', 'applied']);
  assert.instance(await loop.reconcile(asked).catch((error) => error), PlanBlocked);
  assert.equal(labels(), { a: 'a' });
  await loop.close();
});

mode('acts once the tree that asks for it is applied', async () => {
  const { loop, put, labels, edit } = await scene(auto);
  await put('weir.yaml', platform('manual'));
  await until('applied', async () => (await loop.status()).mode === 'manual');
  await edit('edited');
  await waiting(loop);
  assert.equal(labels(), { a: 'a' });
  await loop.close();
});

mode('ends once a tree without it is applied, and not before', async () => {
  const { loop, put, labels, edit } = await scene(manual);
  await put('weir.yaml', platform('auto'));
  await waiting(loop);
  assert.is((await loop.status()).mode, 'manual');
  await loop.reconcile(asked);
  assert.is((await loop.status()).mode, 'auto');
  await edit('edited');
  await until('followed', () => labels().a === 'edited');
  await loop.close();
});

mode.run();

const suspended = suite('a suspended reconciler');
suspended.after.each(closeAll);

suspended('applies nothing that changes, and refuses to on request, until it is resumed', async () => {
  const { loop, labels, edit, write, logged } = await scene(auto);
  await write(suspendReconciler({ reason: 'database upgrade' }));
  await edit('edited');
  const status = await loop.status();
  assert.equal([status.suspended?.by, status.suspended?.reason], ['ann', 'database upgrade']);
  assert.is(told(status, 'Ready'), 'True Applied');
  assert.is(told(status, 'Reconciling'), 'False Suspended');
  assert.match(message(status, 'Reconciling'), /^suspended by ann since .*: database upgrade$/);
  const refused = await loop.reconcile(asked).catch((error) => error);
  assert.instance(refused, ReconcilerSuspended);
  assert.match(refused.message, /suspended by ann since .*: database upgrade; resume it first$/);
  assert.equal(labels(), { a: 'a' });
  assert.is((await loop.plan()).summary.update, 1, 'it can still be planned');
  await write(resumeReconciler);
  await until('applied', () => labels().a === 'edited');
  await edit('followed');
  await until('followed', () => labels().a === 'followed');
  const now = await loop.status();
  assert.equal([now.suspended, told(now, 'Reconciling')], [undefined, 'False Idle']);
  assert.match(logged.join('\n'), /warn: the reconciler is suspended by ann[\s\S]*info: the reconciler is resumed/);
  await loop.close();
});

suspended('stays so through a restart, where nothing is read', async () => {
  const first = await scene(auto);
  await first.write(suspendReconciler());
  await first.loop.close();
  await first.edit('while it was down');
  const second = await scene(undefined, first.store, first.root);
  assert.equal([second.failure, second.loop.settled(), second.hasGoodState], [undefined, true, true]);
  assert.match(second.logged.join('\n'), /^warn: nothing is read or applied: the reconciler is suspended by ann/);
  await second.put('stacks/b.yaml', stack('b'));
  const status = await second.loop.status();
  assert.is(told(status, 'SourceAvailable'), 'Unknown Suspended');
  assert.equal([second.turns, second.labels()], [[], { a: 'a' }]);
  await second.write(resumeReconciler);
  await until('applied', () => second.labels().b === 'b');
  assert.equal(second.turns, ['start applied']);
  await second.loop.close();
});

suspended('serves a store to which nothing was applied, and applies nothing to it', async () => {
  const store = openMemoryStore();
  await submit({ store, facts }, suspendReconciler(), { now: now(), newId, actor: ann, origin: 'api' });
  const { loop, labels, failure } = await scene(auto, store);
  assert.equal([failure, loop.settled(), labels()], [undefined, true, {}]);
  await loop.close();
});

suspended('keeps nothing of a reconcile that was under way', async () => {
  const { loop, labels, edit, write, store } = await scene(manual);
  await edit('edited');
  await waiting(loop);
  const under = loop.reconcile(asked).catch((error) => error);
  await write(suspendReconciler());
  const came = await under;
  assert.ok(came instanceof ReconcilerSuspended, String(came));
  assert.equal(labels(), { a: 'a' });
  assert.equal(await results(store), ['applied']);
  assert.is(told(await loop.status(), 'Ready'), 'True Applied');
  await loop.close();
});

suspended('may be suspended and resumed in quick succession', async () => {
  const { loop, labels, edit, write } = await scene(auto);
  for (let round = 0; round < 5; round++) {
    await write(suspendReconciler());
    await write(resumeReconciler);
  }
  await edit('edited');
  await until('applied', () => labels().a === 'edited');
  await loop.close();
});

suspended('resumes where the tree is gone, and takes it up when it is back', async () => {
  const { loop, labels, root, write } = await scene(auto);
  await write(suspendReconciler());
  await rm(join(root, 'weir.yaml'));
  await write(resumeReconciler);
  await until('missed', async () => told(await loop.status(), 'SourceAvailable') === 'False Missing');
  await writeFiles(root, { 'weir.yaml': platform('auto'), 'stacks/a.yaml': stack('a', 'back') });
  await until('back', () => labels().a === 'back');
  await loop.close();
});

suspended('is told by the store alone, where no server runs', async () => {
  const { loop, store, write } = await scene(auto);
  await write(suspendReconciler({ reason: 'freeze' }));
  await loop.close();
  const status = await statusOfStore(store, createInventory());
  assert.is(status.suspended?.reason, 'freeze');
  assert.is(told(status, 'Reconciling'), 'False Suspended');
});

suspended('is audited, with who did it', async () => {
  const { loop, store, write } = await scene(auto);
  await write(suspendReconciler({ reason: 'freeze' }));
  await write(suspendReconciler({ reason: 'freeze' }));
  await write(suspendReconciler());
  await write(suspendReconciler({ reason: 'longer freeze' }));
  await write(resumeReconciler);
  await write(resumeReconciler);
  const records = await store.records({ stream: 'audit', limit: 20 });
  const events = records.map(({ body }) => `${body['event']} ${JSON.stringify(body['actor'])}`);
  const by = JSON.stringify(ann);
  assert.equal(
    events.filter((event) => event.startsWith('reconciler.')),
    [`reconciler.resumed ${by}`, `reconciler.suspended ${by}`, `reconciler.suspended ${by}`],
  );
  await loop.close();
});

suspended.run();
