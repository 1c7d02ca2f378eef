// What somebody tries who means harm, or who has seen something once and is not to see it again.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemOf } from '../../src/http/errors.ts';
import { createRecordTurns, recordPage } from '../../src/http/record-page.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { startWorld, tree } from './world.ts';

const world = await startWorld();
const { ask } = world;

function never(): never {
  throw new Error('nothing is written here');
}

const exhaustion = suite('one request alone');

exhaustion('does not keep the server busy with a name that is far too long', async () => {
  const name = `${'a'.repeat(100_000)}\n`;
  const spent = await cpuTime(async () => {
    const refused = await ask('PUT', '/api/v1/teams/core', { as: 'owner', body: { name } });
    assert.is(refused.status, 400, refused.text);
    assert.equal(
      refused.body.violations.map(({ message }: { message: string }) => message),
      ['name must be at most 255 characters long'],
    );
  });
  // Matched against the form of a name, ten times as much takes a quarter of an hour.
  assert.ok(spent < 2000, `${spent} ms`);
});

exhaustion('does not keep the server busy with an address that is far too long', async () => {
  const options = { catalogues: [`http://${':'.repeat(100_000)}`] };
  const spent = await cpuTime(async () => {
    const body = { name: 'a', instanceType: 'small', template: 'standard', options };
    assert.is((await ask('POST', '/api/v1/teams/core/instances', { as: 'member', body })).status, 400);
  });
  assert.ok(spent < 2000, `${spent} ms`);
});

exhaustion('is refused where its body is nested too deep to be looked at', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const body = `{"name":"a","instanceType":"small","template":"standard","options":{"theme":${deep}}}`;
  const headers = { 'idempotency-key': 'deep' };
  const refused = await ask('POST', '/api/v1/teams/core/instances', { as: 'member', body, headers });
  assert.is(refused.status, 400, refused.text);
  assert.match(refused.body.detail, /nested deeper than 64 levels/);
  const wide = { name: 'wide', spec: { runtime: '4', environment: Array(1000).fill([[1]]) } };
  assert.not.match((await ask('POST', '/api/v1/stacks', { body: wide })).text, /nested/);
});

exhaustion('for the audit log is not read beside very many others, which would hold up everybody', async () => {
  let [running, most] = [0, 0];
  const store: typeof world.store = {
    ...world.store,
    records: async (query) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
      return world.store.records(query);
    },
  };
  const around = { door: { store, facts: () => never() }, recordTurns: createRecordTurns() };
  const read = () => recordPage(around, { stream: 'audit' }, { limit: 1 });
  const ended = await Promise.allSettled(Array.from({ length: 150 }, read));
  assert.is(most, 2);
  const refused = ended.flatMap((one) => (one.status === 'rejected' ? [problemOf(one.reason).code] : []));
  assert.equal(refused, Array(48).fill('unavailable'));
  assert.is((await read()).items.length, 1);
});

exhaustion.run();

const repeating = suite('a request that is sent again');

repeating.after(() => world.close());

repeating('shows nothing of a team to who made it and was put out of it', async () => {
  await world.ask('PUT', '/api/v1/admin-settings', { body: { spec: { userTeamCreation: true } } });
  const again = {
    as: 'owner',
    body: { name: 'Mine', type: 'starter' },
    headers: { 'idempotency-key': 'mine' },
  } as const;
  const made = await ask('POST', '/api/v1/teams', again);
  assert.is(made.status, 201, made.text);
  assert.is((await ask('POST', '/api/v1/teams', again)).body.id, made.body.id);
  const team = `/api/v1/teams/${made.body.id}`;
  assert.is((await ask('PUT', `${team}/members/bob`, { body: { role: 'owner' } })).status, 200);
  assert.is((await ask('DELETE', `${team}/members/olga`)).status, 204);
  assert.is((await ask('PUT', team, { body: { name: 'Not hers' } })).status, 200);
  const refused = await ask('POST', '/api/v1/teams', again);
  assert.equal([refused.status, refused.body.code], [409, 'idempotency_conflict']);
  assert.not.match(refused.text, /Not hers/);
});

repeating.run();

const mailing = suite('somebody who is invited');

