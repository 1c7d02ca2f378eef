// timeout: 400
// Weir's own metrics: what is counted as it happens, how everything stands, and what is never told.
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords } from '../../src/auth/password.ts';
import { reconcilerOf } from '../../src/cli/pending-reconciler.ts';
import { created } from '../../src/core/model/change.ts';
import { routes } from '../../src/http/routes/index.ts';
import { buildServer, createMetrics } from '../../src/http/server.ts';
import { newId } from '../../src/lib/id.ts';
import { openStore } from '../../src/store/json-file.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { NotKept, Refused, type Store, type StoreRecord } from '../../src/store/store.ts';
import { createFaultDisk } from '../support/fault-file-system.ts';
import { until } from '../support/until.ts';
import { deaf, type ServerWorld, startWorld, tree } from './world.ts';

const url = '/api/v1/admin/stats';
const headers = { accept: 'application/openmetrics-text' };
const reconcile = '/api/v1/admin/config/reconcile';
const at = '2026-11-21T10:00:00.000Z';

/** Each series of an exposition by its name with labels. */
function seriesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function scrape({ ask }: Pick<ServerWorld, 'ask'>): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await ask('GET', url, { headers });
  assert.is(status, 200);
  return seriesIn(text);
}

const nobody = {
  reconciler: reconcilerOf(new Promise(() => {})),
  mailer: { send: () => {}, configured: () => false, waiting: () => 3, close: async () => {} },
};

async function expose(metrics: ReturnType<typeof createMetrics>, store: Store): Promise<ReadonlyMap<string, number>> {
  return seriesIn(await metrics.exposition({ ...nobody, door: { store } }));
}

interface Context {
  world: ServerWorld;
}

const loop = suite<Context>('metrics of the reconciler');
loop.before.each(async (context) => {
  context.world = await startWorld();
});
loop.after.each(({ world }) => world.close());

loop('tell a tree that is applied', async ({ world }) => {
  const series = await scrape(world);
  assert.is(series.get('weir_reconciles_total{result="applied",trigger="start"}'), 1);
  assert.is(series.get('weir_reconcile_duration_seconds_count'), 1);
  assert.is(series.get('weir_config_last_reload_successful'), 1);
  assert.is(series.get('weir_config_last_reload_success_timestamp_seconds'), Date.parse(at) / 1000);
  assert.is(series.get('weir_config_condition{type="Ready",status="True"}'), 1);
  assert.is(series.get('weir_config_condition{type="Drifted",status="False"}'), 1);
  assert.is(series.get('weir_config_findings{severity="error"}'), 0);
  assert.is(series.get('weir_config_findings{severity="warning"}'), 2);
  assert.is(series.get('weir_config_pending_changes'), 0);
  assert.is(series.get('weir_config_unsettled_files'), 0);
  assert.ok((series.get('weir_config_settling_seconds') ?? 0) > 0);
});

loop('tell a tree that is refused, what it would have changed, and that it is mended', async ({ world }) => {
  world.setNow('2026-11-21T10:05:00.000Z');
  const stacks = `${tree['stacks.yaml']}---\nkind: Stack\nmetadata: {name: nr-5}\nspec: {runtime: "../5"}\n`;
  await writeFile(join(world.root, 'stacks.yaml'), stacks);
  await world.ask('POST', reconcile, { body: {} });
  const refused = await scrape(world);
  assert.is(refused.get('weir_reconciles_total{result="refused",trigger="api"}'), 1);
  assert.is(refused.get('weir_config_last_reload_successful'), 0);
  assert.is(refused.get('weir_config_last_reload_timestamp_seconds'), Date.parse('2026-11-21T10:05:00.000Z') / 1000);
  assert.is(refused.get('weir_config_last_reload_success_timestamp_seconds'), Date.parse(at) / 1000);
  assert.is(refused.get('weir_config_condition{type="Stalled",status="True"}'), 1);
  assert.is(refused.get('weir_config_condition{type="Ready",status="False"}'), 1);
  assert.is(refused.get('weir_config_condition{type="Ready",status="True"}'), 0);
  assert.ok((refused.get('weir_config_findings{severity="error"}') ?? 0) > 0);
  await writeFile(join(world.root, 'stacks.yaml'), String(tree['stacks.yaml']));
  await world.ask('POST', reconcile, { body: {} });
  const mended = await scrape(world);
  assert.is(mended.get('weir_config_last_reload_successful'), 1);
  assert.is(mended.get('weir_config_findings{severity="error"}'), 0);
  assert.is(mended.get('weir_config_condition{type="Stalled",status="True"}'), 0);
});

