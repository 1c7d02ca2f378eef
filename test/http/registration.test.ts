// Registering over HTTP: what is on offer, who may, what is mailed, and the first sign-in.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashToken } from '../../src/auth/token.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import { auditOf, counting, login, password, platform, put, ssoDocuments, tokenIn, treeWith } from './people.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const inAWorld = (name: string, files: Readonly<Record<string, string>>) => suiteInWorld(name, () => startWorld(files));
const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
const noa = { username: 'noa', email: 'Noa@people.example', password, name: 'Noa' };
const register = ({ ask }: ServerWorld, body: object = noa) => ask('POST', '/account/register', { as: 'none', body });
const verify = ({ ask }: ServerWorld, token: string, proof: object = { password }) =>
  ask('POST', '/account/verify-email', { as: 'none', body: { token, ...proof } });
const rules = ({ body }: Awaited<ReturnType<typeof register>>) =>
  (body.violations ?? []).map(({ rule }: { rule: string }) => rule);

const open = inAWorld('registering', treeWith(['registration']));

open('makes a user who signs in once the address is verified', async ({ world }) => {
  const { status, body, headers } = await register(world);
  assert.is(status, 201);
  assert.equal([body.username, body.email, body.name, body.admin], ['noa', 'noa@people.example', 'Noa', false]);
  assert.is(headers['set-cookie'], undefined);
  const early = await login(world, 'noa');
  assert.equal([early.status, early.body.code], [401, 'unauthorized']);
  assert.match(early.body.detail, /^The address of this account is not verified yet: open the link/);
  const verified = await verify(world, tokenIn(world, 'noa@people.example'));
  assert.equal([verified.status, verified.body.username], [200, 'noa']);
  assert.is((await login(world, 'noa')).status, 200);
});

open(
  'takes the password of who registered to confirm the address: its owner may open the link of a stranger',
  async ({ world }) => {
    await register(world);
    const token = tokenIn(world, 'noa@people.example');
    const confirm = async (proof: object) => {
      const { status, body } = await verify(world, token, proof);
      return [status, body.code];
    };
    assert.equal(await confirm({}), [401, 'unauthorized']);
    for (let n = 0; n < 5; n += 1) assert.equal(await confirm({ password: `guess ${n}` }), [403, 'forbidden']);
    assert.equal(await confirm({ password }), [403, 'forbidden'], 'wrong ones count as at sign-in');
    const { body } = await verify(world, token, { password });
    assert.match(body.detail, /cannot be confirmed, because the password of the account is another/i);
    assert.is(world.store.read().named('User', 'noa')?.spec.emailVerified, false);
    world.setNow(later(900));
    assert.equal((await confirm({ password }))[0], 200);
    assert.is((await verify(world, token)).status, 400, 'once');
  },
);

open('mails a link at our own address, whatever the request calls the server', async ({ world }) => {
  await world.ask('POST', '/account/register', { as: 'none', body: noa, headers: { host: 'evil.example' } });
  assert.is(world.mails.length, 1);
  assert.match(world.mails[0]?.text ?? '', /http:\/\/weir\.example\/account\/login\?verify=[0-9A-Za-z]{40}\n/);
  assert.not.match(world.mails[0]?.text ?? '', 'evil');
});

open('sends the link again at sign-in, once a minute, to who knows the password', async ({ world }) => {
  await register(world);
  const first = tokenIn(world, 'noa@people.example');
  await login(world, 'noa');
  assert.is(world.mails.length, 1);
  world.setNow(later(60));
  await login(world, 'noa', 'wrong password');
  assert.is(world.mails.length, 1);
  await login(world, 'noa');
  await login(world, 'noa');
  assert.is(world.mails.length, 2);
  assert.is((await verify(world, first)).status, 400, 'the newest link is the one that counts');
  assert.is((await verify(world, tokenIn(world, 'noa@people.example'))).status, 200);
});

open('says that a username is taken, and nothing of an address', async ({ world }) => {
  await put(world.store, 'bea');
  const taken = await register(world, { ...noa, username: 'BEA', email: 'bea@people.example' });
  assert.equal([taken.status, taken.body.code, rules(taken)], [409, 'rule_violated', ['username-unique']]);
  assert.is(world.mails.length, 0);
});

