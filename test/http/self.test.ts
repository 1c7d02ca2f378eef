// The user who asks: profile, address, password, tokens and sessions.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashToken } from '../../src/auth/token.ts';
import { auditEntryOf } from '../../src/control/audit.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const platform = (more: string) =>
  `kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n${more}`;
const withEmail = {
  ...tree,
  'weir.yaml': platform('  email: {from: weir@example.net, smtp: {host: mail.example.net}}\n'),
};
/** Everybody's domain signs in through SAML. */
const withSso = {
  ...withEmail,
  'net.yaml':
    'kind: SsoConfig\nmetadata: {name: net}\nspec:\n  emailDomain: example.net\n  provider: saml\n  active: true\n  saml: {signOnUrl: "https://idp.example.net/sso", issuer: net, certificate: CERT}\n',
};

const right = 'copper kettle drum';
const other = 'seven grey herons';

/** Gives a user a password, as an admin who is signed in. */
async function givePassword(world: ServerWorld, user: string, password = right): Promise<void> {
  const headers = await world.signedIn('ann');
  const { status } = await world.ask('PUT', `/api/v1/users/${user}`, { as: 'none', headers, body: { password } });
  assert.is(status, 200);
}

/** Bob, signed in and with a password: what changes his address. No mail of that is left. */
async function changer(world: ServerWorld) {
  await givePassword(world, 'bob');
  const headers = await world.signedIn('bob');
  world.mails.length = 0;
  const put = (email: string, query = '') =>
    world.ask('PUT', `/api/v1/user${query}`, { as: 'none', headers, body: { email, currentPassword: right } });
  return { headers, put };
}

async function entriesOf(world: ServerWorld) {
  return (await world.store.records({ stream: 'audit', limit: 1000 })).map(auditEntryOf);
}

const self = suite('the user who asks');

self('is told who they are, and what their credential may do', async () => {
  const world = await startWorld();
  const by = await world.ask('GET', '/api/v1/user', { as: 'user' });
  assert.is(by.status, 200);
  assert.equal(by.body, {
    id: 'bob',
    username: 'bob',
    email: 'bob@example.net',
    name: '',
    admin: false,
    suspended: false,
    ssoManaged: false,
    ssoBound: false,
    createdAt: start,
    lastSignInAt: null,
    emailVerified: true,
    pendingEmail: null,
    can: ['update-self'],
  });
  const headers = await world.signedIn('ann');
  const { body } = await world.ask('GET', '/api/v1/user', { as: 'none', headers });
  assert.equal(body.can, [
    'update-self',
    'change-address',
    'delete-self',
    'change-password',
    'create-token',
    'create-team',
  ]);
  await world.close();
});

self('changes what is given, and nothing else', async () => {
  const world = await startWorld();
  const put = (body: unknown, headers = {}) => world.ask('PUT', '/api/v1/user', { as: 'user', body, headers });
  const { body } = await put({ name: 'Bob B' });
  const { headers } = await world.ask('GET', '/api/v1/user', { as: 'user' });
  assert.equal([body.username, body.name], ['bob', 'Bob B']);
  assert.equal((await put({})).body, body);
  assert.is((await put({ username: 'Robert' })).body.name, 'Bob B');
  assert.is((await put({ username: 'ROBERT' })).body.username, 'ROBERT');
  const taken = await put({ username: 'OLGA' });
  assert.equal([taken.status, taken.body.violations[0].rule], [409, 'username-unique']);
  assert.is((await put({ admin: true })).status, 400);
  const bad = await put({ username: 'a@b', name: 'x'.repeat(256), email: 'nonsense' });
  assert.equal([bad.status, bad.body.violations.length], [400, 3]);
  const stale = await put({ name: 'x' }, { 'if-match': headers.etag });
  assert.is(stale.status, 412);
  const { headers: fresh } = await world.ask('GET', '/api/v1/user', { as: 'user' });
  assert.is((await put({ name: 'x' }, { 'if-match': fresh.etag })).status, 200);
  await world.close();
});

