// What holds for every list, every read and every change that the description knows: pages, ETags and If-Match.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contractOf, type Operation } from './contract.ts';
import { inPlaceOf, startPopulated } from './populated.ts';
import { tokenIn } from './team-people.ts';

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
const session = await world.signedIn('ann');
const password = 'correct horse battery';
const ask = (
  method: Operation['method'],
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
) => world.ask(method, url, { ...credentialFor(url, headers), ...(body === undefined ? {} : { body }) });

/** An admin, and for its own channel a device. */
function credentialFor(url: string, headers: Readonly<Record<string, string>>) {
  const isChannel = /^\/api\/v1\/device($|[/?])/.test(url);
  return isChannel
    ? ({ as: 'device', headers } as const)
    : ({ as: 'none', headers: { ...session, ...headers } } as const);
}

const there = await populateMore();

const lists = suite('every list');

for (const operation of contract.operations.filter(isList))
  lists(`${operation.path} is answered in pages that hold each item once`, async () => {
    const url = addressOf(operation);
    const whole = await ask('GET', `${url}?limit=1000`);
    const { meta, count, ...rest } = whole.body;
    const [plural = '', ...others] = Object.keys(rest);
    assert.equal([meta, others, count], [{}, [], rest[plural].length], whole.text);
    assert.ok(count > 0, 'an empty list shows nothing');
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await ask('GET', `${url}?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      assert.equal([page.status, page.body.count], [200, count], page.text);
      paged.push(...page.body[plural]);
      cursor = page.body.meta.next_cursor ?? '';
      assert.ok(cursor === '' || page.body[plural].length === 1, page.text);
      assert.ok(paged.length <= count, 'it does not end');
      if (cursor === '') break;
    }
    assert.equal(paged, rest[plural]);
  });

for (const operation of contract.operations.filter(isList))
  lists(`${operation.path} refuses a limit, cursor or parameter that it does not know`, async () => {
    const foreign = Buffer.from('["of another list","x","y"]').toString('base64url');
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=2.5',
      'cursor=%00',
      `cursor=${foreign}`,
      'page=2',
    ]) {
      const { status, body, text } = await ask('GET', `${addressOf(operation)}?${query}`);
      assert.equal([status, body.code], [400, 'invalid_request'], `${query}: ${text}`);
    }
  });

lists.run();

const reads = suite('every read');

// What a link in a mail opens can be read by it alone (`pages.test.ts`).
const readable = contract.operations.filter(({ method, id }) => method === 'GET' && id !== 'getResetLink');

for (const operation of readable)
  reads(`${operation.path} has an ETag, and is not sent again to who has it`, async () => {
    const url = addressOf(operation);
    const { status, headers, text } = await ask('GET', url);
    assert.is(status, 200, text);
    const etag = String(headers.etag);
    assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},W/"x"`, '*']) {
      const again = await ask('GET', url, { 'if-none-match': known });
      assert.equal([again.status, again.text, again.headers.etag], [304, '', etag], known);
      assert.is(again.headers['content-type'], undefined);
    }
    assert.is((await ask('GET', url, { 'if-none-match': '"other"' })).status, 200);
  });

reads.run();

const changes = suite('every change');

for (const operation of contract.operations.filter(
  ({ method }) => method === 'PUT' || method === 'PATCH' || method === 'DELETE',
)) {
  const at = `${operation.method} ${operation.path}`;
  const tried = (ifMatch: string) =>
    ask(operation.method, `${addressOf(operation)}?dryRun=true`, { 'if-match': ifMatch }, bodyOf(operation));

  changes(`${at} is refused where If-Match names another version`, async () => {
    for (const other of ['"other"', '"x.1.y"', 'W/"x.1.y"', '"a", "b"', '""', 'other', '']) {
      const { status, body, text } = await tried(other);
      assert.equal([status, body.code], [412, 'precondition_failed'], `${other}: ${text}`);
    }
  });

  changes(`${at} is done where If-Match is a star`, async () => {
    const { status, text } = await tried('*');
    assert.is(status, 200, text);
  });

  changes(`${at} is done for the ETag that was read, alone or in a list, and not for a weak one`, async () => {
    const read = versionOf(operation);
    if (read === undefined) return;
    const { headers, text } = await ask('GET', read);
    const etag = String(headers.etag);
    for (const known of [etag, `"other", ${etag}`, `W/"other",${etag}`])
      assert.is((await tried(known)).status, 200, text);
    for (const weak of [`W/${etag}`, `"other", W/${etag}`]) assert.is((await tried(weak)).status, 412, weak);
  });
}

