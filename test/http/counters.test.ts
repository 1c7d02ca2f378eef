// timeout: 300
// Every counter, asked at once and answered out of order: none gives more than it promises.
import { mock } from 'node:test';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createQuota } from '../../src/http/quota.ts';
import { createTries } from '../../src/http/tries.ts';
import { createWrongPasswords } from '../../src/http/wrong-passwords.ts';
import { until } from '../support/until.ts';
import { secret, testDirectory } from './directory-world.ts';
import { login, password, put, ssoDocuments, treeWith } from './people.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { days, later, makeTeam, startTeams, tokenIn } from './team-people.ts';
import { type Asked, type ServerWorld, startWorld } from './world.ts';

const times = (count: number) => [...Array(count).keys()];
const statuses = (answers: readonly Asked[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** What the work answers, or nothing where it throws. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const memory = suite('what a process counts');

memory('tries: five wrong ones in a quarter of an hour, in whatever order they end', () => {
  const step = fc.record({ begins: fc.boolean(), which: fc.nat(9), wait: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const desk = createTries({ most: 5, closedMs: 900_000, names: 100 });
      const open: { end(outcome: 'wrong'): void }[] = [];
      let [at, begun] = [0, 0];
      for (const { begins, which, wait } of steps) {
        at += wait;
        const one = begins ? desk.begin('ghost', at) : undefined;
        if (one) {
          open.push(one);
          begun += 1;
        } else open.splice(which % Math.max(1, open.length), 1)[0]?.end('wrong');
      }
      assert.ok(begun <= 5, `${begun} were let through`);
    }),
  );
});

memory(
  'wrong passwords of a network: two minutes at full speed, then a tenth of it, in whatever order they end',
  () => {
    const step = fc.record({ tries: fc.boolean(), which: fc.nat(9), seconds: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { take } = createWrongPasswords();
        const open: { giveBack(): void }[] = [];
        let at = 0;
        for (const { tries, which, seconds } of steps) {
          at += seconds;
          const taken = tries ? attempt(() => take('2001:db8::7', 6, later(at))) : undefined;
          if (taken) open.push(taken);
          if (!tries) open.splice(which % Math.max(1, open.length), 1)[0]?.giveBack();
          // Two minutes of six, and six in each ten minutes.
          assert.ok(open.length <= 12 + (at / 600) * 6 + 1e-6, `${open.length} in ${at} s`);
        }
      }),
    );
  },
);

memory('wrong passwords of a network: others wait for nobody, nor does anybody where there is no limit', () => {
  const { take } = createWrongPasswords(3);
  for (let n = 0; n < 4; n += 1) take('192.0.2.1', 2, later(0));
  assert.throws(() => take('192.0.2.1', 2, later(0)), /Very many wrong passwords came from your network.*in 300 s/);
  assert.throws(() => take('::ffff:192.0.2.1', 2, later(299)), /in 1 s/, 'the same network in other clothes');
  for (const other of ['192.0.2.2', '2001:db8::1', '2001:db8:0:1::1']) take(other, 2, later(299));
  take('192.0.2.1', 0, later(299));
  // Of four networks the oldest was forgotten.
  take('192.0.2.1', 2, later(299));
});

memory('a quota: no more than it has, and again what was given back', () => {
  const step = fc.record({ takes: fc.boolean(), which: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const quota = createQuota({ max: 5, spanMs: 1000 });
      const held: { giveBack(): void }[] = [];
      for (const { takes, which } of steps) {
        const taken = takes ? quota.take('ann', '2026-01-01T00:00:00Z') : undefined;
        if (typeof taken === 'object') held.push(taken);
        else if (takes) assert.is(held.length, 5);
        else held.splice(which % Math.max(1, held.length), 1)[0]?.giveBack();
        assert.ok(held.length <= 5);
      }
    }),
  );
});

memory('what is given back of a time that is over is not of the next one', () => {
  const quota = createQuota({ max: 1, spanMs: 1000 });
  const old = quota.take('ann', '2026-01-01T00:00:00.000Z');
  assert.type(quota.take('ann', '2026-01-01T00:00:01.000Z'), 'object');
  if (typeof old === 'object') old.giveBack();
  assert.is(quota.take('ann', '2026-01-01T00:00:01.500Z'), 1);
});