loop('tell the changes that a guard keeps from being made', async ({ world }) => {
  await world.ask('POST', '/api/v1/stacks', { body: { name: 'nr-9', spec: { runtime: '9' } } });
  const adopted = 'kind: Stack\nmetadata: {name: nr-9}\nspec: {runtime: "9", label: Other}\n';
  await writeFile(
    join(world.root, 'more.yaml'),
    `${adopted}---\nkind: Stack\nmetadata: {name: nr-8}\nspec: {runtime: "8"}\n`,
  );
  assert.is((await world.ask('POST', reconcile, { body: {} })).status, 409);
  const series = await scrape(world);
  assert.is(series.get('weir_config_pending_changes'), 2);
});

loop('tell a tree that is gone', async ({ world }) => {
  await rename(join(world.root, 'weir.yaml'), join(world.root, 'weir.yaml.off'));
  assert.is((await world.ask('POST', reconcile, { body: {} })).status, 503);
  const series = await scrape(world);
  assert.is(series.get('weir_reconciles_total{result="missing",trigger="api"}'), 1);
  assert.is(series.get('weir_config_last_reload_successful'), 0);
  assert.is(series.get('weir_config_condition{type="SourceAvailable",status="False"}'), 1);
});

loop('tell a caller whose base had moved, and no reload of that', async ({ world }) => {
  const { status } = await world.ask('POST', reconcile, { body: { base: { digest: 'other' } } });
  assert.is(status, 412);
  const series = await scrape(world);
  assert.is(series.get('weir_reconciles_total{result="moved",trigger="api"}'), 1);
  assert.is(series.get('weir_config_last_reload_successful'), 1);
});

loop.run();

const http = suite<Context>('metrics of requests');
http.before.each(async (context) => {
  context.world = await startWorld();
});
http.after.each(({ world }) => world.close());

http('name the template of the route, the method and the status; never what was asked for', async ({ world }) => {
  for (const name of ['nr-4', 'nr-5', 'nr-6']) await world.ask('GET', `/api/v1/stacks/${name}?x=1`);
  await world.ask('GET', '/api/v1/stacks/nr-4');
  await world.ask('HEAD', '/api/v1/stacks/nr-4');
  await world.ask('GET', '/wp-login.php');
  await world.ask('POST', '/api/v1/stacks/nr-4', { body: {} });
  await world.ask('GET', '/api/v1/stacks', { as: 'none' });
  const { text } = await world.ask('GET', url, { headers });
  const series = seriesIn(text);
  const count = (method: string, route: string) =>
    series.get(`weir_http_request_duration_seconds_count{method="${method}",route="${route}"}`);
  assert.is(count('GET', '/api/v1/stacks/:name'), 4);
  assert.is(count('HEAD', '/api/v1/stacks/:name'), 1);
  assert.is(count('GET', 'none'), 1);
  assert.is(count('POST', 'none'), 1);
  assert.is(count('GET', '/api/v1/stacks'), 1);
  const statuses = [200, 400, 401, 404, 405].map((status) =>
    series.get(`weir_http_requests_total{status="${status}"}`),
  );
  assert.equal(statuses, [2, 3, 1, 1, 1]);
  const labels = 'method="GET",route="/api/v1/stacks/:name"';
  assert.is(series.get(`weir_http_request_duration_seconds_bucket{le="10.0",${labels}}`), 4);
  assert.not.match(text, /nr-5|wp-login|x=1/);
});

http('do not grow with what clients invent', async ({ world }) => {
  const before = (await scrape(world)).size;
  for (let index = 0; index < 200; index++) {
    await world.ask('GET', `/api/v1/stacks/s-${index}`);
    await world.ask('GET', `/${index}`, { as: 'none' });
  }
  for (const method of ['QUERY', 'OPTIONS', 'PATCH'] as const) await world.ask(method, '/api/v1/stacks');
  const after = await scrape(world);
  assert.ok(after.size - before < 100, `${after.size - before} more series`);
  assert.not([...after.keys()].some((name) => name.includes('QUERY')));
});