self('plans a change without keeping it', async () => {
  const world = await startWorld(withEmail);
  const { put } = await changer(world);
  const plan = await put('new@example.com', '?dryRun=true');
  assert.is(plan.status, 200, plan.text);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'user' })).body.name, '');
  assert.equal(world.mails, []);
  await world.close();
});

self('has a new address once its link was opened there, and the old address is told', async () => {
  const world = await startWorld(withEmail);
  const { headers, put } = await changer(world);
  const { status, body } = await put('New@Example.org');
  assert.equal([status, body.email, body.pendingEmail], [200, 'bob@example.net', 'new@example.org']);
  const [warning, link] = world.mails;
  assert.equal([link?.to, warning?.to, world.mails.length], ['new@example.org', 'bob@example.net', 2]);
  const token = /verify=(\w{40})/.exec(link?.text ?? '')?.[1] ?? '';
  assert.not.match(`${warning?.text}${warning?.html}`, token);
  assert.is((await put('another@example.org')).status, 409);
  const elsewhere = await world.signedIn('bob');
  const confirm = (as: 'none' | 'user', headers = {}) =>
    world.ask('POST', '/account/verify-email', { as, headers, body: { token } });
  const olga = await world.signedIn('olga');
  for (const [asked, code] of [
    [await confirm('none'), 'unauthorized'],
    [await confirm('user'), 'session_required'],
    [await confirm('none', olga), 'forbidden'],
  ] as const)
    assert.is(asked.body.code, code, asked.text);
  const verified = await confirm('none', headers);
  assert.is(verified.status, 200, verified.text);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: elsewhere })).status, 401);
  const now = await world.ask('GET', '/api/v1/user', { as: 'user' });
  assert.equal([now.body.email, now.body.emailVerified, now.body.pendingEmail], ['new@example.org', true, null]);
  assert.equal(
    world.mails
      .slice(2)
      .map(({ to }) => to)
      .sort(),
    ['bob@example.net', 'new@example.org'],
  );
  assert.not(JSON.stringify(await entriesOf(world)).includes(token));
  assert.not(JSON.stringify(await entriesOf(world)).includes(hashToken(token)));
  await world.close();
});

self('gives up a new address by giving the present one, a minute later', async () => {
  const world = await startWorld(withEmail);
  const { put } = await changer(world);
  await put('new@example.org');
  assert.is((await put('bob@example.net')).status, 409);
  world.setNow('2026-11-21T10:01:00.000Z');
  assert.is((await put('bob@example.net')).body.pendingEmail, null);
  assert.is(world.mails.length, 2);
  const token = /verify=(\w{40})/.exec(world.mails[1]?.text ?? '')?.[1];
  assert.ok(token);
  assert.is((await world.ask('POST', '/account/verify-email', { as: 'none', body: { token } })).status, 400);
  await world.close();
});

self('is told the same of an address that somebody has, whose owner gets a mail, and nothing changes', async () => {
  const world = await startWorld(withEmail);
  const { headers, put } = await changer(world);
  const olga = world.store.read().get('User', 'olga');
  const answers = [];
  for (const [time, email] of [
    ['2026-11-21T10:01:00.000Z', 'free@example.net'],
    ['2026-11-21T10:02:00.000Z', 'olga@example.net'],
  ] as const) {
    world.setNow(time);
    const dry = await put(email.toUpperCase(), '?dryRun=true');
    const { status, body } = await put(email.toUpperCase());
    const again = await put(email);
    const self = await world.ask('GET', '/api/v1/user', { as: 'none', headers });
    const all = [
      dry.status,
      dry.body.summary,
      dry.body.violations,
      status,
      body,
      again.status,
      again.body.detail,
      self.body,
    ];
    answers.push(JSON.stringify(all).replaceAll(email, 'EMAIL'));
  }
  assert.is(answers[0], answers[1]?.replace('"delete":1', '"delete":0'), 'the link that is replaced alone');
  const to = (address: string) => world.mails.filter((mail) => mail.to === address);
  assert.equal([to('free@example.net').length, to('olga@example.net').length], [1, 1]);
  const told = to('olga@example.net')[0];
  assert.is(told?.subject, 'Somebody gave your address for another account');
  assert.not.match(told?.text ?? '', /verify=|bob/);
  // Once a day, however often it is asked for.
  world.setNow('2026-11-21T11:00:00.000Z');
  assert.is((await put('olga@example.net')).status, 200);
  assert.is(to('olga@example.net').length, 1);
  assert.equal(world.store.read().get('User', 'olga'), olga);
  assert.is(world.store.read().get('User', 'bob')?.spec.email, 'bob@example.net');
  await world.close();
});