open(
  'answers for an address that is taken as for one that is free, whatever is tried afterwards',
  async ({ world }) => {
    await put(world.store, 'bea');
    await put(world.store, 'uma', { emailVerified: false });
    const after = async (username: string, email: string) => {
      const secret = 'eight blue otters';
      const made = await register(world, { ...noa, username, email, password: secret });
      const answers = [
        made,
        await register(world, { ...noa, username, email: 'another@people.example' }),
        await login(world, username, secret),
        await login(world, username, 'wrong'),
        await login(world, email, secret),
        await login(world, email, 'wrong'),
        await world.ask('POST', '/account/forgot-password', { as: 'none', body: { email } }),
      ];
      const shown = { ...made.body, id: 'an id' };
      return [shown, ...answers.map(({ status, body }) => [status, body.code, body.detail])].map((each) =>
        JSON.stringify(each).replaceAll(email, 'ADDRESS').replaceAll(username, 'NAME'),
      );
    };
    const free = await after('free', 'free@people.example');
    assert.match(free[1] ?? '', /^\[201,/);
    assert.equal(await after('thief', 'bea@people.example'), free);
    assert.equal(await after('squatter', 'uma@people.example'), free);
    const thief = world.store.read().named('User', 'thief');
    assert.match(thief?.spec.email ?? '', /@unclaimed\.invalid$/);
    assert.is(world.store.read().named('User', 'bea')?.spec.email, 'bea@people.example');
    const told = world.mails.filter(({ subject }) => /registered with your address/.test(subject));
    assert.equal(
      told.map(({ to }) => to),
      ['bea@people.example', 'uma@people.example'],
    );
    assert.not.match(JSON.stringify(world.mails), 'unclaimed');
  },
);

open('tells the owner of an address once a day, however often others register with it', async ({ world }) => {
  await put(world.store, 'bea');
  const count = () => world.mails.length;
  for (let n = 0; n < 5; n += 1) await register(world, { ...noa, username: `thief-${n}`, email: 'bea@people.example' });
  assert.is(count(), 1);
  world.setNow(later(86_400));
  await register(world, { ...noa, username: 'thief-9', email: 'bea@people.example' });
  assert.is(count(), 2);
});

open('refuses what cannot be, all at once, and a password that others would guess', async ({ world }) => {
  const bad = await register(world, { username: 'a b', email: 'nothing', password: '', extra: 1 });
  const paths = bad.body.violations.map(({ path }: { path: string }) => path);
  assert.equal([bad.status, paths], [400, ['/username', '/email', '/password', '/extra']]);
  const lines = await register(world, { ...noa, name: 'Noa\nof teams' });
  assert.equal([lines.status, lines.body.violations[0].path], [400, '/name']);
  for (const weak of ['short', 'password123', 'x'.repeat(257)]) {
    const { status, body } = await register(world, { ...noa, password: weak });
    assert.equal([status, body.violations[0].path], [400, '/password'], weak);
  }
  assert.is(world.store.read().named('User', 'noa'), undefined);
});

open('keeps no password, and no token of a link', async ({ world }) => {
  await register(world);
  const everything = JSON.stringify([
    ...world.store.read().all('User'),
    ...world.store.read().all('ActionToken'),
    ...(await world.store.records({ stream: 'audit', limit: 100 })),
    world.logged,
  ]);
  assert.not.match(everything, password);
  assert.not.match(everything, tokenIn(world, 'noa@people.example'));
  assert.not.match(JSON.stringify(await world.store.records({ stream: 'audit', limit: 100 })), 'argon2');
});

open('is audited as done by nobody who is known', async ({ world }) => {
  await register(world);
  const log = (await auditOf(world.store)).filter((line) => line.endsWith(' noa'));
  assert.equal(log, ['user.created - noa', 'action-token.created - noa']);
});

open('makes one user of the same form sent ten times at once', async ({ world }) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => register(world)));
  assert.equal(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)]);
  assert.is(world.mails.length, 1);
});

open.run();

const closed = suite('a platform that is not open');

closed('refuses to register, before it hashes anything', async () => {
  const passwords = counting();
  for (const files of [treeWith([]), { ...treeWith([]), 'weir.yaml': platform().replace(/ {2}email.*\n/, '') }]) {
    const world = await startWorld(files, { passwords });
    const { status, body } = await register(world);
    assert.equal([status, body.code], [403, 'forbidden']);
    assert.is((await world.ask('GET', '/account/registration', { as: 'none' })).body.enabled, false);
    await world.close();
  }
  assert.equal(passwords.asked(), { hash: 0, verify: 0 });
});