mailing('is not mailed without end by inviting, withdrawing and inviting again', async () => {
  const other = await startWorld({ ...tree, 'weir.yaml': `${tree['weir.yaml']}  email: {from: weir@example.com}\n` });
  const again = async (user: string, as: 'owner' | 'admin' = 'owner') => {
    const made = await other.ask('POST', '/api/v1/teams/core/invitations', { as, body: { user, role: 'viewer' } });
    if (made.status === 201) await other.ask('DELETE', `/api/v1/teams/core/invitations/${made.body.id}`);
    return made;
  };
  for (let nth = 0; nth < 20; nth += 1) assert.is((await again(nth % 2 ? 'bob' : 'BOB')).status, 201);
  const refused = await again('bob');
  assert.equal([refused.status, refused.body.code], [429, 'rate_limited']);
  assert.is(refused.headers['retry-after'], '3600');
  assert.is(other.mails.length, 20);
  // Neither others who are invited nor others who invite have to wait, nor does anybody for ever.
  assert.is((await again('otto')).status, 201);
  assert.is((await again('bob', 'admin')).status, 201);
  other.setNow('2026-11-21T11:00:00.000Z');
  assert.is((await again('bob')).status, 201);
  await other.close();
});

mailing.run();

const secrets = suite('a secret of the server');

secrets('is not given to an instance by its team, whose flows could read it', async () => {
  const types = (tree['types.yaml'] ?? '').replace('teamLibrary: true', 'customNpmCatalogs: true');
  const other = await startWorld(
    { ...tree, 'types.yaml': types, 'fit.yaml': 'kind: Template\nmetadata: {name: standard}\n' },
    { drivers: new Map([['local', { provides: new Set(['customNpmCatalogs'] as const) }]]) },
  );
  const instances = '/api/v1/teams/core/instances';
  const body = (options: object) => ({ name: 'a', instanceType: 'small', template: 'standard', options });
  const pointing = { npmrc: { fromEnv: 'WEIR_SECRET_LDAP' }, httpAuth: { password: { fromFile: 'smtp' } } };
  for (const url of [instances, `${instances}?dryRun=true`]) {
    const refused = await other.ask('POST', url, { as: 'owner', body: body(pointing) });
    assert.is(refused.status, 400, refused.text);
    const paths = refused.body.violations.map(({ path }: { path: string }) => path);
    assert.equal(paths.sort(), ['/options/httpAuth/password', '/options/npmrc']);
    assert.match(refused.body.violations[0].message, /only admins may have an instance read a secret of the server/);
  }
  const written = { as: 'member', body: body({ npmrc: 'token', httpAuth: { password: 'word' } }) } as const;
  const made = await other.ask('POST', instances, written);
  assert.is(made.status, 201, made.text);
  const url = `/api/v1/instances/${made.body.id}`;
  const put = (as: 'member' | 'admin', options: object) => other.ask('PUT', url, { as, body: { options } });
  assert.is((await put('member', { npmrc: pointing.npmrc })).status, 400);
  // An admin may; and what is there stays when a member changes something else, and goes when they write their own.
  assert.is((await put('admin', { npmrc: pointing.npmrc })).status, 200);
  assert.is((await put('member', { theme: 'dark', npmrc: { set: true } })).status, 200);
  assert.is((await put('member', { npmrc: { fromEnv: 'WEIR_SECRET_SMTP' } })).status, 400);
  assert.is((await put('member', { npmrc: 'token' })).status, 200);
  await other.close();
});

secrets.run();

const proxied = suite('an address behind a proxy');

proxied(
  'is limited and kept without the port that some proxies write, which is another at each connection',
  async () => {
    const api = '  api: {trustProxy: true, rateLimit: {signInPerMinute: 3}}\n';
    const other = await startWorld({ ...tree, 'weir.yaml': `${tree['weir.yaml']}${api}` });
    let minute = 0;
    const tryFrom = (address: string) => {
      // Strangers of one minute have one entry.
      other.setNow(`2026-11-21T10:${String(minute++).padStart(2, '0')}:00.000Z`);
      return other.ask('POST', '/account/login', {
        as: 'none',
        body: { username: 'nobody', password: 'x' },
        headers: { 'x-forwarded-for': address },
      });
    };
    const statuses = async (addresses: readonly string[]) => {
      const found: number[] = [];
      for (const address of addresses) found.push((await tryFrom(address)).status);
      return found;
    };
    assert.equal(
      await statuses(['192.0.2.1:1001', '192.0.2.1:1002', '192.0.2.1', '192.0.2.1:1003', '192.0.2.2:1001']),
      [401, 401, 401, 429, 401],
    );
    assert.equal(
      await statuses(['[2001:db8::1]:1001', '[2001:db8::2]:1002', '2001:db8::3', '[2001:db8::4]', '2001:db8:0:1::1']),
      [401, 401, 401, 429, 401],
    );
    const log = (await other.ask('GET', '/api/v1/admin/audit-log?event=sign-in')).body.auditEntries;
    assert.equal([...new Set(log.map(({ address }: { address: string }) => address))].sort(), [
      '192.0.2.1',
      '192.0.2.2',
      '2001:db8:0:1::1',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8::3',
    ]);
    await other.close();
  },
);

proxied.run();