self('does not get an address that somebody else took before the link was opened', async () => {
  const world = await startWorld(withEmail);
  const { headers, put } = await changer(world);
  await put('free@example.net');
  const token = /verify=(\w{40})/.exec(world.mails.at(-1)?.text ?? world.mails[0]?.text ?? '')?.[1] ?? '';
  const moved = await world.ask('PUT', '/api/v1/users/olga', {
    body: { email: 'free@example.net', reason: 'Married.' },
  });
  assert.is(moved.status, 200);
  const { status, body } = await world.ask('POST', '/account/verify-email', { as: 'none', headers, body: { token } });
  assert.equal([status, body.violations?.[0]?.rule], [409, 'email-unique']);
  await world.close();
});

self('is told of an address that somebody has where it would be taken at once', async () => {
  const world = await startWorld();
  const { put } = await changer(world);
  const { status, body } = await put('OLGA@example.net');
  assert.equal([status, body.violations[0].rule], [409, 'email-unique']);
  assert.is(body.violations[0].message, 'User/bob: email cannot be olga@example.net, because another user has it');
  await world.close();
});

self('has a new address at once where email is off, not verified', async () => {
  const world = await startWorld();
  const { put } = await changer(world);
  const { body } = await put('new@other.example');
  assert.equal([body.email, body.emailVerified, body.pendingEmail], ['new@other.example', false, null]);
  assert.equal(world.mails, []);
  await world.close();
});

self('cannot take an address of a domain with single sign-on', async () => {
  const world = await startWorld({
    ...tree,
    'com.yaml': withSso['net.yaml'].replaceAll('example.net', 'corp.example').replace('name: net', 'name: com'),
  });
  const { put } = await changer(world);
  const { status, body } = await put('boss@corp.example');
  assert.equal([status, body.code], [409, 'conflict']);
  assert.match(body.detail, /corp\.example signs in through single sign-on \(com\)/);
  await world.close();
});

self('cannot change address or password on a domain with single sign-on; admins can', async () => {
  const world = await startWorld(withSso);
  await givePassword(world, 'bob');
  await givePassword(world, 'ann');
  const [bob, ann] = [await world.signedIn('bob'), await world.signedIn('ann')];
  const email = (headers: typeof bob) =>
    world.ask('PUT', '/api/v1/user', {
      as: 'none',
      headers,
      body: { email: `x${headers['cookie']?.slice(-9)}@b.c`, currentPassword: right },
    });
  const password = (headers: typeof bob) =>
    world.ask('PUT', '/api/v1/user/password', { as: 'none', headers, body: { current: right, new: other } });
  assert.equal([(await email(bob)).status, (await password(bob)).status], [409, 409]);
  assert.equal([(await email(ann)).status, (await password(ann)).status], [200, 200], 'an admin');
  const same = { name: 'Bob', email: 'bob@example.net' };
  assert.is((await world.ask('PUT', '/api/v1/user', { as: 'none', headers: bob, body: same })).status, 200);
  await world.close();
});

self.run();

const password = suite('a change of password');

const change = (world: ServerWorld, headers: Readonly<Record<string, string>>, body: object, query = '') =>
  world.ask('PUT', `/api/v1/user/password${query}`, { as: 'none', headers, body });

password('needs the current one, and ends the other sessions', async () => {
  const world = await startWorld(withEmail);
  await givePassword(world, 'bob');
  const [headers, elsewhere] = [await world.signedIn('bob'), await world.signedIn('bob')];
  const olga = await world.signedIn('olga');
  world.mails.length = 0;
  assert.is((await change(world, headers, { current: other, new: other })).status, 403);
  assert.equal([(await change(world, headers, { current: right, new: other })).status], [200]);
  const status = async (of: Readonly<Record<string, string>>) =>
    (await world.ask('GET', '/api/v1/user', { as: 'none', headers: of })).status;
  assert.equal([await status(headers), await status(elsewhere), await status(olga)], [200, 401, 200]);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'user' })).status, 200, 'tokens stay');
  assert.equal(
    world.mails.map(({ to, subject }) => [to, subject]),
    [['bob@example.net', 'Your password was changed']],
  );
  assert.is((await change(world, headers, { current: right, new: other })).status, 403);
  await world.close();
});

