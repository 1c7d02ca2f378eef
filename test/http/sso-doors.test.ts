// Every door to the address and the password of a regular user of a domain with single sign-on, before and after it begins to act.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secret, testDirectory } from './directory-world.ts';
import { browser, login, password, put, tokenIn, treeWith } from './people.ts';
import { type ServerWorld, startWorld } from './world.ts';

const saml = { signOnUrl: 'https://idp.example/sso', issuer: 'idp', certificate: 'CERT' };
const ldap = { server: 'ldap:389', username: 'cn=weir', baseDn: 'dc=x', password: { fromEnv: 'WEIR_SECRET_LDAP' } };
const specs = {
  saml: { emailDomain: 'corp.example', provider: 'saml', saml },
  ldap: { emailDomain: 'corp.example', provider: 'ldap', ldap },
} as const;

interface Context {
  world: ServerWorld;
}

const cora = 'cora@corp.example';
type Headers = Readonly<Record<string, string>>;

/** A domain of which a regular user and an admin are signed in, while its configuration is a draft. */
const inAWorld = (provider: keyof typeof specs) => {
  const tests = suite<Context>(`a domain that begins to sign in by ${provider}`);
  tests.before.each(async (context) => {
    const directory = testDirectory({ email: cora, username: 'cora', groups: [] });
    context.world = await startWorld(treeWith(['passwordReset']), { directory });
    const { world } = context;
    await put(world.store, 'cora', { email: cora });
    await put(world.store, 'carl', { email: 'carl@corp.example', admin: true });
    await put(world.store, 'bea');
    const { status } = await world.ask('POST', '/api/v1/sso-configs', {
      body: { name: 'corp', spec: specs[provider] },
    });
    assert.is(status, 201);
  });
  tests.after.each(({ world }) => world.close());
  // By a session, since an admin has an address of this domain.
  const begin = async (world: ServerWorld, active = true) => {
    const body = { spec: { ...specs[provider], active } };
    const { status, text } = await as(world, await world.signedIn('ann')).put('/api/v1/sso-configs/corp', body);
    assert.is(status, 200, text);
  };
  return { tests, begin };
};

const as = ({ ask }: ServerWorld, headers: Headers) => ({
  get: (url: string) => ask('GET', url, { as: 'none', headers }),
  put: (url: string, body: object) => ask('PUT', url, { as: 'none', headers, body }),
});
const change = { current: password, new: 'another long password' };
/** What it takes to move to another address. */
const moving = (email: string) => ({ email, currentPassword: password });