closed('refuses a domain that makes its own users', async () => {
  const world = await startWorld(treeWith(['registration'], { 'sso.yaml': ssoDocuments }));
  const dan = await register(world, { ...noa, email: 'dan@dir.example' });
  assert.equal([dan.status, dan.body.code], [403, 'forbidden']);
  assert.is((await register(world, { ...noa, email: 'noa@corp.example' })).status, 201, 'corp provisions nobody');
  await world.close();
});

closed.run();

const types =
  'kind: TeamType\nmetadata: {name: big}\nspec: {order: -1}\n---\nkind: TeamType\nmetadata: {name: gift}\nspec: {selfService: false}\n';
const teams = inAWorld(
  'a team for who registers',
  treeWith(['registration', 'personalTeamOnRegistration', 'passwordReset'], { 'more-types.yaml': types }),
);

teams('is offered with the types that may be chosen', async ({ world }) => {
  const { status, body } = await world.ask('GET', '/account/registration', { as: 'none' });
  assert.is(status, 200);
  assert.equal(body, {
    enabled: true,
    personalTeam: true,
    teamTypes: [
      { name: 'big', description: '', order: -1 },
      { name: 'starter', description: 'For a start.', order: 0 },
    ],
    passwordReset: true,
  });
});

teams('tells a bad password and a type that is missing or not on offer at once', async ({ world }) => {
  for (const [choice, words] of [
    [{}, /^teamType is missing, .*choose one of big, starter$/],
    [{ teamType: 'gift' }, /^teamType cannot be this, .*choose one of big, starter$/],
  ] as const) {
    const { status, body } = await register(world, { ...noa, ...choice, password: 'short' });
    const paths = body.violations.map(({ path }: { path: string }) => path);
    assert.equal([status, paths], [400, ['/password', '/teamType']]);
    assert.match(body.violations[1].message, words);
  }
  assert.is(world.store.read().named('User', 'noa'), undefined);
});

teams('is of the type that they chose, and theirs', async ({ world }) => {
  assert.is((await register(world)).status, 400);
  assert.is((await register(world, { ...noa, teamType: 'gift' })).status, 400);
  assert.is((await register(world, { ...noa, name: '', teamType: 'big' })).status, 201);
  assert.is(
    (await register(world, { ...noa, username: 'noa2', email: 'b@b.b', name: 'nOa', teamType: 'big' })).status,
    201,
  );
  const slugs = [...world.store.read().all('Team')].map(({ name }) => name).filter((name) => name.startsWith('team-'));
  assert.equal(slugs, ['team-noa', 'team-noa-2']);
});

teams.run();

const invited = inAWorld('an invitation', treeWith([]));
const token = 'a'.repeat(40);

invited.before.each(async ({ world }) => {
  const spec = { team: 'core', role: 'viewer', inviter: 'olga', email: 'noa@people.example' } as const;
  const letter: Resource<'Invitation'> = {
    ...{ kind: 'Invitation', id: 'letter', name: 'letter', generation: 1, createdAt: start, updatedAt: start },
    spec: { ...spec, hash: hashToken(token), expiresAt: later(7 * 86_400) },
  };
  await world.store.commit(() => ({ changes: [created(letter)] }), { id: newId() });
});

invited('lets its address register while nobody else may, and puts them into the team', async ({ world }) => {
  assert.is((await register(world)).status, 403);
  assert.is((await register(world, { ...noa, invitation: token })).status, 201);
  assert.is(world.mails.length, 0, 'they have shown that they read mail there');
  assert.is(world.store.read().count('Invitation'), 0);
  assert.is((await login(world, 'noa')).status, 200);
});

invited('is no way in for another address, by another token, or after its end', async ({ world }) => {
  const by = async (more: object) => (await register(world, { ...noa, invitation: token, ...more })).status;
  assert.equal([await by({ email: 'eve@people.example' }), await by({ invitation: 'b'.repeat(40) })], [403, 400]);
  world.setNow(later(7 * 86_400));
  assert.is(await by({}), 400);
});

invited.run();
