// A token that somebody found: whatever they do with it, it opens nothing to them once it has ended.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policy } from '../../src/core/access/policy.ts';
import type { Identity } from '../../src/core/model/identity.ts';
import { routes } from '../../src/http/routes/index.ts';
import { secret as directorySecret, testDirectory } from './directory-world.ts';
import { login, ssoDocuments } from './people.ts';
import { type ServerWorld, startWorld, tree } from './world.ts';

const leaked = suite('a token that somebody found');

leaked('has a decision on every route that it may change something by', () => {
  const undecided = routes.flatMap(({ method, url, action }) => {
    const { who, sessionOnly, lasting } = policy[action];
    const isByToken = who !== 'anyone' && who !== 'device' && who !== 'machine' && !sessionOnly;
    return method !== 'GET' && isByToken && lasting === undefined ? [`${method} ${url} (${action})`] : [];
  });
  assert.equal(undecided, [], 'say in the policy what lasts (`lasting`), or that it takes a session (`sessionOnly`)');
});

leaked('has no decision that is for nothing', () => {
  const decided = Object.entries(policy).filter(([, { lasting }]) => lasting !== undefined);
  for (const [action, { who, sessionOnly }] of decided) {
    assert.ok(who !== 'anyone' && who !== 'device' && who !== 'machine' && !sessionOnly, action);
    assert.ok(action === 'guard-instance' || routes.some((route) => route.action === action && route.method !== 'GET'));
  }
});

const sso = (more: object) => ({
  emailDomain: 'corp.example',
  provider: 'ldap',
  ldap: {
    server: 'ldap.example:389',
    username: 'cn=weir',
    password: { value: 'swordfish' },
    baseDn: 'dc=corp',
    groupDn: 'ou=groups,dc=corp',
  },
  ...more,
});

const admins = { groups: { adminGroup: 'weir-admins' } };

leaked('of an admin makes nobody an admin, and changes no address or password that leads to one', async () => {
  const world = await startWorld();
  const ann = await world.signedIn('ann');
  const user = { username: 'mal', email: 'mal@example.org', password: 'copper kettle drum' };
  const olga = '/api/v1/users/olga';
  await world.ask('PUT', olga, { as: 'none', headers: ann, body: { admin: true } });
  for (const [method, url, body] of [
    ['POST', '/api/v1/users', { ...user, admin: true }],
    ['PUT', '/api/v1/users/bob', { admin: true }],
    ['PUT', '/api/v1/users/eve', { suspended: false }],
    ['PUT', olga, { password: user.password }],
    ['PUT', olga, { email: 'mal@example.org', reason: 'none' }],
    ['PUT', '/api/v1/users/ann', { email: 'mal@example.org', reason: 'none' }],
    ['PUT', '/api/v1/users/bob', { password: user.password }],
    ['PUT', '/api/v1/users/bob', { email: 'mal@example.org' }],
    ['PUT', '/api/v1/user', { email: 'mal@example.org', currentPassword: user.password }],
    ['POST', '/api/v1/user/actions/delete', { currentPassword: user.password }],
    ['POST', '/api/v1/user/tokens', { name: 'more' }],
    ['POST', '/api/v1/sso-configs', { name: 'mine', spec: sso({ active: true, ...admins }) }],
    ['POST', '/api/v1/sso-configs', { name: 'ours', spec: sso({ active: true, emailDomain: 'example.net' }) }],
  ] as const) {
    const before = world.store.read();
    const count = before.count('User');
    const { status, body: answer } = await world.ask(method, url, { body });
    assert.equal([status, answer.code], [403, 'session_required'], `${method} ${url} ${JSON.stringify(body)}`);
    assert.is(world.store.read().count('User'), count);
  }
  assert.is((await world.ask('POST', '/api/v1/users', { body: user })).status, 201, 'programs add people');
  await world.close();
});

leaked('of a member leads to no account either, and opens nothing once it is revoked', async () => {
  const world = await startWorld();
  const password = 'copper kettle drum';
  for (const [method, url, body, code] of [
    ['PUT', '/api/v1/user', { email: 'mal@example.org', currentPassword: password }, 'session_required'],
    ['PUT', '/api/v1/user/password', { current: password, new: 'seven grey herons' }, 'session_required'],
    ['POST', '/api/v1/user/actions/delete', { currentPassword: password }, 'session_required'],
    ['POST', '/api/v1/user/tokens', { name: 'more' }, 'session_required'],
    ['POST', '/account/verify-email', { token: 'x'.repeat(40), password }, 'session_required'],
    ['POST', '/api/v1/users', { username: 'mal', email: 'mal@example.org', password }, 'forbidden'],
    ['PUT', '/api/v1/users/max', { password }, 'forbidden'],
    ['PUT', '/api/v1/users/max', { email: 'mal@example.org', reason: 'none' }, 'forbidden'],
  ] as const) {
    const { position } = world.store.read();
    const { status, body: answer } = await world.ask(method, url, { as: 'member', body });
    assert.equal([status, answer.code], [403, code], `${method} ${url}`);
    assert.is(world.store.read().position, position, `${method} ${url} keeps nothing`);
  }
  const { body: own } = await world.ask('GET', '/api/v1/user/tokens', { as: 'member' });
  const headers = await world.signedIn('max');
  const url = `/api/v1/user/tokens/${own.tokens[0].id}`;
  assert.is((await world.ask('DELETE', url, { as: 'none', headers })).status, 204);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'member' })).status, 401);
  await world.close();
});

