// Which limit each operation counts in, by address or by credential; and that nobody with a good credential waits for strangers.
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bucket } from '../../src/http/plugins/buckets.ts';
import { contractOf, type Operation } from './contract.ts';
import { browser, login, put } from './people.ts';
import { type ServerWorld, startWorld, tree } from './world.ts';

/** What is counted elsewhere than with all requests alone. */
const counted: Readonly<Record<string, Bucket>> = {
  'POST /account/login': 'sign-in',
  'POST /sso/saml/{name}/acs': 'sign-in',
  'POST /account/register': 'sign-in',
  'GET /account/invitation': 'sign-in',
  'POST /account/verify-email': 'sign-in',
  'POST /account/forgot-password': 'sign-in',
  'GET /account/reset-link': 'sign-in',
  'POST /account/reset-password': 'sign-in',
  'POST /account/restore-email': 'sign-in',
  'POST /account/logout': 'ways-in',
  'GET /account/sso': 'ways-in',
  'GET /account/registration': 'ways-in',
  'PUT /api/v1/user': 'own-password',
  'PUT /api/v1/user/password': 'own-password',
  'POST /api/v1/user/actions/delete': 'own-password',
};

const platform = (rateLimit: string) => ({
  ...tree,
  'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: {rateLimit: ${rateLimit}}\n`,
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Headers = Readonly<Record<string, string>>;

async function from(world: ServerWorld, address: string, method: Method, url: string, headers: Headers = {}) {
  const answer = await world.app.inject({ method, url, remoteAddress: address, headers });
  const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json');
  return {
    status: answer.statusCode,
    detail: isProblem ? String(answer.json().detail) : '',
    left: [answer.headers['ratelimit-limit'], answer.headers['ratelimit-remaining']].map(
      (text) => text && Number(text),
    ),
  };
}

const nameOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
const urlOf = ({ path }: Operation) => path.replaceAll(/\{[^}]+\}/g, 'x');
const garbage = { authorization: 'Bearer weirp_garbage' };

const table = suite('where each operation is counted');

async function everyOperation(world: ServerWorld): Promise<readonly Operation[]> {
  const { operations } = contractOf((await world.ask('GET', '/api/')).body);
  for (const name of Object.keys(counted))
    if (!name.includes('/sso/saml/'))
      assert.ok(
        operations.some((one) => nameOf(one) === name),
        name,
      );
  // The last one ends the session that asks for the others.
  return operations.toSorted((a, b) => Number(a.path === '/account/logout') - Number(b.path === '/account/logout'));
}

table('is what RateLimit headers speak of', async () => {
  const world = await startWorld(platform('{signInPerMinute: 30, requestsPerMinute: 1000}'));
  let host = 0;
  for (const one of await everyOperation(world)) {
    const most = counted[nameOf(one)] === undefined ? 1000 : 30;
    const address = () => {
      host += 1;
      return `10.0.${host >> 8}.${host % 256}`;
    };
    const ask = (headers: Headers) => from(world, address(), one.method.toUpperCase() as Method, urlOf(one), headers);
    assert.equal((await ask({})).left, [most, most - 1], nameOf(one));
    const { status, left } = await ask(garbage);
    const bad = status === 401 && counted[nameOf(one)] !== 'sign-in' ? [300, 299] : [most, most - 1];
    assert.equal(left, bad, `${nameOf(one)} by a bad credential`);
  }
  await world.close();
});

const fillers: Readonly<Record<Exclude<Bucket, 'requests'>, readonly [Method, string]>> = {
  'sign-in': ['POST', '/account/forgot-password'],
  'ways-in': ['GET', '/account/sso?email=a@example.net'],
  'own-password': ['PUT', '/api/v1/user/password'],
  'bad-credential': ['GET', '/api/v1/stacks'],
};

for (const bucket of Object.keys(fillers) as (keyof typeof fillers)[])
  table(`is ${bucket} for some, and others go on when that is full`, async () => {
    const world = await startWorld(platform('{signInPerMinute: 30}'));
    await put(world.store, 'bea');
    const headers = { 'own-password': await world.signedIn('bea'), 'bad-credential': garbage }[String(bucket)] ?? {};
    const [method, url] = fillers[bucket];
    const most = bucket === 'bad-credential' ? 300 : 30;
    for (let n = 0; n < most; n += 1)
      assert.is.not((await from(world, '192.0.2.1', method, url, headers)).status, 429, `${n}`);
    for (const one of await everyOperation(world)) {
      const ask = (by: Headers) => from(world, '192.0.2.1', one.method.toUpperCase() as Method, urlOf(one), by);
      // Without any credential first: what is open to everybody counts no bad ones.
      const isOpen = bucket === 'bad-credential' && (await ask({})).status !== 401;
      const expected = bucket === 'bad-credential' ? !isOpen : counted[nameOf(one)] === bucket;
      const { status } = await ask(headers);
      assert.is(status === 429, expected, `${nameOf(one)}: ${status}`);
    }
    await world.close();
  });

table.before.each(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }));
table.after.each(() => mock.timers.reset());
table.run();

