// Signing in and out over HTTP: cookies, guesses at the same time, foreign pages, and who signs in elsewhere.
import * as assert from 'uvu/assert';
import { auditOf, browser, cookiesOf, counting, login, password, put, ssoDocuments, treeWith } from './people.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const inAWorld = (name: string, files = treeWith([])) =>
  suiteInWorld(name, async () => {
    const world = await startWorld(files);
    await put(world.store, 'bea');
    return world;
  });
const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
const sessions = ({ store }: ServerWorld) => [...store.read().all('Session')];

const signIn = inAWorld('signing in');

signIn('answers the user and a cookie that no script reads and no other site sends', async ({ world }) => {
  const { status, body, headers } = await login(world, 'bea');
  assert.is(status, 200);
  assert.equal(body, {
    id: 'bea',
    username: 'bea',
    email: 'bea@people.example',
    name: '',
    admin: false,
    suspended: false,
    ssoManaged: false,
    ssoBound: false,
    createdAt: start,
    lastSignInAt: start,
  });
  const [cookie = '', ...more] = cookiesOf(headers['set-cookie']);
  assert.match(
    cookie,
    /^weir_session=[0-9A-Za-z]{40}; Path=\/; Expires=Sat, 28 Nov 2026 10:00:00 GMT; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(more, []);
  assert.is(headers['cache-control'], 'no-store');
});

signIn('keeps the hash of the cookie alone, with where it was asked from', async ({ world }) => {
  const asked = await login(world, 'BEA@people.EXAMPLE', password, { 'user-agent': 'a browser' });
  const [session] = sessions(world);
  const { user, address, agent, hash = '' } = session?.spec ?? {};
  assert.equal([user, address, agent], ['bea', '127.0.0.1', 'a browser']);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.not.match(JSON.stringify(session), browser(asked)['cookie']?.split('=')[1] ?? '?');
});

signIn('sends the cookie over TLS alone where the server is reached so', async () => {
  const secure = await startWorld(treeWith([]), { baseUrl: 'https://weir.example' });
  await put(secure.store, 'bea');
  const { headers } = await login(secure, 'bea');
  assert.match(cookiesOf(headers['set-cookie'])[0] ?? '', /; HttpOnly; Secure; SameSite=Lax$/);
  assert.match(String(headers['strict-transport-security']), /max-age=/);
  await secure.close();
});

signIn('gives another session each time, and ends the one that the browser had', async ({ world }) => {
  const first = browser(await login(world, 'bea'));
  const second = browser(await login(world, 'bea', password, first));
  assert.is.not(second['cookie'], first['cookie']);
  assert.is(sessions(world).length, 1);
  await login(world, 'bea');
  assert.is(sessions(world).length, 2, 'another browser has its own');
});

signIn('is audited, with who it was and from where', async ({ world }) => {
  await login(world, 'bea');
  await login(world, 'bea', 'wrong');
  await login(world, 'nobody-there', password);
  const [newest] = await world.store.records({ stream: 'audit', limit: 1 });
  assert.is(newest?.body['address'], '127.0.0.1');
  const log = (await auditOf(world.store)).filter((line) => line.startsWith('sign-in'));
  // Who is nobody may have typed a password where the name belongs.
  assert.equal(log, ['sign-in.succeeded bea bea', 'sign-in.failed - bea', 'sign-in.failed - -']);
});

signIn('refuses what has no form, and tells all of it', async ({ world }) => {
  const { status, body } = await world.ask('POST', '/account/login', {
    as: 'none',
    body: { user: 'bea', password: 1 },
  });
  assert.is(status, 400);
  assert.equal(
    body.violations.map(({ path }: { path: string }) => path),
    ['/username', '/password', '/user'],
  );
  const long = await login(world, 'bea', 'x'.repeat(2000));
  assert.is(long.status, 400);
});

signIn.run();

const guesses = inAWorld('guessing');

guesses(
  'gets the same answer for a wrong password, a locked, a suspended and an unknown account',
  async ({ world }) => {
    await put(world.store, 'eva', { suspended: true });
    await put(world.store, 'leo', { lockedUntil: later(600) });
    const answers = [
      await login(world, 'bea', 'wrong password'),
      await login(world, 'leo'),
      await login(world, 'eva'),
      await login(world, 'nobody'),
      await login(world, 'nobody@people.example'),
      await login(world, 'bob', password),
    ];
    for (const { status, text, headers } of answers) {
      assert.is(status, 401);
      assert.is(text, answers[0]?.text);
      assert.is(headers['set-cookie'], undefined);
    }
    assert.equal([answers[0]?.body.code, sessions(world).length], ['unauthorized', 0]);
  },
);

guesses('costs one hash and one commit, whoever is guessed', async () => {
  const passwords = counting();
  const world = await startWorld(treeWith([]), { passwords });
  await put(world.store, 'bea');
  await put(world.store, 'leo', { lockedUntil: later(600) });
  for (const [name, secret] of [
    ['bea', 'wrong'],
    ['nobody', 'wrong'],
    ['leo', password],
    ['bob', 'has none'],
  ] as const) {
    const [before, verified] = [Number(world.store.read().position), passwords.asked().verify];
    await login(world, name, secret);
    assert.is(passwords.asked().verify - verified, 1, name);
    assert.is(Number(world.store.read().position) - before, 1, name);
  }
  assert.is(passwords.asked().hash, 0);
  await world.close();
});

guesses('counts five of twenty at the same time, and lets none of the others in', async () => {
  const world = await startWorld(treeWith([]), { passwords: counting() });
  await put(world.store, 'bea');
  const tries = Array.from({ length: 20 }, (_, index) => login(world, 'bea', index < 19 ? `guess ${index}` : password));
  const answers = await Promise.all(tries);
  const [counter] = world.store.read().get('User', 'bea')?.spec.signInNetworks ?? [];
  const letIn = answers.filter(({ status }) => status === 200).length;
  // The right one may have been judged before the fifth wrong one, and not after.
  assert.ok(letIn === 0 || sessions(world).length === 1);
  assert.equal([counter?.failed, counter?.lockedUntil], [0, later(900)]);
  const log = await auditOf(world.store);
  assert.is(log.filter((line) => line.startsWith('sign-in.locked')).length, 1);
  assert.is((await login(world, 'bea')).status, 401);
  world.setNow(later(899));
  assert.is((await login(world, 'bea')).status, 401);
  world.setNow(later(900));
  assert.is((await login(world, 'bea')).status, 200);
  await world.close();
});

guesses('slows the last admin, and does not lock them out', async ({ world }) => {
  const ann = world.store.read().get('User', 'ann');
  await put(world.store, 'root', { admin: true });
  assert.ok(ann?.spec.admin);
  if (ann)
    await world.store.commit(() => ({ changes: [{ kind: 'User', id: 'ann', before: ann, after: undefined }] }), {
      id: 'alone',
    });
  for (let n = 0; n < 5; n += 1) await login(world, 'root', 'wrong');
  assert.is((await login(world, 'root')).status, 401);
  world.setNow(later(1));
  assert.is((await login(world, 'root')).status, 200);
});

guesses('is answered 503 where more wait than can be hashed', async () => {
  const { createPasswords } = await import('../../src/auth/password.ts');
  const world = await startWorld(treeWith([]), { passwords: createPasswords({ atOnce: 1, queue: 1 }) });
  const answers = await Promise.all([1, 2, 3, 4].map(() => login(world, 'nobody')));
  assert.equal(answers.map(({ status }) => status).sort(), [401, 401, 503, 503]);
  assert.is(answers.find(({ status }) => status === 503)?.headers['retry-after'], '5');
  await world.close();
});

guesses.run();

const pages = inAWorld('pages elsewhere');

pages('cannot sign anybody in or out', async ({ world }) => {
  const headers = { origin: 'https://evil.example' };
  assert.is((await login(world, 'bea', password, headers)).status, 403);
  assert.is((await login(world, 'bea', password, { origin: 'null' })).status, 403);
  const own = browser(await login(world, 'bea'));
  const out = (more: object) =>
    world.ask('POST', '/account/logout', { as: 'none', headers: { cookie: own['cookie'] ?? '', ...more } });
  assert.is((await out(headers)).status, 403);
  assert.is((await out({})).status, 403, 'a cookie without an Origin');
  assert.is((await out({ origin: 'http://weir.example.evil.example' })).status, 403);
  assert.is(sessions(world).length, 1);
});

pages('are not asked about by programs, which have no cookie', async ({ world }) => {
  assert.is((await login(world, 'bea')).status, 200);
  assert.is((await login(world, 'bea', password, { origin: 'http://weir.example' })).status, 200);
});

pages.run();

const out = inAWorld('signing out');

out('ends this session and takes the cookie away; others stay', async ({ world }) => {
  const [here, there] = [browser(await login(world, 'bea')), browser(await login(world, 'bea'))];
  const { status, headers } = await world.ask('POST', '/account/logout', { as: 'none', headers: here });
  assert.is(status, 200);
  assert.match(
    cookiesOf(headers['set-cookie'])[0] ?? '',
    /^weir_session=; (Max-Age=0; )?Path=\/; Expires=Thu, 01 Jan 1970/,
  );
  const self = async (by: Readonly<Record<string, string>>) =>
    (await world.ask('GET', '/api/v1/stacks', { as: 'none', headers: by })).status;
  assert.equal([await self(here), await self(there)], [401, 200]);
});

out('is fine twice, and without a session', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  for (const headers of [here, here, {}])
    assert.is((await world.ask('POST', '/account/logout', { as: 'none', headers })).status, 200);
});

