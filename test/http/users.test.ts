// All users, for admins: added, found, changed, shut out, deleted with what is theirs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const url = '/api/v1/users';
const password = 'copper kettle drum';
const carl = { username: 'Carl', email: 'Carl@Example.net', name: 'Carl C', password };
const withEmail = {
  ...tree,
  'weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  email: {from: weir@example.net, smtp: {host: mail.example.net}}\n',
};
const withSso = {
  ...tree,
  'org.yaml':
    'kind: SsoConfig\nmetadata: {name: org}\nspec:\n  emailDomain: idp.example\n  provider: saml\n  active: true\n  saml: {signOnUrl: "https://idp.example/sso", issuer: org, certificate: CERT}\n',
};

async function entriesOf(world: ServerWorld) {
  return (await world.store.records({ stream: 'audit', limit: 1000 })).map(auditEntryOf);
}

const signIn = (world: ServerWorld, username: string, given = password) =>
  world.ask('POST', '/account/login', { as: 'none', body: { username, password: given } });

const added = suite('a user whom an admin adds');

added('signs in with the password that the admin gave', async () => {
  const world = await startWorld();
  const { status, body, headers } = await world.ask('POST', url, { body: carl });
  assert.is(status, 201);
  const { id, ...rest } = body;
  assert.is(headers['location'], `${url}/${id}`);
  assert.equal(rest, {
    username: 'Carl',
    email: 'carl@example.net',
    name: 'Carl C',
    admin: false,
    suspended: false,
    ssoManaged: false,
    ssoBound: false,
    createdAt: start,
    lastSignInAt: null,
  });
  assert.is((await signIn(world, 'carl')).status, 200);
  assert.is((await signIn(world, 'CARL@example.net', 'another one')).status, 401);
  assert.is((await world.ask('GET', `${url}/${id}`)).body.lastSignInAt, start);
  await world.close();
});

added('has a name of one line, for people, or none', async () => {
  const world = await startWorld();
  for (const name of ['a\nb', 'a\u0007', '\u007f']) {
    for (const [as, method, at] of [
      ['admin', 'POST', url],
      ['user', 'PUT', '/api/v1/user'],
    ] as const) {
      const { status, body } = await world.ask(method, at, {
        as,
        body: method === 'POST' ? { ...carl, name } : { name },
      });
      assert.equal(
        [status, body.detail],
        [
          400,
          'name cannot be this, because it must hold something that can be seen, and no characters that control lines or the direction of text.',
        ],
        JSON.stringify(name),
      );
    }
  }
  assert.is((await world.ask('POST', url, { body: { ...carl, name: '' } })).status, 201);
  await world.close();
});

added('has a username, an address and a password that will do: all problems at once', async () => {
  const world = await startWorld();
  const bad = await world.ask('POST', url, { body: { username: 'a b', email: 'x', password: 'short', role: 1 } });
  assert.is(bad.status, 400);
  assert.equal(bad.body.violations.map(({ path }: { path: string }) => path).sort(), [
    '/email',
    '/password',
    '/role',
    '/username',
  ]);
  const taken = await world.ask('POST', url, { body: { ...carl, username: 'BOB', email: 'olga@example.net' } });
  assert.equal(
    [taken.status, taken.body.violations.map(({ rule }: { rule: string }) => rule)],
    [409, ['username-unique', 'email-unique']],
  );
  await world.close();
});

added('is made once for a key, and planned without being made', async () => {
  const world = await startWorld();
  const plan = await world.ask('POST', `${url}?dryRun=true`, { body: carl });
  assert.equal([plan.status, plan.body.summary.create], [200, 1]);
  const headers = { 'idempotency-key': 'one' };
  const [first, again] = [
    await world.ask('POST', url, { body: carl, headers }),
    await world.ask('POST', url, { body: carl, headers }),
  ];
  assert.equal([first.status, again.status, again.body], [201, 201, first.body]);
  const other = await world.ask('POST', url, { body: { ...carl, password: 'another one entirely' }, headers });
  assert.is(other.body.code, 'idempotency_conflict');
  const told = [plan.text, first.text, world.logged.join(), JSON.stringify(await entriesOf(world))].join('\n');
  for (const secret of [password, 'argon2']) assert.not(told.includes(secret), secret);
  await world.close();
});

added.run();

const list = suite('the list of users');
const namesIn = (body: { users: { username: string }[] }) => body.users.map(({ username }) => username).join(' ');

list('is in the order in which they were made, in pages', async () => {
  const world = await startWorld();
  const first = await world.ask('GET', `${url}?limit=3`);
  assert.equal([first.body.count, namesIn(first.body)], [8, 'ann bob eve']);
  const second = await world.ask('GET', `${url}?limit=5&cursor=${first.body.meta.next_cursor}`);
  assert.equal([namesIn(second.body), second.body.meta], ['olga max vera dora otto', {}]);
  await world.close();
});