memory.run();

const mails = suiteInWorld('invitations and mails', () => startTeams());

async function teams(world: ServerWorld, count: number): Promise<string[]> {
  const made = await Promise.all(times(count).map((n) => makeTeam(world, 'user', { name: `T ${n}`, type: 'roomy' })));
  return made.map(({ body }) => body.id);
}
const inviteTo = (world: ServerWorld, team: string, user: string) =>
  world.ask('POST', `/api/v1/teams/${team}/invitations`, { as: 'user', body: { user, role: 'viewer' } });

mails('twenty an hour to an address, however it is written, also at once', async ({ world }) => {
  const all = await teams(world, 60);
  const forms = ['max', 'MAX', 'max@example.net', 'Max@Example.NET'];
  const answers = await Promise.all(all.map((team, n) => inviteTo(world, team, forms[n % 4] ?? '')));
  assert.equal(statuses(answers), { 201: 20, 429: 40 });
  assert.is(world.mails.length, 20);
});

mails('those that are sent again count, and what is refused does not', async ({ world }) => {
  const [team = '', other = ''] = await teams(world, 2);
  const { body } = await inviteTo(world, team, 'max');
  // Each is a conflict: they are invited already.
  for (const answer of await Promise.all(times(30).map(() => inviteTo(world, team, 'max'))))
    assert.is.not(answer.status, 201);
  let sent = 1;
  for (let minute = 1; minute < 40; minute += 1) {
    world.setNow(later(60 * minute));
    const again = await world.ask('POST', `/api/v1/teams/${team}/invitations/${body.id}/resend`, { as: 'user' });
    if (again.status === 200) sent += 1;
  }
  assert.equal([sent, world.mails.length], [20, 20]);
  assert.is((await inviteTo(world, other, 'max@example.net')).status, 429);
});

mails('two hundred a day to all together, and withdrawing gives none back', async ({ world }) => {
  const [team = ''] = await teams(world, 1);
  const address = (n: number) => `guest-${n}@elsewhere.example`;
  const answers = await Promise.all(times(230).map((n) => inviteTo(world, team, address(n))));
  assert.equal(statuses(answers), { 201: 200, 429: 30 });
  const made = answers.filter(({ status }) => status === 201);
  for (const { body } of made.slice(0, 5))
    await world.ask('DELETE', `/api/v1/teams/${team}/invitations/${body.id}`, { as: 'user' });
  const refused = await inviteTo(world, team, address(999));
  assert.equal([refused.status, refused.headers['retry-after']], [429, String(days)]);
  assert.match(refused.body.detail, /you sent 200 invitations within a day/);
  world.setNow(later(days));
  assert.is((await inviteTo(world, team, address(999))).status, 201);
});

mails('members: as many as the type allows', async ({ world }) => {
  // Four are in the team, and six may be.
  const ask = (n: number) =>
    world.ask('POST', '/api/v1/teams/core/invitations', {
      as: 'owner',
      body: { user: `g${n}@elsewhere.example`, role: 'viewer' },
    });
  assert.equal(statuses(await Promise.all(times(12).map(ask))), { 201: 2, 409: 10 });
});

mails('instances: as many as the type allows', async ({ world }) => {
  const ask = (n: number) =>
    world.ask('POST', '/api/v1/teams/core/instances', {
      as: 'owner',
      body: { name: `L ${n}`, instanceType: 'small', template: 'standard' },
    });
  assert.equal(statuses(await Promise.all(times(8).map(ask))), { 201: 2, 409: 6 });
});

mails('an invitation: accepted once', async ({ world }) => {
  await world.ask('POST', '/api/v1/teams/core/invitations', { as: 'owner', body: { user: 'bob', role: 'viewer' } });
  const token = tokenIn(world);
  const ask = () => world.ask('POST', '/account/accept-invitation', { as: 'user', body: { token } });
  const counts = statuses(await Promise.all(times(6).map(ask)));
  assert.is(counts[200], 1);
});