leaked('changes no single sign-on that is in force for admins, and drafts one', async () => {
  const world = await startWorld();
  const ann = await world.signedIn('ann');
  const url = '/api/v1/sso-configs';
  assert.is((await world.ask('POST', url, { body: { name: 'mine', spec: sso({}) } })).status, 201);
  const put = (spec: object, headers?: object) =>
    world.ask('PUT', `${url}/mine`, { ...(headers ? { as: 'none', headers: { ...headers } } : {}), body: { spec } });
  const forPeople = await put(sso({ active: true }));
  assert.is(forPeople.status, 200, forPeople.text);
  assert.is((await put(sso({ active: true, ...admins }))).body.code, 'session_required');
  const forAdmins = await put(sso({ active: true, ...admins }), ann);
  assert.is(forAdmins.status, 200, forAdmins.text);
  assert.is((await put(sso({ active: true, ...admins, label: 'Ours' }))).status, 200);
  assert.is((await put(sso({ active: true, ...admins, provisionNewUsers: true }))).body.code, 'session_required');
  assert.is((await put(sso({ active: false }))).status, 200);
  await world.close();
});

leaked('changes the address of others with a reason, which the audit log has, and they can take it back', async () => {
  const world = await startWorld({
    ...tree,
    'weir.yaml': `${tree['weir.yaml']}  email: {from: weir@example.net, smtp: {host: mail.example.net}}\n`,
  });
  const headers = await world.signedIn('bob');
  const body = { email: 'mal@example.org', reason: 'He asked for it.' };
  const { status, text } = await world.ask('PUT', '/api/v1/users/bob', { body });
  assert.is(status, 200, text);
  const log = await world.ask('GET', '/api/v1/admin/audit-log?event=user.updated');
  assert.equal([log.body.auditEntries[0].reason, log.body.auditEntries[0].actor.kind], [body.reason, 'token']);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers })).status, 401);
  const told = world.mails.find(({ to }) => to === 'bob@example.net');
  const token = /restore-email\?token=(\w{40})/.exec(told?.text ?? '')?.[1];
  world.setNow('2026-11-24T09:59:59.000Z');
  const restored = await world.ask('POST', '/account/restore-email', { as: 'none', body: { token } });
  assert.is(restored.status, 200, restored.text);
  assert.is(world.store.read().get('User', 'bob')?.spec.email, 'bob@example.net');
  assert.is((await world.ask('POST', '/account/restore-email', { as: 'none', body: { token } })).status, 400);
  await world.close();
});

const withResets = {
  ...tree,
  'weir.yaml': `${tree['weir.yaml']}  email: {from: weir@example.net, smtp: {host: mail.example.net}}\n  api: {rateLimit: {signInPerMinute: 0}}\n`,
  'settings.yaml': 'kind: AdminSettings\nmetadata: {name: default}\nspec: {passwordReset: true}\n',
};
/** The links that were mailed meanwhile, and to whom; notices have none. */
const sent = ({ mails }: ServerWorld) =>
  mails.splice(0).flatMap(({ to, text }) => {
    const link = /\/account\/[a-z-]+\?/.exec(text)?.[0];
    return link === undefined ? [] : [[to, link]];
  });
const forgot = async (world: ServerWorld, email: string) => {
  const { status, body } = await world.ask('POST', '/account/forgot-password', { as: 'none', body: { email } });
  return [status, body.detail.slice(0, 22), sent(world)];
};
const same = [200, 'If there is an account'] as const;

