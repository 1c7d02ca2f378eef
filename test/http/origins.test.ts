// Pages elsewhere: what a browser sends from them with a session's cookie changes nothing; a header with a token is nobody's by accident.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contractOf } from './contract.ts';
import { inPlaceOf, startPopulated } from './populated.ts';
import { type ServerWorld, startWorld } from './world.ts';

const own = 'http://weir.example';
/** What is not the address of the platform, though much of it looks like it. */
const elsewhere = [
  'https://weir.example',
  'http://weir.example:8080',
  'http://weir.example.evil.example',
  'http://evil.example',
  'http://sub.weir.example',
  'http://WEIR.example',
  'http://weir.example/',
  'null',
  '',
  `${own}, http://evil.example`,
] as const;

const change = async (world: ServerWorld, headers: Readonly<Record<string, string>>) => {
  const { status, body } = await world.ask('PUT', '/api/v1/user', { as: 'none', headers, body: { name: 'Changed' } });
  return [status, body?.code];
};

const pages = suite('a page elsewhere');

pages('cannot change anything by the cookie of a session: the origin has to be ours, to the letter', async () => {
  const world = await startWorld();
  const { cookie = '' } = await world.signedIn('bob');
  const before = world.store.read().position;
  assert.equal(await change(world, { cookie }), [403, 'forbidden']);
  for (const origin of elsewhere) assert.equal(await change(world, { cookie, origin }), [403, 'forbidden'], origin);
  // Other headers that tell where a request is from, or that a proxy adds, stand for nothing.
  const beside = { referer: `${own}/account/settings`, host: 'weir.example', 'x-forwarded-host': 'evil.example' };
  assert.equal(await change(world, { cookie, ...beside }), [403, 'forbidden']);
  assert.equal(await change(world, { cookie, origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }), [
    403,
    'forbidden',
  ]);
  assert.is(world.store.read().position, before);
  assert.is((await change(world, { cookie, origin: own }))[0], 200);
  await world.close();
});

pages('cannot do so by any route, whoever may', async () => {
  const world = await startPopulated();
  const contract = contractOf((await world.ask('GET', '/api/')).body);
  // An assertion of single sign-on comes from another origin by its nature, and is guarded by other means.
  const changing = contract.operations.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/sso/'));
  const { cookie = '' } = await world.signedIn('ann');
  const before = world.store.read().position;
  for (const { method, path, raw } of changing) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => inPlaceOf(path, name)[0] ?? '');
    const body = raw.requestBody?.content['application/json']?.example;
    for (const headers of [{ cookie }, { cookie, origin: 'http://evil.example' }]) {
      const answer = await world.ask(method, url, { as: 'none', headers, ...(body === undefined ? {} : { body }) });
      assert.equal([answer.status, answer.body.code], [403, 'forbidden'], `${method} ${path}`);
      assert.is(answer.headers['set-cookie'], undefined);
    }
  }
  assert.is(world.store.read().position, before);
  await world.close();
});

pages('may read nothing either: no answer lets other origins in', async () => {
  const world = await startWorld();
  const { cookie = '' } = await world.signedIn('bob');
  const { status, headers } = await world.ask('GET', '/api/v1/user', {
    as: 'none',
    headers: { cookie, origin: 'http://evil.example' },
  });
  assert.is(status, 200);
  assert.equal(
    Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    [],
  );
  assert.is(headers['cross-origin-resource-policy'], 'same-origin');
  const preflight = await world.ask('OPTIONS', '/api/v1/user', {
    as: 'none',
    headers: { origin: 'http://evil.example', 'access-control-request-method': 'PUT' },
  });
  assert.is(preflight.status, 405);
  await world.close();
});

pages.run();

const both = suite('a header beside a cookie');

both('is what counts, and needs no origin', async () => {
  const world = await startWorld();
  const { cookie = '' } = await world.signedIn('olga');
  const authorization = `Bearer ${world.tokens.user}`;
  const read = await world.ask('GET', '/api/v1/user', { as: 'none', headers: { cookie, authorization } });
  assert.is(read.body.username, 'bob', 'not olga, whose cookie it is');
  for (const origin of [undefined, 'http://evil.example'])
    assert.is((await change(world, { cookie, authorization, ...(origin === undefined ? {} : { origin }) }))[0], 200);
  assert.is(world.store.read().get('User', 'olga')?.spec.displayName, '');
  await world.close();
});

both('opens nothing where the token does not, whatever the cookie would', async () => {
  const world = await startWorld();
  const { cookie = '' } = await world.signedIn('olga');
  const { revoked = '', expired = '', suspended = '' } = world.tokens;
  for (const authorization of [
    `Bearer ${revoked}`,
    `Bearer ${expired}`,
    `Bearer ${suspended}`,
    'Bearer',
    'Bearer x',
    'Basic b2xnYTp4',
    '',
  ]) {
    const headers = { cookie, authorization, origin: own };
    assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers })).status, 401, authorization);
    assert.equal(await change(world, headers), [401, 'unauthorized'], authorization);
  }
  // What a session alone may do, a token beside it may not.
  const headers = { cookie, authorization: `Bearer ${world.tokens.owner}`, origin: own };
  const minted = await world.ask('POST', '/api/v1/user/tokens', { as: 'none', headers, body: { name: 'x' } });
  assert.equal([minted.status, minted.body.code], [403, 'session_required']);
  await world.close();
});

both.run();