for (const provider of ['saml', 'ldap'] as const) {
  const { tests, begin } = inAWorld(provider);

  tests('signs its regular users out, and nobody else', async ({ world }) => {
    const people = ['cora', 'carl', 'bea'];
    const signedIn = await Promise.all(people.map(async (name) => browser(await login(world, name))));
    await begin(world);
    const statuses = await Promise.all(signedIn.map(async (one) => (await as(world, one).get('/api/v1/user')).status));
    assert.equal(statuses, [401, 200, 200]);
    const { body } = await world.ask('GET', '/api/v1/admin/audit-log?event=session.ended');
    assert.equal(
      body.auditEntries.map(({ target, reason }: { target: { name: string }; reason: string }) => [
        target.name,
        reason,
      ]),
      [['cora', 'corp.example signs in through SsoConfig/corp now']],
    );
  });

  tests('changes nothing while it is a draft, and all is as it was when it acts no more', async ({ world }) => {
    assert.is((await login(world, 'cora')).status, 200);
    await begin(world);
    assert.is((await login(world, 'cora')).status, 401);
    await begin(world, false);
    assert.is((await login(world, 'cora')).status, 200);
  });

  tests('lets them change neither address nor password of their own', async ({ world }) => {
    await begin(world);
    const own = as(world, await world.signedIn('cora'));
    for (const [url, body] of [
      ['/api/v1/user', moving('cora@people.example')],
      ['/api/v1/user', moving('other@corp.example')],
      ['/api/v1/user/password', change],
    ] as const) {
      const { status, body: problem } = await own.put(url, body);
      assert.equal([status, problem.code], [409, 'conflict'], url);
      assert.match(problem.detail, /corp\.example signs in through single sign-on \(corp\)/);
      // A password is compared before anything is tried.
      assert.is((await own.put(`${url}?dryRun=true`, body)).status, 409);
    }
    assert.is((await own.put('/api/v1/user', { name: 'Cora', username: 'coralie' })).status, 200);
    const { spec } = world.store.read().get('User', 'cora') ?? {};
    assert.equal([spec?.email, world.mails.filter(({ to }) => to.includes('cora'))], [cora, []]);
  });

  tests('makes the links worthless that were mailed before, and mails no more', async ({ world }) => {
    const own = as(world, browser(await login(world, 'cora')));
    assert.is((await own.put('/api/v1/user', moving('cora@people.example'))).status, 200);
    const forgot = () => world.ask('POST', '/account/forgot-password', { as: 'none', body: { email: cora } });
    const asked = await forgot();
    const [verify, reset] = [tokenIn(world, 'cora@people.example'), tokenIn(world, cora)];
    assert.ok(verify !== '' && reset !== '');
    await begin(world);
    const open = (url: string, body: object) => world.ask('POST', url, { as: 'none', body });
    const again = await world.signedIn('cora');
    const confirmed = await world.ask('POST', '/account/verify-email', {
      as: 'none',
      headers: again,
      body: { token: verify },
    });
    // The session that asked for it has ended with the others.
    assert.is(confirmed.status, 400, confirmed.text);
    assert.is((await open('/account/reset-password', { token: reset, password: change.new })).status, 403);
    const sent = world.mails.length;
    world.setNow('2026-11-21T11:00:00.000Z');
    assert.equal([(await forgot()).text, world.mails.length], [asked.text, sent]);
    assert.is(world.store.read().get('User', 'cora')?.spec.email, cora);
  });

  tests('leaves its admins their password and their address', async ({ world }) => {
    await begin(world);
    const own = as(world, browser(await login(world, 'carl@corp.example')));
    assert.is((await own.put('/api/v1/user/password', change)).status, 200);
    const asked = await own.put('/api/v1/user', { email: 'carl@people.example', currentPassword: change.new });
    assert.is(asked.body.pendingEmail, 'carl@people.example', asked.text);
    assert.is((await login(world, 'carl@corp.example', change.new)).status, 200);
  });

  tests('lets an admin give a user another address, and a password that waits', async ({ world }) => {
    await begin(world);
    const edit = (id: string, body: object) => as(world, admin).put(`/api/v1/users/${id}`, body);
    const admin = await world.signedIn('carl');
    const beas = as(world, browser(await login(world, 'bea')));
    assert.is((await edit('bea', { email: 'bea@corp.example' })).status, 200);
    assert.is((await beas.get('/api/v1/user')).status, 401, 'signed out, because the domain says who she is now');
    assert.is((await login(world, 'bea@corp.example')).status, 401);
    assert.is((await edit('cora', { password: change.new })).status, 200);
    assert.is((await login(world, 'cora', change.new)).status, 401);
    assert.is((await edit('cora', { email: 'cora@people.example' })).status, 200);
    assert.is((await login(world, 'cora', change.new)).status, 200);
  });

  tests('signs out an admin who is none any more', async ({ world }) => {
    await begin(world);
    const carls = as(world, browser(await login(world, 'carl')));
    assert.is((await world.ask('PUT', '/api/v1/users/carl', { body: { admin: false } })).status, 200);
    assert.is((await carls.get('/api/v1/user')).status, 401);
    assert.is((await login(world, 'carl')).status, 401);
  });

  tests('tells a dry run what could go wrong', async ({ world }) => {
    const groups = { adminGroup: 'bosses' };
    const spec = {
      ...specs[provider],
      active: true,
      groups,
      ...(provider === 'ldap' ? { ldap: { ...ldap, groupDn: 'dc=g' } } : {}),
    };
    const url = '/api/v1/sso-configs/corp?dryRun=true';
    const anns = as(world, await world.signedIn('ann'));
    const rules = async () => (await anns.put(url, { spec })).body.findings.map(({ rule }: { rule: string }) => rule);
    const always = provider === 'ldap' ? ['sso-plain-ldap'] : [];
    assert.equal(await rules(), always);
    assert.is((await anns.put('/api/v1/users/ann', { email: 'ann@corp.example' })).status, 200);
    assert.equal(await rules(), ['sso-lockout', ...always]);
  });

  tests.run();
}