leaked(
  'gives nobody an address that opens their account: not by a new password, nor by the undo of a second move',
  async () => {
    const world = await startWorld(withResets);
    const move = (email: string) => world.ask('PUT', '/api/v1/users/bob', { body: { email, reason: 'He asked.' } });
    assert.is((await move('mal@example.org')).status, 200);
    assert.equal(sent(world), [['bob@example.net', '/account/restore-email?']]);
    assert.equal(await forgot(world, 'mal@example.org'), [...same, []]);
    assert.equal(await forgot(world, 'nobody@example.org'), [...same, []], 'as for nobody');
    assert.is((await move('mal2@example.org')).status, 200);
    assert.equal(sent(world), [], 'no link that takes it back to the address that the token gave');
    world.setNow('2026-11-24T09:59:59.000Z');
    assert.equal(await forgot(world, 'mal2@example.org'), [...same, []]);
    world.setNow('2026-11-24T10:00:00.000Z');
    assert.equal(await forgot(world, 'mal2@example.org'), [
      ...same,
      [['mal2@example.org', '/account/reset-password?']],
    ]);
    await world.close();
  },
);

leaked('gives an address that is good at once when an admin who is signed in gives it again', async () => {
  const world = await startWorld(withResets);
  const [email, headers] = ['robert@example.org', await world.signedIn('ann')];
  await world.ask('PUT', '/api/v1/users/bob', { body: { email, reason: 'He asked.' } });
  await world.ask('PUT', '/api/v1/users/bob', { body: { email, reason: 'Again.' } });
  sent(world);
  assert.equal(await forgot(world, email), [...same, []]);
  assert.is((await world.ask('PUT', '/api/v1/users/bob', { as: 'none', headers, body: { email } })).status, 200);
  assert.equal(await forgot(world, email), [...same, [[email, '/account/reset-password?']]]);
  await world.close();
});

leaked('gives an address that is good as soon as its owner, signed in, has opened a link to it', async () => {
  const world = await startWorld(withResets);
  const email = 'robert@example.org';
  await world.ask('PUT', '/api/v1/users/bob', { body: { email, reason: 'He asked.' } });
  sent(world);
  const headers = await world.signedIn('bob');
  assert.is((await world.ask('PUT', '/api/v1/user', { as: 'none', headers, body: { email } })).status, 200);
  const token = /verify=(\w{40})/.exec(world.mails[0]?.text ?? '')?.[1];
  const verify = (as: object) => world.ask('POST', '/account/verify-email', { as: 'none', body: { token }, ...as });
  assert.is((await verify({})).status, 401, 'who reads the mail alone confirms nothing');
  assert.equal([(await forgot(world, email))[2]?.length], [1], 'the link to confirm, and no other');
  assert.is((await verify({ headers })).status, 200);
  assert.equal(await forgot(world, email), [...same, [[email, '/account/reset-password?']]]);
  await world.close();
});

leaked('gives no address by which single sign-on lets somebody else in, and binds no account anew', async () => {
  const mal: Identity = { email: 'mal@dir.example', username: 'mal', lastingIds: { entryUUID: 'm' } };
  const bob: Identity = { email: 'bob@dir.example', username: 'bob', lastingIds: { entryUUID: 'b' } };
  const directory = testDirectory(mal, bob);
  const [, document = ''] = ssoDocuments.split('---\n');
  const world = await startWorld({ ...withResets, 'sso.yaml': document }, { directory });
  const move = (email: string) => world.ask('PUT', '/api/v1/users/bob', { body: { email, reason: 'He asked.' } });
  const users = () => world.store.read().count('User');
  const enter = async (email: string) => (await login(world, email, directorySecret)).body.id;
  const count = users();
  await move('mal@dir.example');
  assert.is(await enter('mal@dir.example'), undefined);
  assert.match(
    world.warned.join('\n'),
    /a token gave User\/bob the address mal@dir\.example, by which alone nobody gets in before 2026-11-24T10:00:00\.000Z/,
  );
  const headers = await world.signedIn('ann');
  await world.ask('PUT', '/api/v1/users/bob', { as: 'none', headers, body: { email: 'bob@dir.example' } });
  assert.is(await enter('bob@dir.example'), 'bob');
  const unbind = { ssoBound: false };
  const refused = await world.ask('PUT', '/api/v1/users/bob', { body: unbind });
  assert.equal([refused.status, refused.body.code], [403, 'session_required']);
  // Whom the directory knows as the very same gets in by another address, too.
  await move('robert@dir.example');
  directory.people.set('robert@dir.example', { ...bob, email: 'robert@dir.example' });
  assert.is(await enter('robert@dir.example'), 'bob');
  assert.is(users(), count);
  await world.close();
});