changes('is seen by If-Match in real, and only then', async () => {
  const { headers } = await ask('GET', '/api/v1/teams/core');
  const old = { 'if-match': String(headers.etag) };
  // What surrounds a team is no part of its version: somebody joins, and a rename still fits.
  await ask('PUT', '/api/v1/teams/core/members/bob', {}, { role: 'viewer' });
  assert.is.not((await ask('GET', '/api/v1/teams/core')).headers.etag, headers.etag);
  const done = await ask('PUT', '/api/v1/teams/core', old, { name: 'Once' });
  assert.is(done.status, 200, done.text);
  const late = await ask('PUT', '/api/v1/teams/core', old, { name: 'Twice' });
  assert.equal([late.status, late.body.code], [412, 'precondition_failed']);
  assert.match(late.body.detail, /changed since it was read/);
  assert.is((await ask('GET', '/api/v1/teams/core')).body.name, 'Once');
  const gone = await ask('PUT', '/api/v1/teams/nothing', { 'if-match': '*' }, { name: 'Nobody' });
  assert.is(gone.status, 404);
});

changes.after(world.close);
changes.run();

function isList({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'limit');
}

/** The address of something that is there. */
function addressOf({ method, path }: Operation): string {
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => there[`${method} ${path}`] ?? there[path] ?? there[name] ?? inPlaceOf(path, name)[0] ?? '',
  );
  return method === 'GET' ? `${filled}${there[path] ?? ''}` : filled;
}

/** Where the version of what a change is about is read; not everything can be read alone. */
function versionOf(operation: Operation): string | undefined {
  const read = { '/api/v1/user/password': '/api/v1/user' }[operation.path] ?? operation.path;
  const isThere = contract.operations.some(({ method, path }) => method === 'GET' && path === read);
  return isThere ? addressOf({ ...operation, path: read }) : undefined;
}

/** A body that is well formed; what a rule says of it is told by a dry run, and is no matter here. */
function bodyOf({ id, raw }: Operation): unknown {
  if (id === 'changePassword') return { current: password, new: 'seven grey herons' };
  return raw.requestBody?.content['application/json'].example;
}

/** Adds things that the admin who asks can see or change, two or three of each; answers which to name in addresses. */
async function populateMore(): Promise<Readonly<Record<string, string>>> {
  await make('PUT', '/api/v1/users/ann', { password });
  for (const name of ['a', 'b']) {
    await make('POST', '/api/v1/stacks', { name, spec: { runtime: name } });
    await make('POST', '/api/v1/instance-types', { name, spec: { stacks: [name] } });
    await make('POST', '/api/v1/teams', { name: `Team ${name}`, type: 'starter' });
  }
  await make('POST', '/api/v1/teams/core/instances', { name: 'line two', instanceType: 'small', template: 'plain' });
  for (const [team, as] of [
    ['core', 'owner'],
    ['other', 'otherOwner'],
  ] as const)
    await world.ask('POST', `/api/v1/teams/${team}/invitations`, { as, body: { user: 'ann', role: 'viewer' } });
  const tokens = [
    await make('POST', '/api/v1/user/tokens', { name: 'a' }),
    await make('POST', '/api/v1/user/tokens', { name: 'b' }),
  ];
  await make('POST', '/api/v1/admin/stats-token');
  await make('POST', '/api/v1/admin/config/reconcile', {});
  await world.signedIn('ann');
  const first = async (path: string, plural: string) => (await ask('GET', path)).body[plural][0];
  const invitation = tokenIn(world);
  return {
    // Without instances, so that it can go.
    'DELETE /api/v1/teams/{id}': 'other',
    // Without devices, so that it can go.
    'DELETE /api/v1/device-groups/{id}': 'core-group',
    '/api/v1/user/tokens/{id}': tokens[0].id,
    '/api/v1/user/sessions/{id}': (await first('/api/v1/user/sessions', 'sessions')).id,
    '/api/v1/user/invitations/{id}': (await first('/api/v1/user/invitations', 'invitations')).id,
    invitationId: 'core-asks',
    revision: encodeURIComponent((await first('/api/v1/admin/config/history', 'history')).revision),
    '/account/invitations/{token}': invitation,
    '/account/invitation': `?token=${invitation}`,
    '/account/sso': '?email=ann@example.net',
  };
}

async function make(method: 'POST' | 'PUT', url: string, body?: unknown) {
  const made = await ask(method, url, {}, body);
  assert.ok(made.status < 300, `${method} ${url}: ${made.text}`);
  return made.body;
}