const ending = suite('a configuration that is active no more');

for (const tokens of ['keep', 'revoke'] as const)
  ending(`ends the sessions that it opened, and with "tokens: ${tokens}" its tokens accordingly`, async () => {
    const world = await startWorld(treeWith([]), { directory: testDirectory({ email: cora, groups: [] }) });
    await put(world.store, 'cora', { email: cora });
    await put(world.store, 'carl', { email: 'carl@corp.example', admin: true });
    const admin = as(world, await world.signedIn('ann'));
    const spec = { ...specs.ldap, active: true };
    const made = await world.ask('POST', '/api/v1/sso-configs', {
      as: 'none',
      headers: await world.signedIn('ann'),
      body: { name: 'corp', spec },
    });
    assert.is(made.status, 201, made.text);
    const coras = browser(await login(world, cora, secret));
    const carls = browser(await login(world, 'carl'));
    const { body } = await world.ask('POST', '/api/v1/user/tokens', {
      as: 'none',
      headers: coras,
      body: { name: 'ci' },
    });
    const statuses = () =>
      Promise.all(
        [coras, carls, { authorization: `Bearer ${body.token}` }].map(
          async (headers) => (await as(world, headers).get('/api/v1/user')).status,
        ),
      );
    assert.equal(await statuses(), [200, 200, 200]);
    const stops = { spec: { ...spec, active: false, onDeactivation: { tokens } } };
    const tried = await admin.put('/api/v1/sso-configs/corp?dryRun=true', stops);
    const warned = tried.body.findings.some(({ rule }: { rule: string }) => rule === 'sso-tokens');
    assert.is(warned, tokens === 'keep', tried.text);
    assert.match(tried.text, /SsoConfig\/corp is not active any more/);
    assert.is((await admin.put('/api/v1/sso-configs/corp', stops)).status, 200);
    assert.equal(await statuses(), [401, 200, tokens === 'keep' ? 200 : 401]);
    await world.close();
  });

ending.run();

const last = suite('the last admin');

last('keeps the flag whatever the groups say, and may be another one then', async () => {
  const directory = testDirectory({ email: cora, groups: [] }, { email: 'carl@corp.example', groups: [] });
  const world = await startWorld(treeWith([]), { directory });
  for (const name of ['cora', 'carl']) await put(world.store, name, { email: `${name}@corp.example`, admin: true });
  const spec = { ...specs.ldap, active: true, ldap: { ...ldap, groupDn: 'dc=g' }, groups: { adminGroup: 'bosses' } };
  const headers = await world.signedIn('ann');
  const made = await world.ask('POST', '/api/v1/sso-configs', { as: 'none', headers, body: { name: 'corp', spec } });
  assert.is(made.status, 201, made.text);
  await world.ask('PUT', '/api/v1/users/ann', { body: { suspended: true } });
  assert.is((await login(world, cora, secret)).body.admin, false);
  assert.is((await login(world, 'carl', secret)).body.admin, true);
  assert.is((await login(world, 'cora')).status, 401, 'no local password from now on');
  assert.is((await login(world, 'carl')).status, 200, 'the local password of an admin');
  await world.close();
});

last.run();
