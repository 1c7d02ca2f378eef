// Deleting one's own account: what it takes, what goes along, and where it is refused.
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import { browser, login, password, put, ssoDocuments, treeWith } from './people.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { type Asked, type ServerWorld, start, startWorld } from './world.ts';

const url = '/api/v1/user/actions/delete';
const gone = suiteInWorld('deleting one’s own account', () => startWorld(treeWith(['userTeamCreation'])));

type Headers = Readonly<Record<string, string>>;

async function signIn(world: ServerWorld, name: string): Promise<Headers> {
  const answer = await login(world, name);
  assert.is(answer.status, 200, answer.text);
  return browser(answer);
}

const remove = ({ ask }: ServerWorld, headers: Headers, body: object = { currentPassword: password }, query = '') =>
  ask('POST', url + query, { as: 'none', headers, body });
const said = ({ status, body }: Asked) => [status, body?.code];
const exists = ({ store }: ServerWorld, name: string) => store.read().named('User', name) !== undefined;
const rules = ({ body }: Asked) => (body.violations ?? []).map(({ rule }: { rule: string }) => rule);

async function makeTeam(world: ServerWorld, headers: Headers, name: string): Promise<string> {
  const body = { name, type: 'starter' };
  const made = await world.ask('POST', '/api/v1/teams', { as: 'none', headers, body });
  assert.is(made.status, 201, made.text);
  return made.body.id;
}

/** Something of a team, past every rule. */
function thing(kind: 'Instance' | 'Device', team: string): Resource {
  const spec = { team, hash: 'a'.repeat(64) } as never;
  return { kind, id: kind, name: kind, spec, generation: 1, createdAt: start, updatedAt: start };
}

gone('takes a session and the current password; wrong ones count as at sign-in', async ({ world }) => {
  await put(world.store, 'bea');
  const headers = await signIn(world, 'bea');
  assert.equal(said(await remove(world, {})), [401, 'unauthorized']);
  assert.equal(said(await remove(world, headers, {})), [400, 'invalid_request']);
  assert.equal(said(await remove(world, { cookie: headers['cookie'] ?? '' })), [403, 'forbidden'], 'no Origin');
  for (let n = 0; n < 5; n += 1)
    assert.equal(said(await remove(world, headers, { currentPassword: `guess ${n}` })), [403, 'forbidden']);
  const locked = await remove(world, headers);
  assert.equal(said(locked), [403, 'forbidden'], 'the right one too, while the account is locked');
  assert.match(locked.body.detail, /the account cannot be deleted/);
  assert.ok(exists(world, 'bea'));
  world.setNow(new Date(Date.parse(start) + 900_000).toISOString());
  assert.is((await remove(world, headers)).status, 204);
  assert.not.ok(exists(world, 'bea'));
});

gone('takes no token, whatever it may do and whatever it knows', async ({ world }) => {
  for (const as of ['user', 'admin', 'plan'] as const) {
    const { status, body } = await world.ask('POST', url, { as, body: { currentPassword: password } });
    assert.equal([status, body.code], as === 'plan' ? [403, 'forbidden'] : [403, 'session_required'], as);
  }
  // A token counts, and the session beside it is not looked at.
  await put(world.store, 'bea');
  const headers = { ...(await signIn(world, 'bea')), authorization: `Bearer ${world.tokens.user}` };
  assert.equal(said(await remove(world, headers)), [403, 'session_required']);
  for (const name of ['ann', 'bob', 'bea']) assert.ok(exists(world, name), name);
});

gone('ends every session and token at once, takes the cookie away, and stands in the audit log', async ({ world }) => {
  await put(world.store, 'bea');
  const elsewhere = await signIn(world, 'bea');
  const headers = await signIn(world, 'bea');
  const made = await world.ask('POST', '/api/v1/user/tokens', {
    as: 'none',
    headers,
    body: { name: 'ci', scope: 'full', expiresAt: null },
  });
  assert.is(made.status, 201, made.text);
  const byToken = { authorization: `Bearer ${made.body.token}` };
  const who = async (by: Headers) => (await world.ask('GET', '/api/v1/user', { as: 'none', headers: by })).status;
  assert.equal([await who(elsewhere), await who(headers), await who(byToken)], [200, 200, 200]);
  const answer = await remove(world, headers);
  assert.equal([answer.status, answer.text], [204, '']);
  assert.match(String(answer.headers['set-cookie']), /weir_session=;.*(?:Max-Age=0|Expires=Thu, 01 Jan 1970)/i);
  assert.equal([await who(elsewhere), await who(headers), await who(byToken)], [401, 401, 401]);
  assert.is((await login(world, 'bea')).status, 401);
  assert.is((await remove(world, headers)).status, 401);
  const view = world.store.read();
  for (const kind of ['Session', 'Token', 'Membership', 'ActionToken'] as const)
    assert.not.ok(
      [...view.all(kind)].some(({ spec }) => spec.user === 'bea'),
      kind,
    );
  const entries = (await world.store.records({ stream: 'audit', limit: 20 })).map(auditEntryOf);
  const told = entries.find(({ event }) => event === 'user.deleted');
  assert.equal(
    [told?.actor, told?.target],
    [
      { kind: 'user', id: 'bea', name: 'bea' },
      { kind: 'User', id: 'bea', name: 'bea' },
    ],
  );
  assert.not.match(JSON.stringify(entries), password);
});

