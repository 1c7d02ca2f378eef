// The declared configuration over the API: its status, plans, reconciles, history and export.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { configStatusView, historyDetailView, historyView, planView } from '../../src/http/views/config.ts';
import { startWorld, tree } from './world.ts';

const world = await startWorld();
const { ask } = world;
const documents = (files: Readonly<Record<string, string>>) => ({
  documents: Object.entries(files).map(([path, content]) => ({ path, content })),
});

const status = suite('status');

status('says which tree is applied and how it stands', async () => {
  const { body } = await ask('GET', '/api/v1/admin/config', { as: 'plan' });
  assert.is(configStatusView.safeParse(body).error, undefined);
  assert.match(body.revision.applied, /^[0-9a-z:]+/);
  assert.is(body.revision.applied, body.revision.attempted);
  assert.is(body.inventory.count, 6);
  assert.ok(
    body.conditions.some((one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True'),
  );
});

status('sums the inventory anew when what is declared changes', async () => {
  const other = await startWorld();
  const inventory = async () => (await other.ask('GET', '/api/v1/admin/config')).body.inventory;
  const before = await inventory();
  assert.equal(await inventory(), before);
  await writeFile(join(other.root, 'more.yaml'), 'kind: Stack\nmetadata: {name: nr-5}\nspec: {runtime: "5.0"}\n');
  await other.ask('POST', '/api/v1/admin/config/reconcile');
  const after = await inventory();
  assert.is(after.count, before.count + 1);
  assert.is.not(after.digest, before.digest);
  await other.close();
});

status.run();

const planning = suite('planning');

planning(
  'the server’s own tree finds nothing to do, and says where a change comes from when there is one',
  async () => {
    const other = await startWorld({
      ...tree,
      'weir.yaml': String(tree['weir.yaml']).replace('settleMs: 50', 'settleMs: 50, drift: report'),
    });
    const plan = async () => (await other.ask('GET', '/api/v1/admin/config/plan')).body;
    assert.is(planView.safeParse(await plan()).error, undefined);
    assert.equal((await plan()).changes, []);
    const stack = other.store.read().named('Stack', 'nr-4');
    if (!stack) throw new Error('no stack');
    const after = { ...stack, generation: 2, spec: { ...stack.spec, label: 'drifted' } };
    await other.store.commit(() => ({ changes: [{ kind: 'Stack', id: stack.id, before: stack, after }] }), {
      id: 'drift',
    });
    assert.equal(
      (await plan()).changes.map((one: { address: string; cause: string }) => [one.address, one.cause]),
      [['Stack/nr-4', 'drift']],
    );
    await other.close();
  },
);

planning('a tree that is sent shows what it would change, and keeps nothing', async () => {
  const before = world.store.read().position;
  const files = {
    ...tree,
    'stacks.yaml': `${tree['stacks.yaml']}---\nkind: Stack\nmetadata: {name: nr-5}\nspec: {runtime: "5.0", replaces: nr-4}\n`,
  };
  for (const url of ['/api/v1/admin/config/plan', '/api/v1/admin/config/plan?dryRun=true']) {
    const { status: code, body } = await ask('POST', url, { as: 'plan', body: documents(files) });
    assert.is(code, 200);
    assert.is(planView.safeParse(body).error, undefined);
    assert.equal(body.summary, { create: 1, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 6, blocked: 0 });
    const [change] = (body as PlanDocument).changes;
    assert.equal([change?.address, change?.source?.file, change?.source?.line], ['Stack/nr-5', 'stacks.yaml', 7]);
  }
  assert.is(world.store.read().position, before);
});

planning('a tree that rules forbid is answered with what blocks it', async () => {
  const { 'stacks.yaml': _, ...rest } = tree;
  const files = {
    ...rest,
    'weir.yaml': String(tree['weir.yaml']).replace('licence: enterprise', 'driver: {kind: container}'),
    'sso.yaml': '',
  };
  const asked = await ask('POST', '/api/v1/admin/config/plan', { body: documents(files) });
  assert.equal(
    [asked.status, asked.body.code],
    [409, 'rule_violated'],
    'a name that nothing declares is wrong in the tree itself',
  );
  assert.ok(asked.body.violations.every((one: { severity: string }) => one.severity === 'error'));
  const emptied = await ask('POST', '/api/v1/admin/config/plan', {
    body: documents({ ...tree, 'sso.yaml': '# nothing\n' }),
  });
  assert.equal(
    [
      emptied.status,
      emptied.body.summary.blocked,
      new Set(emptied.body.changes.map((one: { action: string }) => one.action)),
    ],
    [200, 2, new Set(['blocked'])],
    emptied.text,
  );
});

planning('a tree that is not valid is answered with every finding and its place', async () => {
  const asked = await ask('POST', '/api/v1/admin/config/plan', {
    body: documents({ ...tree, 'more.yaml': 'kind: Stack\nmetadata: {name: x}\nspec: {runtime: 4}\n---\na: b: c\n' }),
  });
  assert.equal(
    [asked.status, asked.body.code, asked.body.type],
    [409, 'rule_violated', 'urn:weir:problem:tree_invalid'],
  );
  assert.ok(asked.body.violations.length >= 1);
  for (const { source } of asked.body.violations)
    assert.equal([source.file, source.line > 0, source.column > 0], ['more.yaml', true, true]);
});

planning('what is no tree at all is a bad request', async () => {
  const bad = [
    documents({}),
    documents({ 'a.yaml': '' }),
    documents({ 'weir.yaml': '', '../x.yaml': '' }),
    documents({ 'weir.yaml': '', '/x.yaml': '' }),
    documents({ 'weir.yaml': '', 'a\\b': '' }),
    {
      documents: [
        { path: 'weir.yaml', content: '' },
        { path: 'weir.yaml', content: '' },
      ],
    },
    { documents: {} },
  ];
  for (const body of bad)
    assert.equal(
      (await ask('POST', '/api/v1/admin/config/plan', { body })).body.code,
      'invalid_request',
      JSON.stringify(body),
    );
});

planning.run();

const reconciling = suite('reconciling');

reconciling('applies the server’s own tree, and answers the plan that was done', async () => {
  const { status: code, body } = await ask('POST', '/api/v1/admin/config/reconcile');
  assert.is(code, 200, JSON.stringify(body));
  assert.is(planView.safeParse(body).error, undefined);
  assert.equal(body.changes, []);
});

reconciling('is refused where the state is not what the caller saw', async () => {
  const { body: plan } = await ask('GET', '/api/v1/admin/config/plan');
  assert.is((await ask('POST', '/api/v1/admin/config/reconcile', { body: { base: plan.base } })).status, 200);
  const asked = await ask('POST', '/api/v1/admin/config/reconcile', {
    body: { base: { ...plan.base, digest: 'another' } },
  });
  assert.equal([asked.status, asked.body.code], [412, 'precondition_failed']);
});

reconciling('is refused where the tree is not the one that the caller saw', async () => {
  const other = await startWorld();
  const reconcile = (digest: string) =>
    other.ask('POST', '/api/v1/admin/config/reconcile', { body: { source: { digest } } });
  const { body: plan } = await other.ask('GET', '/api/v1/admin/config/plan');
  const { digest } = plan.source;
  assert.is((await reconcile(digest)).status, 200);
  await writeFile(join(other.root, 'late.yaml'), 'kind: Stack\nmetadata: {name: late}\nspec: {runtime: "5"}\n');
  const history = () => other.store.countRecords({ stream: 'history' });
  const before = await history();
  const asked = await reconcile(digest);
  assert.equal([asked.status, asked.body.code], [412, 'precondition_failed']);
  assert.match(asked.body.detail, `, and not ${digest.slice(0, 12)}, of which the plan was made`);
  assert.is(await history(), before, 'it says something of the caller, and nothing of the tree');
  await writeFile(join(other.root, 'broken.yaml'), 'kind: [');
  assert.is((await reconcile(digest)).status, 412, 'an invalid tree is another one, too');
  await other.close();
});

reconciling('says why not: an invalid tree, a blocked plan, or no tree at all; then it recovers', async () => {
  const other = await startWorld();
  const reconcile = () => other.ask('POST', '/api/v1/admin/config/reconcile');
  await writeFile(join(other.root, 'stacks.yaml'), 'kind: Stack\nmetadata: {name: nr-4}\nspec: {runtime: 4}\n');
  const invalid = await reconcile();
  assert.equal(
    [invalid.status, invalid.body.code, invalid.body.type, invalid.body.violations[0].source.file],
    [409, 'rule_violated', 'urn:weir:problem:tree_invalid', 'stacks.yaml'],
  );
  await writeFile(join(other.root, 'stacks.yaml'), String(tree['stacks.yaml']));
  await writeFile(join(other.root, 'sso.yaml'), '');
  const blocked = await reconcile();
  // Two of six objects are many, too.
  const rules = blocked.body.violations.map(({ rule }: { readonly rule: string }) => rule);
  assert.equal(
    [blocked.status, blocked.body.code, rules],
    [409, 'rule_violated', ['mass-delete', 'emptied-file', 'emptied-file']],
    blocked.text,
  );
  await rm(join(other.root, 'weir.yaml'));
  const missing = await reconcile();
  assert.equal([missing.status, missing.body.code], [503, 'unavailable']);
  assert.is((await other.ask('GET', '/api/v1/sso-configs/corp')).status, 200, 'the last good state is served');
  await writeFile(join(other.root, 'weir.yaml'), String(tree['weir.yaml']));
  await writeFile(join(other.root, 'sso.yaml'), String(tree['sso.yaml']));
  assert.is((await reconcile()).status, 200);
  await other.close();
});

reconciling('only tries where it is told to', async () => {
  const other = await startWorld();
  await writeFile(join(other.root, 'stacks.yaml'), String(tree['stacks.yaml']).replace('Node-RED 4', 'Renamed'));
  const { status: code, body } = await other.ask('POST', '/api/v1/admin/config/reconcile?dryRun=true');
  assert.equal([code, body.formatVersion], [200, 1]);
  await other.close();
});

reconciling('knows no other fields', async () => {
  assert.is((await ask('POST', '/api/v1/admin/config/reconcile', { body: { force: true } })).status, 400);
  assert.is((await ask('POST', '/api/v1/admin/config/reconcile', { body: { allowDeletes: -1 } })).status, 400);
});

reconciling.run();

const history = suite('history');

history('tells every attempt, newest first, in pages, and by result', async () => {
  const other = await startWorld();
  await writeFile(join(other.root, 'stacks.yaml'), 'kind: Stack\n');
  await other.ask('POST', '/api/v1/admin/config/reconcile');
  await writeFile(join(other.root, 'stacks.yaml'), String(tree['stacks.yaml']).replace('Node-RED 4', 'Node-RED four'));
  await other.ask('POST', '/api/v1/admin/config/reconcile');
  const { body } = await other.ask('GET', '/api/v1/admin/config/history');
  assert.ok(body.count >= 3, JSON.stringify(body));
  for (const entry of body.history) assert.is(historyView.safeParse(entry).error, undefined, JSON.stringify(entry));
  assert.equal([body.history[0].result, body.history.at(-1).trigger], ['applied', 'start']);
  const paged = [];
  for (let cursor = ''; ; ) {
    const page = (await other.ask('GET', `/api/v1/admin/config/history?limit=1${cursor}`)).body;
    paged.push(...page.history);
    if (page.meta.next_cursor === undefined) break;
    cursor = `&cursor=${page.meta.next_cursor}`;
  }
  assert.equal(paged, body.history);
  const refused = (await other.ask('GET', '/api/v1/admin/config/history?result=refused')).body;
  assert.ok(refused.count >= 1);
  assert.ok(refused.history.every((one: { result: string }) => one.result === 'refused'));
  const { revision } = refused.history[0];
  const detail = (await other.ask('GET', `/api/v1/admin/config/history/${revision}`)).body;
  // Logs and screens show twelve digits of it.
  const found = (await other.ask('GET', `/api/v1/admin/config/history/${revision.slice(0, 12)}`)).body;
  assert.equal(found, detail);
  assert.is(historyDetailView.safeParse(detail).error, undefined);
  assert.is(detail.findings[0].source.file, 'stacks.yaml');
  assert.is((await other.ask('GET', '/api/v1/admin/config/history/nope')).status, 404);
  assert.is((await other.ask('GET', '/api/v1/admin/config/history?cursor=bm9wZQ')).status, 400);
  await other.close();
});

history.run();

const exporting = suite('export');

exporting('gives documents that plan to nothing, all or some', async () => {
  const { body } = await ask('GET', '/api/v1/admin/config/export');
  const { body: plan } = await ask('POST', '/api/v1/admin/config/plan', { body });
  assert.equal(plan.changes, []);
  const paths = async (query: string) =>
    (await ask('GET', `/api/v1/admin/config/export?${query}`)).body.documents.map((one: { path: string }) => one.path);
  assert.equal(await paths('kind=Stack'), ['stacks/nr-4.yaml']);
  assert.equal(await paths('kind=SsoConfig&name=corp'), ['sso/corp.yaml']);
  assert.is((await ask('GET', '/api/v1/admin/config/export?kind=Stack&name=none')).status, 404);
  assert.is((await ask('GET', '/api/v1/admin/config/export?name=corp')).status, 400);
  assert.is((await ask('GET', '/api/v1/admin/config/export?kind=User')).status, 400);
});

exporting.after(world.close);
exporting.run();