out('by a token leaves the cookie alone: the header is what counts', async ({ world }) => {
  const { cookie = '' } = browser(await login(world, 'bea'));
  const { status, headers } = await world.ask('POST', '/account/logout', { as: 'user', headers: { cookie } });
  assert.equal([status, headers['set-cookie'], sessions(world).length], [200, undefined, 1]);
});

out.run();

const both = inAWorld('a header beside a cookie');

both('is all that counts: a token that opens nothing is not helped by a session', async ({ world }) => {
  const { cookie = '' } = browser(await login(world, 'bea'));
  const by = async (as: 'garbage' | 'user') =>
    (await world.ask('GET', '/api/v1/stacks', { as, headers: { cookie } })).status;
  assert.equal([await by('garbage'), await by('user')], [401, 200]);
  const again = await world.ask('POST', '/account/login', {
    as: 'user',
    headers: { cookie },
    body: { username: 'bea', password },
  });
  assert.is(again.status, 200);
  assert.is(sessions(world).length, 2, 'the session of the cookie was not looked at');
});

both.run();

const sso = inAWorld('a domain with single sign-on', treeWith([], { 'sso.yaml': ssoDocuments }));
const redirect = 'http://weir.example/sso/saml/corp/login';

sso.before.each(async ({ world }) => {
  await put(world.store, 'cora', { email: 'cora@corp.example' });
  await put(world.store, 'carl', { email: 'carl@corp.example', admin: true });
  await put(world.store, 'dan', { email: 'dan@dir.example' });
  await put(world.store, 'dora-admin', { email: 'dora@dir.example', admin: true });
});

