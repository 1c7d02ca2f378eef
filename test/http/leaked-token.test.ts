// A token that somebody found: whatever they do with it, it opens nothing to them once it has ended.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policy } from '../../src/core/access/policy.ts';
import { routes } from '../../src/http/routes/index.ts';
import { startWorld, tree } from './world.ts';

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