const known = suite('a good credential');

known('is counted by itself, wherever it is sent from, and not with the strangers at its address', async () => {
  const world = await startWorld(platform('{requestsPerMinute: 5}'));
  await put(world.store, 'bea');
  const session = await world.signedIn('bea');
  const token = { authorization: `Bearer ${world.tokens.user}` };
  const who = (address: string, headers: Headers) => from(world, address, 'GET', '/api/v1/user', headers);
  const statuses = async (times: number, address: string, headers: Headers) => {
    const all: number[] = [];
    for (let n = 0; n < times; n += 1) all.push((await who(address, headers)).status);
    return all;
  };
  assert.equal(await statuses(6, '192.0.2.1', {}), [401, 401, 401, 401, 401, 429]);
  assert.equal(await statuses(2, '192.0.2.1', garbage), [429, 429], 'a bad one is a stranger');
  assert.equal(await statuses(6, '192.0.2.1', token), [200, 200, 200, 200, 200, 429]);
  assert.equal(await statuses(1, '192.0.2.2', token), [429]);
  assert.match((await who('192.0.2.2', token)).detail, /^This credential asked 5 times within a minute/);
  assert.equal(await statuses(6, '192.0.2.1', session), [200, 200, 200, 200, 200, 429]);
  assert.match((await who('192.0.2.1', {})).detail, /^This address asked 5 times within a minute/);
  await world.close();
});

known('changes a password and signs out while strangers at its address have had all their tries', async () => {
  const world = await startWorld(platform('{signInPerMinute: 4}'));
  await put(world.store, 'bea');
  const headers = browser(await login(world, 'bea'));
  for (let n = 0; n < 3; n += 1) await login(world, 'nobody');
  assert.is((await login(world, 'nobody')).status, 429);
  for (let n = 0; n < 5; n += 1) await world.ask('GET', '/account/registration', { as: 'none' });
  const ask = (method: Method, url: string, body?: object) => world.ask(method, url, { as: 'none', headers, body });
  const refused = await ask('PUT', '/api/v1/user/password', { current: 'wrong', new: 'seven grey herons' });
  assert.is(refused.status, 403);
  assert.is((await ask('POST', '/account/logout')).status, 200);
  assert.is(world.store.read().count('Session'), 0);
  await world.close();
});

known('gives nobody more guesses at somebody else: those are counted by address', async () => {
  const world = await startWorld(platform('{signInPerMinute: 2}'));
  await put(world.store, 'bea');
  const by = [world.tokens.user, world.tokens.owner, world.tokens.member, world.tokens.viewer];
  const all: number[] = [];
  for (const token of by) all.push((await login(world, 'bea', 'a guess', { authorization: `Bearer ${token}` })).status);
  assert.equal(all, [401, 401, 429, 429]);
  await world.close();
});

known.before.each(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }));
known.after.each(() => mock.timers.reset());
known.run();
