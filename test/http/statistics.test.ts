// timeout: 400
// The statistics and their token: what is answered, in which form, and that the token opens this and nothing else.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { hashToken } from '../../src/auth/token.ts';
import { policy } from '../../src/core/access/policy.ts';
import { routes } from '../../src/http/routes/index.ts';
import { newStatisticsTokenView, statisticsView } from '../../src/http/views/statistics.ts';
import type { Entry } from '../../src/store/store.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { type Asked, type ServerWorld, startWorld, tree } from './world.ts';

const url = '/api/v1/admin/stats';
const tokenUrl = '/api/v1/admin/stats-token';
const openMetrics = { accept: 'application/openmetrics-text' };

const settings = (on: boolean) =>
  `kind: AdminSettings\nmetadata: {name: default}\nspec: {statisticsTokenAccess: ${on}}\n`;

const suiteOf = (name: string, files = tree) => suiteInWorld(name, () => startWorld(files));

/** Asks with nothing but a token. */
function withToken(world: ServerWorld, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Asked> {
  return world.ask('GET', url, { as: 'none', headers: { authorization: `Bearer ${token}`, ...headers } });
}

async function switchOn(world: ServerWorld, on = true): Promise<void> {
  const { status } = await world.ask('PUT', '/api/v1/admin-settings', {
    body: { spec: { statisticsTokenAccess: on } },
  });
  assert.is(status, 200);
}

async function mint(world: ServerWorld): Promise<string> {
  const { status, body } = await world.ask('POST', tokenUrl);
  assert.is(status, 201);
  return newStatisticsTokenView.parse(body).token;
}

const figures = suiteOf('GET /api/v1/admin/stats');

figures('answers key figures as JSON, to an admin by token and by session', async ({ world }) => {
  const { status, headers, body } = await world.ask('GET', url);
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  statisticsView.parse(body);
  assert.is(body.userCount, 8);
  assert.is(body.adminCount, 2);
  assert.is(body.teamCount, 2);
  assert.equal(body.teamsByType, { starter: 2 });
  const session = await world.ask('GET', url, { as: 'none', headers: await world.signedIn('ann') });
  assert.equal(session.body, { ...body, sessionCount: 1 });
});

figures('answers OpenMetrics with version and charset where Accept names it, and JSON otherwise', async ({ world }) => {
  for (const [accept, isText] of [
    ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.4', true],
    ['application/json, application/openmetrics-text;q=0.1', true],
    ['application/openmetrics-text;q=0', false],
    ['text/plain;version=0.0.4', false],
    ['*/*', false],
    ['text/html', false],
  ] as const) {
    const { status, headers } = await world.ask('GET', url, { headers: { accept } });
    assert.is(status, 200, accept);
    assert.is(headers.vary, 'Accept');
    const expected = isText
      ? 'application/openmetrics-text; version=1.0.0; charset=utf-8'
      : 'application/json; charset=utf-8';
    assert.is(headers['content-type'], expected, accept);
  }
});

figures('has the figures in both forms alike, with labels where JSON has maps', async ({ world }) => {
  const { body } = await world.ask('GET', url);
  const { text } = await world.ask('GET', url, { headers: openMetrics });
  assert.match(text, /^# HELP weir_teams .+\n# TYPE weir_teams gauge\nweir_teams\{type="starter"\} 2$/m);
  assert.match(text, new RegExp(`^weir_users ${body.userCount}$`, 'm'));
  assert.match(text, new RegExp(`^weir_admins ${body.adminCount}$`, 'm'));
  for (const [state, count] of Object.entries(body.instancesByState))
    assert.match(text, new RegExp(`^weir_instances\\{state="${state}"\\} ${count}$`, 'm'));
  assert.ok(text.endsWith('\n# EOF\n'));
});

figures('answers 304 for what the client has, in either form, and never one form for the other', async ({ world }) => {
  const json = await world.ask('GET', url);
  const again = await world.ask('GET', url, { headers: { 'if-none-match': String(json.headers.etag) } });
  assert.is(again.status, 304);
  assert.is(again.headers.vary, 'Accept');
  assert.is(again.text, '');
  const text = await world.ask('GET', url, {
    headers: { ...openMetrics, 'if-none-match': String(json.headers.etag) },
  });
  assert.is(text.status, 200);
  assert.is.not(text.headers.etag, json.headers.etag);
  assert.is((await world.ask('GET', url, { headers: { ...openMetrics, 'if-none-match': '*' } })).status, 304);
});

figures('tells a HEAD as much as a GET, without the body', async ({ world }) => {
  const { status, headers, text } = await world.ask('HEAD', url, { headers: openMetrics });
  assert.is(status, 200);
  assert.match(String(headers['content-type']), /^application\/openmetrics-text/);
  assert.is(text, '');
});

figures('takes no query that it does not know', async ({ world }) => {
  assert.is((await world.ask('GET', `${url}?format=text`)).status, 400);
});

figures.run();

const minting = suiteOf('the statistics token');

minting(
  'is made while the switch is on, is shown once, opens the statistics, and replaces the one before',
  async ({ world }) => {
    await switchOn(world);
    const first = await mint(world);
    assert.match(first, /^weirp_[0-9A-Za-z]{46}$/);
    assert.is((await withToken(world, first)).status, 200);
    assert.is((await withToken(world, first, openMetrics)).status, 200);
    const second = await mint(world);
    assert.is((await withToken(world, first)).status, 401);
    assert.is((await withToken(world, second)).status, 200);
    assert.is(world.store.read().count('StatisticsToken'), 1);
    const kept = JSON.stringify([...world.store.read().all('StatisticsToken')]);
    assert.not.match(kept, new RegExp(second));
    assert.match(kept, new RegExp(hashToken(second)));
  },
);

minting('is refused while the switch is off, in words that say what to do', async ({ world }) => {
  const { status, body } = await world.ask('POST', tokenUrl);
  assert.is(status, 409);
  assert.is(body.code, 'conflict');
  assert.match(body.detail, /AdminSettings\/default has statisticsTokenAccess off: switch it on first/);
});

minting('is revoked by DELETE, which says so where there is none', async ({ world }) => {
  await switchOn(world);
  const token = await mint(world);
  assert.is((await world.ask('DELETE', tokenUrl, { headers: { 'if-match': '"other.x"' } })).status, 412);
  assert.is((await withToken(world, token)).status, 200);
  const { status, text } = await world.ask('DELETE', tokenUrl);
  assert.is(status, 204);
  assert.is(text, '');
  assert.is((await withToken(world, token)).status, 401);
  assert.is((await world.ask('DELETE', tokenUrl)).status, 404);
  assert.is((await world.ask('DELETE', tokenUrl, { headers: { 'if-match': '*' } })).status, 412);
});

minting('is planned by a dry run, which keeps nothing and shows no secret', async ({ world }) => {
  await switchOn(world);
  const token = await mint(world);
  const { position } = world.store.read();
  const planned = await world.ask('POST', `${tokenUrl}?dryRun=true`);
  assert.is(planned.status, 200);
  assert.equal(
    planned.body.changes.map(({ kind, action }: { kind: string; action: string }) => [kind, action]).sort(),
    [
      ['StatisticsToken', 'create'],
      ['StatisticsToken', 'delete'],
    ],
  );
  assert.not.match(planned.text, /[0-9a-f]{64}.*[0-9a-f]{64}.*[0-9a-f]{64}.*[0-9a-f]{64}/);
  assert.not.match(planned.text, new RegExp(hashToken(token)));
  assert.not.match(planned.text, /weirp_/);
  assert.is((await world.ask('DELETE', `${tokenUrl}?dryRun=true`)).body.summary.delete, 1);
  assert.is(world.store.read().position, position);
  assert.is((await withToken(world, token)).status, 200);
});

minting('is made once for an Idempotency-Key, and cannot be shown again', async ({ world }) => {
  await switchOn(world);
  const headers = { 'idempotency-key': 'k-1' };
  const first = await world.ask('POST', tokenUrl, { headers });
  assert.is(first.status, 201);
  const again = await world.ask('POST', tokenUrl, { headers });
  assert.is(again.status, 409);
  assert.is(again.body.code, 'idempotency_conflict');
  assert.not.match(again.text, /weirp_/);
  assert.is((await withToken(world, first.body.token)).status, 200);
});

minting('is told in the audit log by who made and revoked it, without its text or hash', async ({ world }) => {
  await switchOn(world);
  await world.ask('DELETE', tokenUrl);
  const before = (await world.store.records({ stream: 'audit', limit: 100 })).length;
  const token = await mint(world);
  await world.ask('DELETE', tokenUrl);
  const records = await world.store.records({ stream: 'audit', limit: 100 });
  assert.equal(
    records.slice(0, records.length - before).map(({ body }) => [body.event, Object(body.actor).name]),
    [
      ['statistics-token.deleted', 'ann'],
      ['statistics-token.created', 'ann'],
    ],
  );
  assert.not.match(JSON.stringify(records), new RegExp(`${token}|${hashToken(token)}`));
});

minting('is remembered when it was last used, as tokens of users are', async ({ world }) => {
  await switchOn(world);
  await withToken(world, await mint(world));
  await world.app.close();
  assert.equal(
    [...world.store.read().all('StatisticsToken')].map(({ spec }) => spec.lastUsedAt),
    ['2026-11-21T10:00:00.000Z'],
  );
});

minting.run();

const opens = suiteOf('what the statistics token opens');

opens('is one route of all that there are, with whatever method', async ({ world }) => {
  await switchOn(world);
  const authorization = `Bearer ${await mint(world)}`;
  const opened: string[] = [];
  for (const route of routes) {
    if (policy[route.action].who === 'anyone') continue;
    const address = route.url
      .replace(':slug', 'core')
      .replace(/teams\/:id/, 'teams/core')
      .replaceAll(/:\w+/g, 'ann');
    for (const method of route.method === 'GET' ? (['GET', 'HEAD'] as const) : [route.method]) {
      const { status } = await world.ask(method, address, { as: 'none', headers: { authorization } });
      assert.ok(status < 500, `${method} ${address}: ${status}`);
      if (status !== 401 && status !== 403) opened.push(`${method} ${route.url}`);
    }
  }
  assert.equal(opened, [`GET ${url}`, `HEAD ${url}`]);
});

opens('is nothing as a cookie, or beside a session', async ({ world }) => {
  await switchOn(world);
  const token = await mint(world);
  const asCookie = await world.ask('GET', url, { as: 'none', headers: { cookie: `weir_session=${token}` } });
  assert.is(asCookie.status, 401);
  const session = await world.signedIn('ann');
  const beside = await world.ask('GET', '/api/v1/stacks', {
    as: 'none',
    headers: { ...session, authorization: `Bearer ${token}` },
  });
  assert.is(beside.status, 403);
});

opens.run();

const overApi = suiteOf('switching off over the API');

overApi('deletes the token in the same commit, and switching on does not revive it', async ({ world }) => {
  await switchOn(world);
  const token = await mint(world);
  const commits: string[][] = [];
  world.store.subscribe((entry) => {
    if (entry !== 'reset') commits.push(entry.changes.map(({ kind, after }) => `${kind} ${after ? 'set' : 'deleted'}`));
  });
  await switchOn(world, false);
  assert.equal(commits, [['AdminSettings set', 'StatisticsToken deleted']]);
  assert.is((await withToken(world, token)).status, 401);
  await switchOn(world);
  assert.is((await withToken(world, token)).status, 401);
  assert.is((await withToken(world, await mint(world))).status, 200);
});

overApi('leaves the token alone when another switch moves', async ({ world }) => {
  await switchOn(world);
  const token = await mint(world);
  const spec = { statisticsTokenAccess: true, userTeamCreation: true };
  assert.is((await world.ask('PUT', '/api/v1/admin-settings', { body: { spec } })).status, 200);
  assert.is((await withToken(world, token)).status, 200);
});

overApi.run();

const byTree = suiteOf('switching off in the tree', { ...tree, 'settings.yaml': settings(true) });

async function apply(world: ServerWorld, text: string): Promise<void> {
  await writeFile(join(world.root, 'settings.yaml'), text);
  const { status, text: answer } = await world.ask('POST', '/api/v1/admin/config/reconcile', { body: {} });
  assert.is(status, 200, answer);
}

byTree('deletes the token in the same commit, with an audit entry', async ({ world }) => {
  const token = await mint(world);
  assert.is((await withToken(world, token)).status, 200);
  const entries: Entry[] = [];
  const leave = world.store.subscribe((entry) => {
    if (entry !== 'reset' && entry.changes.length > 0) entries.push(entry);
  });
  await apply(world, settings(false));
  leave();
  assert.equal(
    entries.map(({ changes }) => changes.map(({ kind, after }) => `${kind} ${after ? 'set' : 'deleted'}`)),
    [['AdminSettings set', 'StatisticsToken deleted', 'Reconciled set']],
  );
  assert.ok(entries[0]?.records.some(({ body }) => body.event === 'statistics-token.deleted'));
  assert.is((await withToken(world, token)).status, 401);
  assert.is((await world.ask('POST', tokenUrl)).status, 409);
});

byTree('is also to take the document away: the defaults are off', async ({ world }) => {
  const token = await mint(world);
  await rm(join(world.root, 'settings.yaml'));
  const { status, text } = await world.ask('POST', '/api/v1/admin/config/reconcile', { body: { allowDeletes: 1 } });
  assert.is(status, 200, text);
  assert.is(world.store.read().count('AdminSettings'), 0);
  assert.is((await withToken(world, token)).status, 401);
});

byTree('does not revive a token when the switch is on again', async ({ world }) => {
  const token = await mint(world);
  await apply(world, settings(false));
  await apply(world, settings(true));
  assert.is((await withToken(world, token)).status, 401);
  const fresh = await mint(world);
  assert.is((await withToken(world, fresh)).status, 200);
});

byTree.run();