password('counts wrong ones, in dry runs too, and then takes none for a while, in the same words', async () => {
  const world = await startWorld();
  await givePassword(world, 'bob');
  const headers = await world.signedIn('bob');
  const wrong = await change(world, headers, { current: 'x', new: other });
  for (let count = 0; count < 2; count++) await change(world, headers, { current: 'x', new: other });
  for (let count = 0; count < 2; count++)
    assert.is((await change(world, headers, { current: 'x', new: other }, '?dryRun=true')).status, 403);
  assert.ok(world.store.read().get('User', 'bob')?.spec.signInNetworks?.[0]?.lockedUntil);
  const locked = await change(world, headers, { current: right, new: other });
  assert.equal(locked.body, wrong.body);
  assert.is((await change(world, headers, { current: right, new: other }, '?dryRun=true')).status, 403);
  world.setNow('2026-11-21T10:15:00.000Z');
  assert.is((await change(world, headers, { current: right, new: other })).status, 200);
  const events = (await entriesOf(world)).map(({ event }) => event);
  assert.equal(
    [
      events.filter((event) => event === 'sign-in.failed').length,
      events.filter((event) => event === 'sign-in.locked').length,
    ],
    [4, 1],
  );
  await world.close();
});

password('is refused for one that anybody would guess, by a token, and without a password to change', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('bob');
  assert.is((await change(world, headers, { current: right, new: other })).status, 409);
  await givePassword(world, 'bob');
  const again = await world.signedIn('bob');
  for (const bad of ['short', 'x'.repeat(257), 'password123']) {
    const { status, body } = await change(world, again, { current: right, new: bad });
    assert.equal([status, body.violations?.[0]?.path], [400, '/new'], bad);
  }
  const body = { current: right, new: other };
  const byToken = await world.ask('PUT', '/api/v1/user/password', { as: 'user', body });
  assert.equal([byToken.status, byToken.body.code], [403, 'session_required']);
  await world.close();
});

password('honours If-Match, and is tried no more often than a sign-in', async () => {
  const world = await startWorld({
    ...tree,
    'weir.yaml': platform('  api: {rateLimit: {signInPerMinute: 2}}\n'),
  });
  await givePassword(world, 'bob');
  const headers = await world.signedIn('bob');
  const body = { current: right, new: other };
  assert.is((await change(world, { ...headers, 'if-match': '"bob.1.x"' }, body)).status, 412);
  assert.is((await change(world, { ...headers, 'if-match': '"bob.2.x"' }, body)).status, 200);
  assert.is((await change(world, headers, body)).status, 429);
  await world.close();
});

password('leaves no password in answers, plans, logs and the audit log', async () => {
  const world = await startWorld();
  await givePassword(world, 'bob');
  const headers = await world.signedIn('bob');
  const plan = await change(world, headers, { current: right, new: other }, '?dryRun=true');
  assert.is(plan.status, 200);
  const done = await change(world, headers, { current: right, new: other });
  const told = [plan.text, done.text, world.logged.join('\n'), JSON.stringify(await entriesOf(world))].join('\n');
  const hash = world.store.read().get('User', 'bob')?.spec.passwordHash ?? '';
  for (const secret of [right, other, hash, 'argon2']) assert.not(told.includes(secret), secret);
  const changed = (await entriesOf(world)).find(({ event, target }) => event === 'user.updated' && target.id === 'bob');
  assert.equal(
    changed?.changes.map(({ path }) => path),
    ['/spec/passwordHash'],
  );
  await world.close();
});

password.run();

const tokens = suite('tokens of one’s own');

const make = (world: ServerWorld, headers: Readonly<Record<string, string>>, body: object, query = '') =>
  world.ask('POST', `/api/v1/user/tokens${query}`, { as: 'none', headers, body });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