http('have ten series for a route that was asked, however it was answered, and one for a status', async ({ world }) => {
  const before = await scrape(world);
  const paths = ['/api/v1/stacks', '/api/v1/stacks/nr-4', '/api/v1/stacks/nr-9', '/api/v1/users', '/api/v1/teams/x'];
  for (const as of ['none', 'user', 'admin'] as const)
    for (const path of paths)
      for (const method of ['GET', 'PUT'] as const) await world.ask(method, path, { as, body: {} });
  const after = await scrape(world);
  const made = [...after.keys()].filter((name) => name.startsWith('weir_http_') && !before.has(name));
  const told = new Set(made.filter((name) => name.includes('_count{')).map((name) => name.replace(/^.*_count/, '')));
  const answered = made.filter((name) => name.startsWith('weir_http_requests_total'));
  assert.ok(told.size >= 6, [...told].join(' '));
  assert.is(made.length, 10 * told.size + answered.length);
  assert.ok(answered.length <= 8, answered.join(' '));
});

http.run();

const families = suite('metrics of every kind');

families('say nothing twice, and have no more series than they have to, whatever has happened', async () => {
  const world = await startWorld();
  for (const { method, url: path } of routes)
    for (const as of ['none', 'admin'] as const)
      if (method === 'GET' && !path.includes('device')) await world.ask(method, path.replace(/:\w+/g, 'x'), { as });
  const series = await scrape(world);
  await world.close();
  const names = [...series.keys()];
  const labelled = (name: string) => names.filter((one) => one.startsWith(`${name}{`)).length;
  const base = new Set(names.map((name) => name.replace(/(?:_bucket|_count|_sum|_total)?(?:\{.*)?$/, '')));
  for (const name of base)
    if (name !== 'weir_http_request_duration_seconds')
      assert.ok(labelled(name) + labelled(`${name}_total`) + labelled(`${name}_bucket`) <= 64, name);
  // A route and a method at most: no status, and nobody's name.
  const http = names.filter((name) => name.startsWith('weir_http_')).length;
  assert.ok(http <= 10 * (routes.length + 10) + 20, `${http} of ${names.length}`);
  assert.ok(names.length - http < 400, `${names.length - http} others`);
});

families.run();

const store = suite('metrics of the store');

const record = (event: string): StoreRecord => ({ stream: 'audit', id: newId(), at, body: { event } });

store('count commits by outcome, changes, and the time until they are durable', async () => {
  const metrics = createMetrics({ version: '1' });
  const kept = metrics.measured(openMemoryStore({ rehearse: true }));
  const commit = (id: string, records: readonly StoreRecord[] = []) =>
    kept.commit(() => ({ changes: [], records }), { id });
  await commit('a', [record('stack.created')]);
  await commit('a', [record('stack.created')]);
  await commit('b');
  const refused = await kept.commit(() => raise(new Refused([])), { id: 'c' }).catch((error: unknown) => error);
  assert.instance(refused, Refused);
  await kept.close();
  assert.instance(await commit('d', [record('stack.created')]).catch((error: unknown) => error), NotKept);
  const series = await expose(metrics, kept);
  for (const [outcome, count] of Object.entries({
    kept: 1,
    repeated: 1,
    empty: 1,
    refused: 1,
    not_kept: 1,
    unknown: 0,
  }))
    assert.is(series.get(`weir_store_commits_total{outcome="${outcome}"}`), count, outcome);
  assert.is(series.get('weir_store_commit_duration_seconds_count'), 1);
  assert.is(series.get('weir_store_position'), 1);
  assert.is(series.get('weir_store_state{state="closed"}'), 1);
});

store('count sign-ins by what is audited of them, and nothing that was not kept', async () => {
  const metrics = createMetrics({ version: '1' });
  const kept = metrics.measured(openMemoryStore());
  const events = ['sign-in.succeeded', 'sign-in.failed', 'sign-in.failed', 'sign-in.locked', 'session.ended'];
  await kept.commit(() => ({ changes: [], records: events.map(record) }), { id: 'a' });
  await kept.commit(() => ({ changes: [], records: events.map(record) }), { id: 'a' });
  const series = await expose(metrics, kept);
  assert.is(series.get('weir_sign_ins_total{outcome="succeeded"}'), 1);
  assert.is(series.get('weir_sign_ins_total{outcome="failed"}'), 2);
  assert.is(series.get('weir_sign_ins_total{outcome="locked"}'), 1);
  await kept.close();
});

store('count mails by outcome, and those that wait', async () => {
  const metrics = createMetrics({ version: '1' });
  for (const outcome of ['sent', 'sent', 'failed'] as const) metrics.mailed(outcome);
  const series = await expose(metrics, openMemoryStore());
  assert.is(series.get('weir_mails_total{outcome="sent"}'), 2);
  assert.is(series.get('weir_mails_total{outcome="failed"}'), 1);
  assert.is(series.get('weir_mails_total{outcome="dropped"}'), 0);
  assert.is(series.get('weir_mails_waiting'), 3);
});

store('tell what each target of the audit log has not got yet, and forget those that are gone', async () => {
  const metrics = createMetrics({ version: '1' });
  const oldest = new Date(Date.now() - 90_000).toISOString();
  const siem = { target: 'webhook/siem', waiting: 7, oldest, failing: undefined, dropped: 2 };
  let standings = [siem, { ...siem, target: 'file', waiting: 0, oldest: undefined, dropped: 0 }];
  metrics.auditStream.countedBy(() => standings);
  const series = await expose(metrics, openMemoryStore());
  assert.is(series.get('weir_audit_stream_waiting{target="webhook/siem"}'), 7);
  assert.is(series.get('weir_audit_stream_waiting{target="file"}'), 0);
  assert.ok(Number(series.get('weir_audit_stream_oldest_seconds{target="webhook/siem"}')) >= 90);
  assert.is(series.get('weir_audit_stream_oldest_seconds{target="file"}'), 0);
  assert.is(series.get('weir_audit_stream_dropped{target="webhook/siem"}'), 2);
  standings = [];
  const none = await expose(metrics, openMemoryStore());
  assert.equal(
    [...none.keys()].filter((name) => name.startsWith('weir_audit_stream')),
    [],
  );
});

store('tell how far the journal has grown', async () => {
  const kept = await openStore('/store', {
    create: true,
    files: createFaultDisk().files,
    lock: async () => async () => {},
  });
  const metrics = createMetrics({ version: '1' });
  const bytes = async () => (await expose(metrics, kept)).get('weir_store_journal_bytes') ?? 0;
  const before = await bytes();
  await kept.commit(() => ({ changes: [], records: [record('stack.created')] }), { id: 'a' });
  assert.ok((await bytes()) > before + 50);
  await kept.close();
});

store('tell how the disk is, what the store takes of it, and how long syncs take', async () => {
  const disk = createFaultDisk();
  const metrics = createMetrics({ version: '1' });
  const kept = await openStore('/store', {
    create: true,
    files: disk.files,
    lock: async () => async () => {},
    log: () => {},
    watched: true,
    onSync: metrics.synced,
  });
  await until(() => kept.health().usage?.bytes !== undefined);
  const before = await expose(metrics, kept);
  assert.is(before.get('weir_disk_free_bytes'), 2 ** 40);
  assert.is(before.get('weir_disk_size_bytes'), 2 ** 41);
  assert.is(before.get('weir_disk_filling'), 0);
  assert.ok(Number(before.get('weir_store_bytes{part="journal"}')) > 0);
  assert.is(before.get('weir_store_bytes{part="blobs"}'), 0);
  assert.is(before.get('weir_store_backup_timestamp_seconds'), 0);
  const syncs = Number(before.get('weir_store_sync_duration_seconds_count'));
  disk.before = ({ name }) => (name === 'datasync' ? { code: 'EIO' } : undefined);
  await kept.commit(() => ({ changes: [], records: [record('stack.created')] }), { id: 'lost' }).catch(() => {});
  const after = await expose(metrics, kept);
  assert.is(after.get('weir_store_sync_duration_seconds_count'), syncs + 1);
  assert.is(after.get('weir_store_sync_failures_total'), 1);
  await kept.close();
});

store('are of one server: another has its own', async () => {
  const [one, other] = [createMetrics({ version: '1' }), createMetrics({ version: '2' })];
  one.mailed('sent');
  const series = await expose(other, openMemoryStore());
  assert.is(series.get('weir_mails_total{outcome="sent"}'), 0);
  assert.is(series.get('weir_build_info{version="2"}'), 1);
});

store('go on while the disk fails: read-only, and every figure as it was', async () => {
  const disk = createFaultDisk();
  const metrics = createMetrics({ version: '1' });
  const opened = await openStore('/store', {
    create: true,
    files: disk.files,
    lock: async () => async () => {},
    log: () => {},
  });
  const kept = metrics.measured(opened);
  const token = await adminIn(kept);
  disk.before = ({ name }) => (name === 'datasync' ? { code: 'EIO' } : undefined);
  await kept.commit(() => ({ changes: [], records: [record('stack.created')] }), { id: 'lost' }).catch(() => {});
  const app = buildServer({
    ...nobody,
    door: { store: kept, facts: () => Object(null) },
    exportDocuments: () => raise(new Error('nobody exports')),
    fingerprint: () => '',
    version: '1.2.3',
    baseUrl: 'http://weir.example',
    passwords: createPasswords(),
    directory: deaf,
    metrics,
    clock: () => at,
    newId,
    log: () => {},
  });
  const asked = { method: 'GET', url, headers: { ...headers, authorization: `Bearer ${token}` } } as const;
  await app.inject(asked);
  const { statusCode, body } = await app.inject(asked);
  assert.is(statusCode, 200);
  const series = seriesIn(body);
  assert.is(series.get('weir_store_state{state="read-only"}'), 1);
  assert.is(series.get('weir_store_state{state="ready"}'), 0);
  assert.is(series.get('weir_store_commits_total{outcome="unknown"}'), 1);
  assert.is(series.get('weir_users'), 1);
  assert.is(series.get('weir_http_requests_total{status="200"}'), 1);
  await app.close();
  await kept.close();
});

store.run();

const secrets = suite('what metrics never tell');

secrets('is anything of users, teams, addresses or credentials, whatever has happened', async () => {
  const world = await startWorld();
  const session = await world.signedIn('olga');
  await world.ask('GET', '/api/v1/stacks/very-private', { headers: { 'x-request-id': 'request-of-ann' } });
  await world.ask('GET', '/api/v1/teams/core?q=hidden-words');
  await world.ask('GET', `/somewhere/${world.tokens.admin}`, { as: 'none', headers: session });
  const { text } = await world.ask('GET', url, { headers });
  const kept = world.store.read();
  const forbidden = [
    ...[...kept.all('User')].flatMap(({ spec }) => [spec.email]),
    ...[...kept.all('Token')].flatMap(({ id, spec }) => [spec.hash, id]),
    ...[...kept.all('Session')].flatMap(({ id, spec }) => [spec.hash, id]),
    ...[...kept.all('Team')].map(({ spec }) => spec.displayName),
    ...Object.values(world.tokens).flatMap((token) => token ?? []),
    String(session.cookie).split('=')[1] ?? '',
    ...['very-private', 'hidden-words', 'somewhere', 'request-of-ann', '127.0.0.1', '@', 'weirp_', 'Example.com'],
  ].filter((word) => word !== 'garbage');
  for (const word of forbidden) assert.not(text.includes(word), word);
  const names = new Set([...text.matchAll(/([a-z]+)="/g)].map(([, name]) => name));
  const known = [
    'type',
    'state',
    'status',
    'severity',
    'version',
    'outcome',
    'result',
    'trigger',
    'method',
    'route',
    'cause',
    'mode',
    'limit',
    'condition',
    'part',
    'target',
  ];
  const ofNode = ['le', 'space', 'major', 'minor', 'patch', 'kind'];
  assert.equal(
    [...names].filter((name) => ![...known, ...ofNode].includes(String(name))),
    [],
  );
  await world.close();
});

secrets('does not change by how a request ends: one that the client gives up is told like any other', async () => {
  const world = await startWorld();
  const address = await world.app.listen({ host: '127.0.0.1', port: 0 });
  const stop = new AbortController();
  const asked = fetch(`${address}/api/v1/admin/config`, {
    headers: { authorization: `Bearer ${world.tokens.admin}` },
    signal: stop.signal,
  }).catch(() => {});
  const arrived = once(world.app.server, 'request');
  await arrived;
  stop.abort();
  await asked;
  const series = await scrape(world);
  assert.ok([...series.keys()].every((name) => !name.includes('NaN')));
  await world.close();
});

secrets.run();

function raise(error: Error): never {
  throw error;
}

async function adminIn(into: Store): Promise<string> {
  const { mintToken } = await import('../../src/auth/token.ts');
  const { kinds } = await import('../../src/core/kinds/index.ts');
  const { token, hash } = mintToken();
  const times = { generation: 1, createdAt: at, updatedAt: at } as const;
  const user = kinds.User.spec.parse({ email: 'ann@example.net', admin: true });
  const changes = [
    created({ kind: 'User', id: 'ann', name: 'ann', spec: user, ...times }),
    created({ kind: 'Token', id: 't', name: 't', spec: kinds.Token.spec.parse({ user: 'ann', hash }), ...times }),
  ];
  await into.commit(() => ({ changes }), { id: 'seed' });
  return token;
}
