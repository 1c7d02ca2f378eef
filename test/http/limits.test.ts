// How often an address may ask: what is counted, by which address, for how long; and what is said when there is too much to do.

import { mock } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../support/until.ts';
import { password, put } from './people.ts';
import { type ServerWorld, startWorld, tree } from './world.ts';

const platform = (api: string) => ({
  ...tree,
  'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: ${api}\n`,
});

interface From {
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'POST' | 'PUT';

/** Asks from an address. */
async function from(world: ServerWorld, method: Method, url: string, body?: object, { address, headers }: From = {}) {
  const answer = await world.app.inject({
    method,
    url,
    remoteAddress: address ?? '192.0.2.1',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    code: isProblem ? answer.json().code : undefined,
    text: answer.body,
  };
}

const guess = (world: ServerWorld, where: From = {}, secret = 'a wrong password') =>
  from(world, 'POST', '/account/login', { username: 'bea', password: secret }, where);

async function statuses(
  times: number,
  ask: (index: number) => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) all.push((await ask(index)).status);
  return all;
}

const counts = (all: readonly number[]) => all.filter((status) => status !== 429).length;

const signIns = suite('attempts to sign in');

signIns('are sixty a minute from an address by default, right or wrong; others are not concerned', async () => {
  const world = await startWorld();
  await put(world.store, 'bea');
  const all = await statuses(60, () => from(world, 'GET', '/account/reset-link?token=x'));
  assert.is(counts(all), 60);
  const over = await guess(world, {}, password);
  assert.equal([over.status, over.code], [429, 'rate_limited']);
  const wait = Number(over.headers['retry-after']);
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
  assert.match(over.text, /This address asked 60 times within a minute, which is the limit: try again in \d+ s\./);
  assert.not.match(String(over.headers['content-type']), /html/);
  assert.ok(over.headers['x-request-id']);
  assert.is((await guess(world, { address: '192.0.2.2' }, password)).status, 200);
  assert.is((await from(world, 'GET', '/healthz')).status, 200, 'nothing else is counted');
  await world.close();
});

signIns('may be made again when the minute is over', async () => {
  const world = await startWorld(platform('{rateLimit: {signInPerMinute: 2}}'));
  await put(world.store, 'bea');
  try {
    assert.equal(await statuses(3, () => guess(world)), [401, 401, 429]);
    mock.timers.tick(59_000);
    const late = await guess(world);
    assert.equal([late.status, late.headers['retry-after']], [429, '1']);
    mock.timers.tick(1000);
    assert.is((await guess(world, {}, password)).status, 200);
  } finally {
    await world.close();
  }
});

signIns('are counted together, by whatever route a password or a link is tried', async () => {
  const ways: readonly (readonly [Method, string, object?])[] = [
    ['POST', '/account/login', { username: 'bea', password: 'x' }],
    ['POST', '/account/register', { username: 'x', email: 'x@example.net', password: 'x' }],
    ['POST', '/account/forgot-password', { email: 'bea@example.net' }],
    ['POST', '/account/reset-password', { token: 'x', password: 'x' }],
    ['POST', '/account/verify-email', { token: 'x' }],
    ['GET', '/account/reset-link?token=x'],
    ['GET', '/account/invitation?token=x'],
  ];
  const world = await startWorld(platform(`{rateLimit: {signInPerMinute: ${ways.length}}}`));
  await put(world.store, 'bea');
  const headers = await world.signedIn('bea');
  for (const [method, url, body] of ways)
    assert.is.not((await from(world, method, url, body, { headers })).status, 429, url);
  for (const [method, url, body] of ways) {
    const { status, code } = await from(world, method, url, body, { headers });
    assert.equal([status, code], [429, 'rate_limited'], url);
    assert.is.not((await from(world, method, url, body, { headers, address: '192.0.2.9' })).status, 429);
  }
  await world.close();
});

signIns('are refused before a password is compared, and count as no wrong one', async () => {
  const world = await startWorld(platform('{rateLimit: {signInPerMinute: 4}}'));
  await put(world.store, 'bea');
  await statuses(20, () => guess(world));
  const bea = world.store.read().get('User', 'bea');
  assert.equal([bea?.spec.failedSignIns, bea?.spec.lockedUntil], [4, null]);
  assert.is((await guess(world, { address: '192.0.2.2' }, password)).status, 200);
  await world.close();
});

signIns('are not limited where the platform says 0', async () => {
  const world = await startWorld(platform('{rateLimit: {signInPerMinute: 0}}'));
  const ask = () => from(world, 'GET', '/account/reset-link?token=x');
  assert.is(counts(await statuses(100, ask)), 100);
  await world.close();
});

standing(signIns);
signIns.run();

const addresses = suite('the address that is counted');
const two = '{rateLimit: {signInPerMinute: 2}}';
const forged = (index: number) => ({
  headers: {
    'x-forwarded-for': `198.51.100.${index}`,
    'x-real-ip': `198.51.100.${index}`,
    forwarded: `for=198.51.100.${index}`,
    'x-client-ip': `198.51.100.${index}`,
    'cf-connecting-ip': `198.51.100.${index}`,
  },
});

addresses('is that of the connection, whatever headers say', async () => {
  const world = await startWorld(platform(two));
  await put(world.store, 'bea');
  assert.is(counts(await statuses(6, (index) => guess(world, forged(index)))), 2);
  const [entry] = await world.store.records({ stream: 'audit', limit: 1 });
  assert.is(entry?.body['address'], '192.0.2.1');
  await world.close();
});

addresses(
  'is the last one in X-Forwarded-For where a proxy is trusted: what a client writes before it is not looked at',
  async () => {
    const world = await startWorld(platform(`{trustProxy: true, ${two.slice(1)}`));
    await put(world.store, 'bea');
    const through = (client: string, index: number) => ({
      headers: { ...forged(index).headers, 'x-forwarded-for': `198.51.100.${index}, 10.0.0.${index}, ${client}` },
    });
    assert.is(counts(await statuses(6, (index) => guess(world, through('203.0.113.1', index)))), 2);
    assert.is((await guess(world, through('203.0.113.2', 0), password)).status, 200, 'others behind the proxy may');
    const [entry] = await world.store.records({ stream: 'audit', limit: 1 });
    assert.is(entry?.body['address'], '203.0.113.2');
    await world.close();
  },
);

addresses('is that of the connection where a trusted proxy says nothing', async () => {
  const world = await startWorld(platform(`{trustProxy: true, ${two.slice(1)}`));
  assert.is(counts(await statuses(4, () => guess(world))), 2);
  await world.close();
});

addresses('is a network of IPv6, of which whoever has one address has all', async () => {
  const world = await startWorld(platform(two));
  const at = (address: string) => (index: number) => guess(world, { address: `${address}${index + 1}` });
  assert.is(counts(await statuses(5, at('2001:db8:0:1::'))), 2);
  assert.is(counts(await statuses(3, at('2001:db8:0:2::'))), 2);
  // An IPv4 address by its IPv6 name is one address, and not part of one network with all others.
  assert.is(counts(await statuses(3, () => guess(world, { address: '::ffff:192.0.2.7' }))), 2);
  assert.is((await guess(world, { address: '192.0.2.7' })).status, 429);
  assert.is((await guess(world, { address: '::ffff:192.0.2.8' })).status, 401);
  await world.close();
});

standing(addresses);
addresses.run();

const requests = suite('requests');

requests('are limited where the platform says so, of a token or else of an address; probes never', async () => {
  const world = await startWorld(platform('{rateLimit: {requestsPerMinute: 5, signInPerMinute: 3}}'));
  await put(world.store, 'bea');
  const headers = { authorization: `Bearer ${world.tokens.admin}` };
  const ask = (address?: string) =>
    from(world, 'GET', '/api/v1/user', undefined, { headers, ...(address ? { address } : {}) });
  assert.equal(await statuses(7, () => ask()), [200, 200, 200, 200, 200, 429, 429]);
  assert.is((await ask('192.0.2.2')).status, 429);
  await statuses(5, () => from(world, 'GET', '/api/v1/user'));
  assert.equal(await statuses(9, () => from(world, 'GET', '/healthz')), Array(9).fill(200));
  assert.is((await from(world, 'GET', '/account/login')).status, 429);
  // The two limits are counted apart: requests take nothing from the attempts to sign in.
  const other = { address: '192.0.2.3' };
  assert.equal(
    await statuses(5, (index) =>
      index < 3 ? from(world, 'GET', '/api/v1/user', undefined, other) : guess(world, other),
    ),
    [401, 401, 401, 401, 401],
  );
  await world.close();
});

requests('count also where there is nothing, and where nothing can be read', async () => {
  for (const [method, url] of [
    ['GET', '/nowhere'],
    ['PUT', '/api/v1/stacks'],
    ['GET', '/api/v1/stacks/%zz'],
    ['GET', `/api/v1/stacks/${'x'.repeat(300)}`],
  ] as const) {
    const world = await startWorld(platform('{rateLimit: {requestsPerMinute: 3}}'));
    const all = await statuses(5, () => from(world, method, url));
    assert.is(counts(all), 3, `${method} ${url}: ${all}`);
    assert.equal(all.slice(3), [429, 429]);
    await world.close();
  }
});

requests('say what is left, of the limit that ends first', async () => {
  const world = await startWorld(platform('{rateLimit: {requestsPerMinute: 5, signInPerMinute: 2}}'));
  const told = async (asking: Promise<{ readonly headers: Readonly<Record<string, unknown>> }>) => {
    const { headers } = await asking;
    assert.ok(headers['ratelimit-reset'] === undefined || Number(headers['ratelimit-reset']) <= 60);
    return [headers['ratelimit-limit'], headers['ratelimit-remaining']].map((text) => text && Number(text));
  };
  assert.equal(await told(from(world, 'GET', '/healthz')), [undefined, undefined]);
  assert.equal(await told(from(world, 'GET', '/nowhere')), [5, 4]);
  assert.equal(await told(guess(world)), [2, 1]);
  assert.equal(await told(from(world, 'GET', '/api/v1/stacks')), [5, 2]);
  assert.equal(await told(guess(world)), [2, 0]);
  assert.equal(await told(guess(world)), [2, 0], 'over the limit');
  assert.equal(await told(from(world, 'GET', '/api/v1/stacks')), [5, 0], 'over the limit');
  await world.close();
});

requests('are those of one address, whatever port a proxy writes to it', async () => {
  const world = await startWorld(platform('{trustProxy: true, rateLimit: {requestsPerMinute: 2}}'));
  for (const host of ['192.0.2.7', '[2001:db8::1]']) {
    const all = await statuses(4, (index) =>
      from(world, 'GET', '/api/', undefined, { headers: { 'x-forwarded-for': `${host}:${4711 + index}` } }),
    );
    assert.is(counts(all), 2, host);
  }
  await world.close();
});

requests('are not limited by default', async () => {
  const world = await startWorld();
  const headers = { authorization: `Bearer ${world.tokens.admin}` };
  assert.is(counts(await statuses(200, () => from(world, 'GET', '/api/v1/user', undefined, { headers }))), 200);
  await world.close();
});

standing(requests);
requests.run();

const overload = suite('a server that has more to do than it can');

overload('turns requests away at once, says when to come back, answers probes, and recovers', async () => {
  const world = await startWorld(undefined, { pressure: { delayMs: 300, seconds: 2 } });
  const headers = { authorization: `Bearer ${world.tokens.admin}` };
  const ask = () => from(world, 'GET', '/api/v1/user', undefined, { headers });
  assert.is((await ask()).status, 200);
  for (let turn = 0; turn < 3; turn += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    await sleep(1);
    await setImmediate();
  }
  const [answer, other, ...probes] = await Promise.all([
    ask(),
    from(world, 'POST', '/api/v1/stacks', {}, { headers }),
    from(world, 'GET', '/healthz'),
    from(world, 'GET', '/readyz'),
  ]);
  const { status, code, headers: told, text } = answer;
  assert.equal([status, code, told['retry-after']], [503, 'unavailable', '5']);
  assert.match(text, /more to do than it can/);
  assert.equal([other.status, ...probes.map((probe) => probe.status)], [503, 200, 200]);
  await until('it has recovered', async () => (await ask()).status === 200);
  await world.close();
});

overload.run();

/** Stops the clock while a test runs: the minute that is counted in is not over because the machine is slow. */
function standing(tests: Test): void {
  tests.before.each(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }));
  tests.after.each(() => mock.timers.reset());
}