tokens('are made by a session, shown once, and listed without their texts', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('bob');
  const expiresAt = '2026-11-22T12:00:00+02:00';
  const { status, body, headers: answer } = await make(world, headers, { name: 'ci', expiresAt, scope: 'full' });
  assert.is(status, 201);
  assert.is(answer['cache-control'], 'no-store');
  const { id, token, ...rest } = body;
  assert.match(token, /^weirp_[0-9A-Za-z]{46}$/);
  const shown = {
    name: 'ci',
    scope: 'full',
    createdAt: start,
    expiresAt: '2026-11-22T10:00:00.000Z',
    lastUsedAt: null,
  };
  assert.equal(rest, shown);
  const list = await world.ask('GET', '/api/v1/user/tokens', { as: 'none', headers });
  assert.equal([list.body.count, list.body.tokens.at(-1)], [3, { id, ...shown }]);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: bearer(token) })).body.username, 'bob');
  const used = await world.ask('GET', '/api/v1/user/tokens?q=CI', { as: 'none', headers });
  assert.equal([used.body.count, used.body.tokens[0].lastUsedAt], [1, start]);
  const told = [list.text, used.text, world.logged.join(), JSON.stringify(await entriesOf(world))].join('\n');
  assert.not(told.includes(token));
  assert.not(told.includes(hashToken(token)));
  await world.close();
});

tokens('are refused for a name that is none, an end that is past, and by a token', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('bob');
  const status = async (body: object) => (await make(world, headers, body)).status;
  assert.is(await status({ name: '' }), 400);
  assert.is(await status({ name: 'x'.repeat(101) }), 400);
  assert.is(await status({ name: 'x'.repeat(100), scope: 'some' }), 400);
  assert.is(await status({ name: 'x', expiresAt: 'tomorrow' }), 400);
  const past = await make(world, headers, { name: 'x', expiresAt: start });
  assert.equal([past.status, past.body.violations[0].path], [400, '/expiresAt']);
  assert.is(await status({ name: 'x'.repeat(100), expiresAt: null }), 201);
  for (const as of ['user', 'admin'] as const) {
    const by = await world.ask('POST', '/api/v1/user/tokens', { as, body: { name: 'x' } });
    assert.equal([by.status, by.body.code], [403, 'session_required']);
  }
  await world.close();
});

tokens('are planned without a token that anybody could use', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('bob');
  const before = world.store.read().count('Token');
  const plan = await make(world, headers, { name: 'ci' }, '?dryRun=true');
  assert.equal([plan.status, plan.body.summary.create], [200, 1]);
  assert.not.match(JSON.stringify(plan.body.changes), /weirp_|[0-9a-f]{64}/);
  assert.is(world.store.read().count('Token'), before);
  await world.close();
});

tokens('are made once for a key, whose text is not shown again', async () => {
  const world = await startWorld();
  const headers = { ...(await world.signedIn('bob')), 'idempotency-key': 'one' };
  const first = await make(world, headers, { name: 'ci' });
  const again = await make(world, headers, { name: 'ci' });
  assert.equal([first.status, again.status, again.body.code], [201, 409, 'idempotency_conflict']);
  assert.match(again.body.detail, /cannot be shown again/);
  assert.is((await make(world, headers, { name: 'other' })).body.code, 'idempotency_conflict');
  const { body } = await world.ask('GET', '/api/v1/user/tokens?sort=-name', { as: 'user' });
  assert.equal([body.count, body.tokens[0].name], [3, 'ci']);
  await world.close();
});

tokens('are revoked by deletion, one’s own alone, also by themselves', async () => {
  const world = await startWorld();
  const { body } = await world.ask('GET', '/api/v1/user/tokens', { as: 'owner' });
  const url = `/api/v1/user/tokens/${body.tokens[0].id}`;
  assert.is((await world.ask('DELETE', url, { as: 'user' })).status, 404);
  assert.is((await world.ask('DELETE', url, { as: 'admin' })).status, 404);
  assert.is((await world.ask('DELETE', `${url}?dryRun=true`, { as: 'owner' })).body.summary.delete, 1);
  assert.is((await world.ask('DELETE', url, { as: 'owner', headers: { 'if-match': '"x.y"' } })).status, 412);
  assert.is((await world.ask('DELETE', url, { as: 'owner' })).status, 204);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'owner' })).status, 401);
  const [entry] = (await entriesOf(world)).filter(({ event }) => event === 'token.deleted');
  assert.equal([entry?.actor.kind, entry?.actor.name], ['token', 'olga']);
  await world.close();
});