sso('sends whoever types one of its addresses there, but for an admin with the right password', async ({ world }) => {
  for (const [typed, secret] of [
    ['cora@corp.example', password],
    ['cora@corp.example', 'wrong'],
    ['nobody@CORP.example', password],
    ['carl@corp.example', 'wrong'],
  ] as const) {
    const { status, body, text } = await login(world, typed, secret);
    assert.equal([status, body.code, body.redirect], [401, 'sso_required', redirect], text);
  }
  for (const typed of ['carl@corp.example', 'carl', 'dora@dir.example'])
    assert.is((await login(world, typed)).status, 200, typed);
});

sso('takes no local password of a regular user, by whatever name they come', async ({ world }) => {
  const [right, wrong] = [await login(world, 'cora'), await login(world, 'cora', 'wrong')];
  assert.equal([right.status, right.body], [401, wrong.body]);
  assert.is(wrong.body.code, 'unauthorized');
  assert.equal([(await login(world, 'dan')).status, (await login(world, 'dan', 'wrong')).status], [503, 503]);
  for (const typed of ['dan@dir.example', 'nobody@dir.example'])
    for (const secret of [password, 'wrong']) assert.is((await login(world, typed, secret)).body.code, 'unavailable');
  assert.is(sessions(world).length, 0);
});

sso('is asked about by domain alone', async ({ world }) => {
  const way = async (email: string) =>
    (await world.ask('GET', `/account/sso?email=${encodeURIComponent(email)}`, { as: 'none' })).body;
  assert.equal(await way('cora@corp.example'), { provider: 'saml', redirect });
  assert.equal(await way('Nobody@CORP.EXAMPLE'), { provider: 'saml', redirect });
  assert.equal(await way('dan@dir.example'), { provider: 'ldap' });
  assert.equal(await way('bea@people.example'), { provider: 'local' });
  assert.is((await world.ask('GET', '/account/sso', { as: 'none' })).status, 400);
  assert.is((await world.ask('GET', '/account/sso?email=bea', { as: 'none' })).status, 400);
});

sso.run();