leaked('keeps nothing of an account that it made with the address of somebody else, once they come in', async () => {
  const boss: Identity = { email: 'boss@dir.example', lastingIds: { entryUUID: 'x' }, groups: ['weir-admins'] };
  const world = await startWorld(withResets, { directory: testDirectory(boss) });
  const [username, password] = ['mal', 'copper kettle drum'];
  const user = await world.ask('POST', '/api/v1/users', { body: { username, email: boss.email, password } });
  assert.is(user.status, 201, user.text);
  const mine = await login(world, username, password);
  assert.is(mine.status, 200);
  const headers = await world.signedIn(user.body.id);
  const token = await world.ask('POST', '/api/v1/user/tokens', { as: 'none', headers, body: { name: 'mine' } });
  assert.is(token.status, 201, token.text);
  const spec = sso({ active: true, emailDomain: 'dir.example', ...admins });
  const config = { as: 'none', headers: await world.signedIn('ann'), body: { name: 'dir', spec } } as const;
  assert.is((await world.ask('POST', '/api/v1/sso-configs', config)).status, 201);
  const came = await login(world, boss.email, directorySecret);
  assert.equal([came.status, came.body.id, came.body.admin], [200, user.body.id, true]);
  assert.is((await login(world, username, password)).status, 401, 'the password that somebody else gave');
  const asked = [headers, { authorization: `Bearer ${token.body.token}` }];
  for (const own of asked)
    assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: own })).status, 401);
  // From now on the account is theirs: nothing is taken away a second time.
  const count = world.store.read().count('Session');
  assert.is((await login(world, boss.email, directorySecret)).status, 200);
  assert.is(world.store.read().count('Session'), count + 1);
  await world.close();
});

leaked('leaves an account that it made to whoever sets a new password by its address, as theirs for good', async () => {
  const world = await startWorld(withResets);
  const [email, password] = ['carl@dir.example', 'copper kettle drum'];
  const { body: user } = await world.ask('POST', '/api/v1/users', { body: { username: 'carl', email, password } });
  const until = () => world.store.read().get('User', user.id)?.spec.emailUnsettledUntil;
  assert.type(until(), 'string');
  await world.ask('POST', '/account/forgot-password', { as: 'none', body: { email } });
  const token = /reset-password\?token=(\w{40})/.exec(world.mails.at(-1)?.text ?? '')?.[1];
  const body = { token, password: 'another kettle of fish' };
  const reset = await world.ask('POST', '/account/reset-password', { as: 'none', body });
  assert.equal([reset.status, until()], [200, null], reset.text);
  await world.close();
});

leaked('puts no single sign-on into force for an admin who is shut out, and may be let in again', async () => {
  const world = await startWorld();
  const ann = { as: 'none', headers: await world.signedIn('ann') } as const;
  const olga = '/api/v1/users/olga';
  const email = 'olga@later.example';
  assert.is((await world.ask('PUT', olga, { ...ann, body: { admin: true, email } })).status, 200);
  assert.is((await world.ask('PUT', olga, { body: { suspended: true } })).status, 200);
  const body = { name: 'mine', spec: sso({ active: true, emailDomain: 'later.example' }) };
  assert.is((await world.ask('POST', '/api/v1/sso-configs', { body })).body.code, 'session_required');
  assert.is((await world.ask('POST', '/api/v1/sso-configs', { ...ann, body })).status, 201);
  await world.close();
});

leaked('tells its owner of a new token, and admins of a new one and of single sign-on', async () => {
  const world = await startWorld({
    ...tree,
    'weir.yaml': `${tree['weir.yaml']}  email: {from: weir@example.net, smtp: {host: mail.example.net}}\n`,
  });
  const ann = await world.signedIn('ann');
  const ask = (method: 'PUT' | 'POST', url: string, body: object) =>
    world.ask(method, url, { as: 'none', headers: ann, body });
  await ask('POST', '/api/v1/user/tokens', { name: 'ci' });
  await ask('PUT', '/api/v1/users/bob', { admin: true });
  await ask('POST', '/api/v1/sso-configs', { name: 'mine', spec: sso({ active: true }) });
  assert.equal(
    world.mails.map(({ to, subject }) => `${to}: ${subject}`),
    [
      'ann@example.net: A token was made for your account',
      'ann@example.net: "bob" is an admin now',
      'bob@example.net: "bob" is an admin now',
      'ann@example.net: Single sign-on is active for corp. example',
      'bob@example.net: Single sign-on is active for corp. example',
    ],
  );
  await world.close();
});

leaked('makes no token for machines that ends later than itself', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('olga');
  const made = await world.ask('POST', '/api/v1/user/tokens', {
    as: 'none',
    headers,
    body: { name: 'short', expiresAt: '2026-11-21T12:00:00.000Z' },
  });
  const by = { authorization: `Bearer ${made.body.token}` };
  const make = (expiresAt: string) =>
    world.ask('POST', '/api/v1/teams/core/provisioning-tokens', {
      as: 'none',
      headers: by,
      body: { name: 'hall', expiresAt },
    });
  assert.is((await make('2026-11-21T12:00:01.000Z')).body.code, 'session_required');
  assert.is((await make('2026-11-21T12:00:00.000Z')).status, 201);
  await world.close();
});

leaked.run();