tokens('open what their owners may do now', async () => {
  const world = await startWorld();
  const ann = await world.signedIn('ann');
  const put = (id: string, body: object) => world.ask('PUT', `/api/v1/users/${id}`, { as: 'none', headers: ann, body });
  const text = (await make(world, await world.signedIn('max'), { name: 'ci' })).body.token;
  const status = async (url: string) => (await world.ask('GET', url, { as: 'none', headers: bearer(text) })).status;
  assert.is(await status('/api/v1/users'), 403);
  await put('max', { admin: true });
  assert.is(await status('/api/v1/users'), 200);
  await put('max', { admin: false });
  assert.is(await status('/api/v1/users'), 403);
  await put('max', { suspended: true });
  assert.is(await status('/api/v1/user'), 401);
  await put('max', { suspended: false });
  assert.is(await status('/api/v1/user'), 200);
  await world.ask('DELETE', '/api/v1/users/max');
  assert.is(await status('/api/v1/user'), 401);
  await world.close();
});

tokens('end when they say, and those of scope plan open plans and whose they are', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('ann');
  const short = (await make(world, headers, { name: 'short', expiresAt: '2026-11-21T11:00:00Z' })).body.token;
  const plan = (await make(world, headers, { name: 'plan', scope: 'plan' })).body.token;
  const status = async (token: string, url: string) =>
    (await world.ask('GET', url, { as: 'none', headers: bearer(token) })).status;
  const opened = await Promise.all(
    ['/api/v1/admin/config', '/api/v1/user', '/api/v1/user/teams', '/api/v1/users'].map((url) => status(plan, url)),
  );
  assert.equal(opened, [200, 200, 403, 403]);
  assert.is(await status(short, '/api/v1/user'), 200);
  world.setNow('2026-11-21T11:00:00.000Z');
  assert.is(await status(short, '/api/v1/user'), 401);
  const { body } = await world.ask('GET', '/api/v1/user/tokens', { as: 'admin' });
  assert.not(body.tokens.some(({ name }: { name: string }) => name === 'short'));
  await world.close();
});

tokens.run();

const sessions = suite('sessions of one’s own');

sessions('are listed with the one that asks marked, and ended one by one', async () => {
  const world = await startWorld();
  const [here, there] = [await world.signedIn('bob'), await world.signedIn('bob')];
  const olga = await world.signedIn('olga');
  const list = async (headers: typeof here) =>
    (await world.ask('GET', '/api/v1/user/sessions', { as: 'none', headers })).body;
  const { count, sessions: own } = await list(here);
  assert.equal([count, own.map(({ current }: { current: boolean }) => current).sort()], [2, [false, true]]);
  const find = (current: boolean) => own.find((one: { current: boolean }) => one.current === current).id;
  const end = (id: string, headers: typeof here) =>
    world.ask('DELETE', `/api/v1/user/sessions/${id}`, { as: 'none', headers });
  assert.is((await end(find(false), olga)).status, 404);
  const other = await end(find(false), here);
  assert.equal([other.status, other.headers['set-cookie']], [204, undefined]);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: there })).status, 401);
  const current = await end(find(true), here);
  assert.is(current.status, 204);
  assert.match(String(current.headers['set-cookie']), /^weir_session=;/);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: here })).status, 401);
  await world.close();
});

sessions('that have ended are not listed', async () => {
  const world = await startWorld();
  await world.signedIn('bob');
  world.setNow('2026-11-22T18:00:00.000Z');
  const { body } = await world.ask('GET', '/api/v1/user/sessions', { as: 'user' });
  assert.equal([body.count, body.sessions], [0, []]);
  await world.close();
});

sessions.run();