mails('a provisioning token: makes one device', async ({ world }) => {
  await world.putDevices();
  const ask = (n: number) =>
    world.ask('POST', '/api/v1/device/register', { as: 'provisioning', body: { name: `D ${n}` } });
  assert.equal(statuses(await Promise.all(times(6).map(ask))), { 201: 1, 401: 5 });
});

mails.run();

const guesses = suite('guesses');

guesses('a directory is asked five times for a name, in whatever order it answers', async () => {
  const directory = testDirectory();
  const waiting: (() => void)[] = [];
  directory.before = () => new Promise((resolve) => waiting.push(resolve));
  const world = await startWorld(treeWith([], { 'sso.yaml': ssoDocuments }), { directory });
  let second = 0;
  for (let round = 0; round < 10; round += 1) {
    const answers: Promise<Asked>[] = [];
    for (let n = 0; n < 5; n += 1) {
      second += 1;
      world.setNow(later(second));
      const before = waiting.length;
      const answer = login(world, 'ghost@dir.example', `guess ${second}`);
      answers.push(answer);
      let isAnswered = false;
      void answer.then(() => {
        isAnswered = true;
      });
      await until('the directory is asked, or nobody is', () => isAnswered || waiting.length > before);
    }
    // The last is answered first.
    while (waiting.length > 0) {
      waiting.pop()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(answers);
  }
  await world.close();
  assert.is(directory.asked.length, 5);
});

guesses('for many accounts from one network slow that one, also for who has the right one, and no other', async () => {
  const tree = treeWith([], { 'sso.yaml': ssoDocuments });
  const api = 'api: {trustProxy: true, rateLimit: {signInPerMinute: 3}}';
  const files = { ...tree, 'weir.yaml': tree['weir.yaml'].replace(/api: .*/, api) };
  const world = await startWorld(files, { directory: testDirectory() });
  await put(world.store, 'bea');
  await put(world.store, 'boss', { email: 'boss@corp.example', admin: true });
  mock.timers.enable({ apis: ['Date'] });
  let seconds = 0;
  const wait = (more: number) => {
    seconds += more;
    mock.timers.setTime(Date.parse(later(seconds)));
    world.setNow(later(seconds));
  };
  const from = (address: string, username: string, word: string) =>
    world.ask('POST', '/account/login', {
      as: 'none',
      headers: { 'x-forwarded-for': address },
      body: { username, password: word },
    });
  wait(0);
  for (let n = 0; n < 6; n += 1) {
    if (n === 3) wait(61);
    assert.is((await from('192.0.2.1', `user-${n}`, 'Winter2026!')).status, 401, String(n));
  }
  wait(61);
  const slowed = await from('192.0.2.1', 'bea', password);
  assert.equal([slowed.status, slowed.body.code], [429, 'rate_limited']);
  assert.match(slowed.body.detail, /^Very many wrong passwords came from your network/);
  const again = Number(slowed.headers['retry-after']);
  assert.ok(again > 60 && again <= 200, String(again));
  assert.is((await from('192.0.2.2', 'bea', password)).status, 200, 'elsewhere');
  wait(again);
  for (let n = 0; n < 3; n += 1) assert.is((await from('192.0.2.1', 'bea', password)).status, 200, 'gives it back');
  for (let n = 0; n < 9; n += 1) {
    if (n % 3 === 0) wait(61);
    const { body } = await from('192.0.2.3', `user-${n}@corp.example`, 'whatever');
    assert.is(body.code, 'sso_required', `${n}: people of an office who sign in elsewhere`);
  }
  for (let n = 0; n < 9; n += 1) {
    if (n % 3 === 0) wait(61);
    const { status } = await from('192.0.2.4', 'boss@corp.example', 'whatever');

    assert.is(status, n < 6 ? 401 : 429, `${n}: an admin there has a password`);
  }
  mock.timers.reset();
  await world.close();
});

guesses('of a local password are counted one by one: after five wrong ones the right one is refused', async () => {
  const world = await startWorld(treeWith([], {}));
  await put(world.store, 'bea');
  const wrong = await Promise.all(times(8).map((n) => login(world, 'bea', `wrong ${n}`)));
  assert.equal(statuses(wrong), { 401: 8 });
  assert.is((await login(world, 'bea', password)).status, 401);
  await world.close();
  assert.is.not(secret, password);
});

guesses.run();