gone('takes the only team along, where it is empty and nobody else’s', async ({ world }) => {
  await put(world.store, 'bea');
  const headers = await signIn(world, 'bea');
  const team = await makeTeam(world, headers, 'Lab');
  const dry = await remove(world, headers, undefined, '?dryRun=true');
  assert.is(dry.status, 200);
  assert.ok(exists(world, 'bea'), 'a dry run changes nothing');
  assert.equal([dry.body.summary.delete, dry.text.includes('"lab"')], [2, true], dry.text);
  assert.is((await remove(world, headers)).status, 204);
  assert.is(world.store.read().get('Team', team), undefined);
});

for (const kind of ['Instance', 'Device'] as const)
  gone(`is refused in words as long as the only team has one of what it may have: ${kind}`, async ({ world }) => {
    await put(world.store, 'bea');
    const headers = await signIn(world, 'bea');
    const team = await makeTeam(world, headers, 'Lab');
    await world.store.commit(() => ({ changes: [created(thing(kind, team))] }), { id: newId() });
    const refused = await remove(world, headers);
    assert.equal([refused.status, rules(refused)], [409, ['last-owner']]);
    assert.match(refused.text, /lab/);
    assert.ok(exists(world, 'bea') && world.store.read().get('Team', team));
    assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers })).status, 200, 'the session stays');
  });

gone('is refused to the last owner of a team with others, and to whom would leave two teams', async ({ world }) => {
  await put(world.store, 'bea');
  const headers = await signIn(world, 'bea');
  const team = await makeTeam(world, headers, 'Lab');
  const other = await makeTeam(world, headers, 'Shop');
  assert.equal(rules(await remove(world, headers)), ['last-owner', 'last-owner']);
  assert.is((await world.ask('DELETE', `/api/v1/teams/${other}`, { as: 'none', headers })).status, 204);
  const members = `/api/v1/teams/${team}/members`;
  assert.ok((await world.ask('PUT', `${members}/bob`, { body: { role: 'member' } })).status < 300);
  const refused = await remove(world, headers);
  assert.equal([refused.status, rules(refused)], [409, ['last-owner']]);
  assert.is((await world.ask('PUT', `${members}/bob`, { body: { role: 'owner' } })).status, 200);
  assert.is((await remove(world, headers)).status, 204);
  assert.ok(world.store.read().get('Team', team), 'the team is the other owner’s now');
});

gone('is refused to the last admin who can sign in', async ({ world }) => {
  await put(world.store, 'zoe', { admin: true });
  const headers = await signIn(world, 'zoe');
  const demote = (id: string, admin: boolean) =>
    world.ask('PUT', `/api/v1/users/${id}`, { as: 'none', headers, body: { admin } });
  assert.is((await demote('ann', false)).status, 200);
  const refused = await remove(world, headers);
  assert.equal([refused.status, rules(refused)], [409, ['last-admin']]);
  assert.ok(exists(world, 'zoe'));
  assert.is((await demote('ann', true)).status, 200);
  assert.is((await remove(world, headers)).status, 204);
});

gone('is not for who has no password here, and says whom to ask', async () => {
  const world = await startWorld(treeWith([], { 'sso.yaml': ssoDocuments }));
  await put(world.store, 'cora', { email: 'cora@corp.example' });
  const refused = await remove(world, await world.signedIn('cora'));
  assert.equal(said(refused), [409, 'conflict']);
  assert.match(refused.body.detail, /signs in through single sign-on .* ask an administrator/);
  assert.ok(exists(world, 'cora'));
  await world.close();
});

gone.run();