list('is filtered, searched and sorted', async () => {
  const world = await startWorld(withSso);
  await world.ask('POST', url, { body: { ...carl, email: 'carl@idp.example' } });
  const names = async (query: string) => namesIn((await world.ask('GET', `${url}?${query}`)).body);
  assert.is(await names('admin=true'), 'ann eve');
  assert.is(await names('admin=true&suspended=false'), 'ann');
  assert.is(await names('suspended=true'), 'eve');
  assert.is(await names('ssoManaged=true'), 'Carl');
  assert.is(await names('ssoManaged=false&admin=false&limit=2'), 'bob olga');
  assert.is(await names('q=CARL%20c'), 'Carl');
  assert.is(await names('q=IDP.example'), 'Carl');
  assert.is(await names('q=o&sort=-username'), 'otto olga dora bob');
  assert.is(await names('sort=username&limit=4'), 'ann bob Carl dora');
  for (const bad of ['admin=yes', 'sort=password', 'limit=0', 'cursor=x', 'role=owner'])
    assert.is((await world.ask('GET', `${url}?${bad}`)).status, 400, bad);
  await world.close();
});

list('is walked through in any order without losing or repeating anybody', async () => {
  const world = await startWorld();
  const sorts = ['username', 'email', 'name', 'createdAt', 'lastSignInAt'].flatMap((by) => [by, `-${by}`]);
  for (const order of ['', 'admin=false', ...sorts.map((sort) => `sort=${sort}`)]) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await world.ask('GET', `${url}?limit=2&${order}${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.users.map(({ id }: { id: string }) => id));
      cursor = body.meta.next_cursor ?? '';
    } while (cursor);
    const all = (await world.ask('GET', `${url}?${order}`)).body;
    assert.equal([seen.length, new Set(seen).size], [all.count, all.count], order);
  }
  await world.close();
});

list.run();

const changed = suite('a user whom an admin changes');

changed('keeps what is not given, and has a new address at once', async () => {
  const world = await startWorld(withEmail);
  const put = (body: object, headers = {}) => world.ask('PUT', `${url}/bob`, { body, headers });
  const { headers } = await world.ask('GET', `${url}/bob`);
  const one = await put({ name: 'Bob B' });
  assert.equal([one.status, one.body.name, one.body.username], [200, 'Bob B', 'bob']);
  assert.is((await put({ name: 'x' }, { 'if-match': headers.etag })).status, 412);
  assert.is((await put({ name: 'x' }, { 'if-match': '*' })).status, 200);
  const moved = await put({ email: 'Bob@other.example', reason: 'He moved.' });
  assert.is(moved.body.email, 'bob@other.example');
  assert.equal(
    world.mails.map(({ to, subject }) => [to, subject]),
    [
      ['bob@other.example', 'This is the email address of your account now'],
      ['bob@example.net', 'The email address of your account was changed'],
    ],
  );
  assert.is((await put({ email: 'olga@example.net', reason: 'He moved.' })).body.violations[0].rule, 'email-unique');
  assert.is((await put({ id: 'x' })).status, 400);
  const missing = await world.ask('PUT', `${url}/nobody`, { body: { name: 'x' } });
  assert.equal([missing.status, missing.body.code], [404, 'not_found']);
  await world.close();
});

changed('is planned without being changed', async () => {
  const world = await startWorld();
  const { status, body } = await world.ask('PUT', `${url}/bob?dryRun=true`, {
    as: 'none',
    headers: await world.signedIn('ann'),
    body: { admin: true, name: 'B' },
  });
  assert.is(status, 200);
  assert.equal(body.changes[0].fields.map(({ path }: { path: string }) => path).sort(), [
    '/spec/admin',
    '/spec/displayName',
  ]);
  assert.is((await world.ask('GET', `${url}/bob`)).body.admin, false);
  await world.close();
});

changed('is signed out everywhere when suspended, and let in again', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('bob');
  const status = async (more: object) => (await world.ask('GET', '/api/v1/user', more)).status;
  assert.is((await world.ask('PUT', `${url}/bob`, { body: { suspended: true } })).body.suspended, true);
  assert.equal([await status({ as: 'none', headers }), await status({ as: 'user' })], [401, 401]);
  await world.ask('PUT', `${url}/bob`, { body: { suspended: false } });
  assert.equal([await status({ as: 'none', headers }), await status({ as: 'user' })], [401, 200]);
  await world.close();
});

changed('has a new password by an admin’s session only, which ends theirs and unlocks them', async () => {
  const world = await startWorld(withEmail);
  const { body: made } = await world.ask('POST', url, { body: carl });
  const theirs = await world.signedIn(made.id);
  for (let count = 0; count < 5; count++) await signIn(world, 'carl', 'wrong');
  assert.is((await signIn(world, 'carl')).status, 401);
  const body = { password: 'seven grey herons' };
  const byToken = await world.ask('PUT', `${url}/${made.id}`, { body });
  assert.equal([byToken.status, byToken.body.code], [403, 'session_required']);
  const ann = await world.signedIn('ann');
  const done = await world.ask('PUT', `${url}/${made.id}`, { as: 'none', headers: ann, body });
  assert.is(done.status, 200);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: theirs })).status, 401);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: ann })).status, 200);
  assert.is((await signIn(world, 'carl', body.password)).status, 200);
  assert.equal(
    world.mails.map(({ to, subject }) => [to, subject]),
    [['carl@example.net', 'Your password was changed']],
  );
  const told = [done.text, world.logged.join(), JSON.stringify(await entriesOf(world))].join('\n');
  for (const secret of [password, body.password, 'argon2']) assert.not(told.includes(secret), secret);
  await world.close();
});

changed('keeps the session of the admin who gives themselves a new password', async () => {
  const world = await startWorld();
  const [here, there] = [await world.signedIn('ann'), await world.signedIn('ann')];
  await world.ask('PUT', `${url}/ann`, { as: 'none', headers: here, body: { password } });
  const status = async (headers: typeof here) => (await world.ask('GET', url, { as: 'none', headers })).status;
  assert.equal([await status(here), await status(there)], [200, 401]);
  await world.close();
});

changed('is always one admin at least', async () => {
  const world = await startWorld();
  for (const body of [{ admin: false }, { suspended: true }]) {
    const refused = await world.ask('PUT', `${url}/ann`, { body });
    assert.equal([refused.status, refused.body.violations[0].rule], [409, 'last-admin']);
  }
  const gone = await world.ask('DELETE', `${url}/ann`);
  assert.equal([gone.status, gone.body.violations[0].rule], [409, 'last-admin']);
  const planned = await world.ask('DELETE', `${url}/ann?dryRun=true`);
  assert.ok(planned.body.summary.blocked > 0);
  const headers = await world.signedIn('ann');
  await world.ask('PUT', `${url}/bob`, { as: 'none', headers, body: { admin: true } });
  assert.is((await world.ask('PUT', `${url}/ann`, { body: { admin: false } })).status, 200);
  assert.is((await world.ask('GET', url)).status, 403);
  await world.close();
});

changed.run();

const deletion = suite('a user whom an admin deletes');

deletion('takes along all that is theirs, in one commit, with an audit entry for each', async () => {
  const world = await startWorld();
  const headers = await world.signedIn('max');
  const invitations = [
    invitation('to-max', { user: 'max', inviter: 'olga' }),
    invitation('by-max', { inviter: 'max' }),
  ];
  const stays = invitation('others', { inviter: 'olga' });
  const changes = [...invitations, stays, link('max')].map(created);
  await world.store.commit(() => ({ changes }), { id: newId() });
  const commits: (readonly string[])[] = [];
  world.store.subscribe((entry) => {
    if (entry !== 'reset') commits.push(entry.changes.map(({ kind }) => kind).sort());
  });
  const { headers: read } = await world.ask('GET', `${url}/max`);
  assert.is((await world.ask('DELETE', `${url}/max`, { headers: { 'if-match': '"x.y.z"' } })).status, 412);
  const gone = await world.ask('DELETE', `${url}/max`, { headers: { 'if-match': String(read.etag) } });
  assert.equal([gone.status, gone.text], [204, '']);
  const belongings = ['ActionToken', 'Invitation', 'Invitation', 'Membership', 'Session', 'Token', 'User'];
  assert.equal(
    commits.filter((kinds) => kinds.includes('User')),
    [belongings],
  );
  const events = (await entriesOf(world)).filter(
    ({ event }) => event.endsWith('.deleted') || event === 'session.ended',
  );
  assert.equal(events.map(({ event }) => event).sort(), [
    'action-token.deleted',
    'invitation.deleted',
    'invitation.deleted',
    'membership.deleted',
    'session.ended',
    'token.deleted',
    'user.deleted',
  ]);
  assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 1);
  assert.equal([...new Set(events.map(({ actor }) => actor.name))], ['ann']);
  assert.ok(world.store.read().get('Invitation', 'others'));
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'member' })).status, 401);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers })).status, 401);
  assert.is((await world.ask('DELETE', `${url}/max`)).status, 404);
  await world.close();
});

deletion('leaves no team without an owner', async () => {
  const world = await startWorld();
  const refused = await world.ask('DELETE', `${url}/olga`);
  assert.equal([refused.status, refused.body.violations[0].rule], [409, 'last-owner']);
  assert.ok(world.store.read().get('User', 'olga'));
  await world.close();
});

deletion.run();

const times = { generation: 1, createdAt: start, updatedAt: start } as const;

function invitation(id: string, who: { user?: string; inviter: string }): Resource<'Invitation'> {
  const hash = Buffer.from(id).toString('hex').padEnd(64, '0');
  const spec = { team: 'core', role: 'member', email: `${id}@x.y`, hash, expiresAt: '2027-01-01T00:00:00Z' } as const;
  return { kind: 'Invitation', id, name: id, spec: { ...spec, ...who }, ...times };
}

function link(of: string): Resource<'ActionToken'> {
  const spec = { user: of, purpose: 'reset-password', email: `${of}@example.net`, hash: 'f'.repeat(64) } as const;
  return {
    kind: 'ActionToken',
    id: 'link',
    name: 'link',
    spec: { ...spec, expiresAt: '2027-01-01T00:00:00Z' },
    ...times,
  };
}
