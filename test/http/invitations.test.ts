// Invitations over HTTP: who may be invited, what is mailed, how long it is good, and who accepts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { audited, days, later, rulesIn, startTeams, teamsTree, tokenIn } from './team-people.ts';
import { type Credential, type ServerWorld, start, startWorld } from './world.ts';

const inAWorld = (name: string, settings?: string) => suiteInWorld(name, () => startTeams(settings));

const url = '/api/v1/teams/core/invitations';
const own = '/api/v1/user/invitations';
const invite = (world: ServerWorld, user: string, role = 'member', as: Credential = 'owner') =>
  world.ask('POST', url, { as, body: { user, role } });
const toBob = async (world: ServerWorld) => (await world.ask('GET', own, { as: 'user' })).body;
const accept = (world: ServerWorld, id: string, as: Credential = 'user') =>
  world.ask('POST', `${own}/${id}/accept`, { as });
const countIn = async (world: ServerWorld) =>
  (await world.ask('GET', '/api/v1/teams/core')).body.pendingInvitationCount;

/** Writes a user past every route. */
async function edit(world: ServerWorld, id: string, spec: Partial<Resource<'User'>['spec']>): Promise<void> {
  const transaction: Parameters<ServerWorld['store']['commit']>[0] = (view) => {
    const user = view.get('User', id);
    if (!user) throw new Error(`no ${id}`);
    return { changes: [updated(user, { ...user, spec: { ...user.spec, ...spec } })] };
  };
  await world.store.commit(transaction, { id: newId() });
}

const inviting = inAWorld('inviting');

inviting('a user by name tells their name, and mails them where they read mail', async ({ world }) => {
  const { status, body } = await invite(world, 'BOB', 'viewer');
  assert.is(status, 201);
  const { id, ...rest } = body;
  assert.equal(rest, {
    team: { id: 'core', slug: 'core', name: 'The core team' },
    role: 'viewer',
    inviter: { id: 'olga', username: 'olga', name: '' },
    invitee: { id: 'bob', username: 'bob', name: '' },
    createdAt: start,
    expiresAt: later(7 * days),
  });
  assert.is(world.mails.length, 1);
  assert.is(world.mails[0]?.to, 'bob@example.net');
  assert.match(world.mails[0]?.text ?? '', /"olga" invites you to the team "The core team", with the role "viewer"/);
  assert.match(world.mails[0]?.text ?? '', /Sign in with the account that you have/);
  assert.match(world.mails[0]?.text ?? '', /http:\/\/weir\.example\/account\/invitations\/[0-9A-Za-z]{40}/);
  assert.not.ok(JSON.stringify(body).includes(tokenIn(world)));
  assert.equal((await toBob(world)).invitations, [body]);
  assert.equal((await world.ask('GET', url, { as: 'owner' })).body.invitations, [body]);
  assert.is(id, (await world.ask('GET', '/api/v1/admin/invitations')).body.invitations[0].id);
});

inviting('an address answers the same whether or not somebody has it', async ({ world }) => {
  const [known, unknown] = [await invite(world, 'Bob@Example.net'), await invite(world, 'New@example.org')];
  assert.equal([known.status, unknown.status], [201, 201]);
  const { id: _, invitee: toKnown, ...one } = known.body;
  const { id: __, invitee: toUnknown, ...other } = unknown.body;
  assert.equal(one, other);
  assert.equal([toKnown, toUnknown], [{ email: 'bob@example.net' }, { email: 'new@example.org' }]);
  assert.equal(
    world.mails.map(({ to, text }) => [to, text.includes('You have no account yet')]),
    [
      ['bob@example.net', false],
      ['new@example.org', true],
    ],
  );
  assert.is((await toBob(world)).count, 1);
  const log = await world.ask('GET', '/api/v1/teams/core/audit-log', { as: 'owner' });
  const [last] = log.body.auditEntries.filter(({ event }: { event: string }) => event === 'invitation.created');
  assert.not.ok(JSON.stringify(last).includes(tokenIn(world)));
});

inviting('says of a name that nobody has it, and refuses what is neither name nor address', async ({ world }) => {
  const { status, body } = await invite(world, 'nobody');
  assert.equal([status, body.code], [404, 'not_found']);
  assert.is(
    body.detail,
    'nobody cannot be invited, because there is no user of that name: check it, or give an email address.',
  );
  assert.is((await invite(world, 'a@')).status, 400);
  assert.is((await invite(world, '')).status, 400);
  assert.is((await invite(world, 'bob', 'king')).status, 400);
  assert.is(world.mails.length, 0);
});

inviting('declines who is in the team, and who is invited already, however they are called', async ({ world }) => {
  for (const called of ['max', 'max@example.net', 'olga']) {
    const { status, body } = await invite(world, called);
    assert.equal([status, body.code], [409, 'conflict'], called);
    assert.match(body.detail, /because they are in the team already/);
  }
  await invite(world, 'bob');
  for (const called of ['bob', 'bob@example.net']) {
    const { status, body } = await invite(world, called);
    assert.equal([status, body.code], [409, 'conflict'], called);
    assert.match(body.detail, /because an invitation to them is open already: send that one again/);
  }
  await invite(world, 'new@example.org');
  assert.is((await invite(world, 'NEW@example.org')).status, 409);
  assert.is(world.mails.length, 2);
});

inviting('knows a domain in each script that it is written in', async ({ world }) => {
  assert.is((await invite(world, 'new@bücher.example')).status, 201);
  for (const called of ['new@xn--bcher-kva.example', 'new@ｂücher.example', 'new@BÜCHER.example']) {
    const { status, body } = await invite(world, called);
    assert.is(status, 409, called);
    assert.match(body.detail, /because an invitation to them is open already/);
  }
  assert.is(world.mails.length, 1);
});

inviting('is for owners and admins', async ({ world }) => {
  for (const as of ['member', 'viewer', 'dashboard'] as const)
    assert.is((await invite(world, 'bob', 'member', as)).status, 403, as);
  assert.is((await invite(world, 'bob', 'member', 'admin')).status, 201);
});

inviting('counts against the limit of the type', async ({ world }) => {
  await invite(world, 'bob');
  await invite(world, 'new@example.org');
  const full = await invite(world, 'more@example.org');
  assert.equal([full.status, rulesIn(full)], [409, ['limit-reached']]);
  assert.is(world.mails.length, 2);
  assert.is(await countIn(world), 2);
  assert.is((await accept(world, (await toBob(world)).invitations[0].id)).status, 200);
  assert.equal(rulesIn(await invite(world, 'more@example.org')), ['limit-reached']);
});

inviting('does it once for a key, and mails once', async ({ world }) => {
  const ask = () =>
    world.ask('POST', url, {
      as: 'owner',
      body: { user: 'bob', role: 'member' },
      headers: { 'idempotency-key': 'bob' },
    });
  const [first, second] = [await ask(), await ask()];
  assert.equal([first.status, second.status], [201, 201]);
  assert.equal(first.body, second.body);
  assert.is(world.mails.length, 1);
});

inviting('can be tried, and mails nothing then', async ({ world }) => {
  const { status, body } = await world.ask('POST', `${url}?dryRun=true`, {
    as: 'owner',
    body: { user: 'bob', role: 'member' },
  });
  assert.equal([status, body.summary.create], [200, 1]);
  assert.is(world.mails.length, 0);
  assert.is((await toBob(world)).count, 0);
});

const outsiders = suite('people without an account');

outsiders('are not invited where the settings do not allow it', async () => {
  const world = await startTeams('externalInvitations: false');
  const { status, body } = await invite(world, 'new@example.org');
  assert.equal([status, body.code], [403, 'forbidden']);
  assert.match(body.detail, /the settings do not let people without an account be invited: ask an admin to add them/);
  assert.is((await invite(world, 'bob@example.net')).status, 201);
  await edit(world, 'eve', { emailVerified: false });
  assert.is((await invite(world, 'eve@example.net')).status, 403);
  await world.close();
});

outsiders('are not invited while no mail can be sent; users are, and see it', async () => {
  const world = await startWorld(teamsTree('userTeamCreation: true', false));
  assert.is((await invite(world, 'new@example.org')).status, 403);
  assert.is((await invite(world, 'bob')).status, 201);
  assert.is(world.mails.length, 0);
  assert.is((await toBob(world)).count, 1);
  await world.close();
});

outsiders('register with the token, and are in the team', async () => {
  const world = await startTeams();
  await invite(world, 'new@example.org', 'viewer');
  const token = tokenIn(world);
  const opened = await world.ask('GET', `/account/invitation?token=${token}`, { as: 'none' });
  assert.equal(opened.body, {
    team: { slug: 'core', name: 'The core team' },
    role: 'viewer',
    inviter: { username: 'olga', name: '' },
    email: 'new@example.org',
    known: false,
    expiresAt: later(7 * days),
  });
  const body = { username: 'newt', email: 'new@example.org', password: 'copper kettle drum', invitation: token };
  assert.is((await world.ask('POST', '/account/register', { as: 'none', body })).status, 201);
  const { body: list } = await world.ask('GET', '/api/v1/teams/core/members?q=newt');
  assert.equal([list.count, list.members[0].role], [1, 'viewer']);
  assert.is((await world.ask('GET', `/account/invitation?token=${token}`, { as: 'none' })).status, 404);
  assert.is(await countIn(world), 0);
  await world.close();
});

outsiders('see an invitation that was made before they registered, once their address is verified', async () => {
  const world = await startTeams();
  const { body } = await invite(world, 'new@example.org');
  // The mail after it tells of the new address.
  const token = tokenIn(world);
  await edit(world, 'bob', { email: 'new@example.org', emailVerified: false });
  assert.is((await toBob(world)).count, 0);
  assert.is((await accept(world, body.id)).status, 404);
  assert.is((await world.ask('POST', '/account/accept-invitation', { as: 'user', body: { token } })).status, 403);
  await edit(world, 'bob', { emailVerified: true });
  assert.equal((await toBob(world)).invitations, [body]);
  assert.is((await accept(world, body.id)).status, 200);
  await world.close();
});

const answering = inAWorld('an invitation');

answering('is accepted once, by whom it is to', async ({ world }) => {
  const { id } = (await invite(world, 'bob', 'viewer')).body;
  for (const as of ['member', 'otherOwner', 'admin'] as const) {
    assert.is((await accept(world, id, as)).status, 404, as);
    assert.is((await world.ask('DELETE', `${own}/${id}`, { as })).status, 404, as);
  }
  world.setNow(later(9));
  const tried = await world.ask('POST', `${own}/${id}/accept?dryRun=true`, { as: 'user' });
  assert.equal([tried.status, tried.body.summary.create, tried.body.summary.delete], [200, 1, 1]);
  const { status, body } = await accept(world, id);
  assert.equal(
    [status, body.slug, body.role, body.memberCount, body.pendingInvitationCount],
    [200, 'core', 'viewer', 5, 0],
  );
  assert.is((await accept(world, id)).status, 404);
  assert.is((await toBob(world)).count, 0);
  const events = (await audited(world)).map(({ event, actor, target }) => [event, actor.name, target.name]);
  assert.equal(events.slice(-3), [
    ['invitation.created', 'olga', 'core/bob'],
    ['membership.created', 'bob', 'core/bob'],
    ['invitation.deleted', 'bob', 'core/bob'],
  ]);
});

answering('is accepted by the token of its mail, in a session or by an access token', async ({ world }) => {
  await invite(world, 'bob');
  const body = { token: tokenIn(world) };
  const { cookie = '', origin = '' } = await world.signedIn('bob');
  const foreign = await world.ask('POST', '/account/accept-invitation', { as: 'none', body, headers: { cookie } });
  assert.is(foreign.status, 403);
  assert.is((await world.ask('POST', '/account/accept-invitation', { as: 'none', body })).status, 401);
  assert.is((await world.ask('POST', '/account/accept-invitation', { as: 'member', body })).status, 403);
  const headers = { cookie, origin };
  const accepted = await world.ask('POST', '/account/accept-invitation', { as: 'none', body, headers });
  assert.equal([accepted.status, accepted.body.slug, accepted.body.role], [200, 'core', 'member']);
  assert.is((await world.ask('POST', '/account/accept-invitation', { as: 'none', body, headers })).status, 404);
  const opened = await world.ask('GET', '/account/invitation?token=nonsense', { as: 'none' });
  assert.equal([opened.status, opened.body.code], [404, 'not_found']);
});

answering('of one person in two ways ends with the first that is accepted', async ({ world }) => {
  await edit(world, 'bob', { emailVerified: false });
  const { id } = (await invite(world, 'bob@example.net', 'viewer')).body;
  assert.is((await invite(world, 'bob')).status, 201);
  await edit(world, 'bob', { emailVerified: true });
  assert.is((await toBob(world)).count, 2);
  assert.is((await accept(world, id)).body.role, 'viewer');
  assert.is(await countIn(world), 0);
});

answering('is declined by whom it is to, and withdrawn by the team', async ({ world }) => {
  const first = (await invite(world, 'bob')).body.id;
  assert.is((await world.ask('DELETE', `${own}/${first}`, { as: 'user' })).status, 204);
  assert.is((await world.ask('GET', url, { as: 'owner' })).body.count, 0);
  const second = (await invite(world, 'bob')).body.id;
  assert.is((await world.ask('DELETE', `/api/v1/teams/other/invitations/${second}`, { as: 'otherOwner' })).status, 404);
  assert.is((await world.ask('DELETE', `${url}/${second}`, { as: 'owner' })).status, 204);
  assert.is((await accept(world, second)).status, 404);
  assert.is((await world.ask('GET', `/account/invitation?token=${tokenIn(world)}`, { as: 'none' })).status, 404);
});

answering('is gone with its team and with its inviter', async ({ world }) => {
  const first = (await invite(world, 'bob')).body.id;
  await world.ask('PUT', '/api/v1/teams/core/members/max', { body: { role: 'owner' } });
  assert.is((await world.ask('DELETE', '/api/v1/users/olga')).status, 204);
  assert.is((await accept(world, first)).status, 404);
  const second = (await invite(world, 'bob', 'member', 'admin')).body.id;
  assert.is((await world.ask('DELETE', '/api/v1/teams/core')).status, 204);
  assert.is((await accept(world, second)).status, 404);
  assert.is((await world.ask('GET', '/api/v1/admin/invitations')).body.count, 0);
});

answering('opens nothing from the moment on at which it ends, also before it is swept', async ({ world }) => {
  const { id } = (await invite(world, 'bob')).body;
  const open = () => world.ask('GET', `/account/invitation?token=${tokenIn(world)}`, { as: 'none' });
  world.setNow(later(7 * days - 1));
  assert.is((await open()).status, 200);
  world.setNow(later(7 * days));
  assert.is((await open()).status, 404);
  assert.is((await accept(world, id)).status, 404);
  assert.is((await world.ask('POST', `${url}/${id}/resend`, { as: 'owner' })).status, 404);
  assert.is((await toBob(world)).count, 0);
  assert.is((await world.ask('GET', url, { as: 'owner' })).body.count, 0);
  assert.is((await world.ask('GET', '/api/v1/admin/invitations')).body.count, 0);
  assert.is((await invite(world, 'bob')).status, 201);
  assert.is(world.store.read().count('Invitation'), 1);
});

answering('is in the list of all, with who invited whom to which team', async ({ world }) => {
  await invite(world, 'bob');
  world.setNow(later(1));
  await world.ask('POST', '/api/v1/teams/other/invitations', {
    as: 'otherOwner',
    body: { user: 'max', role: 'owner' },
  });
  const list = async (query: string) => {
    const { body } = await world.ask('GET', `/api/v1/admin/invitations?${query}`);
    return [
      body.count,
      ...body.invitations.map(
        ({ inviter, invitee, team }: { [K in 'inviter' | 'invitee' | 'team']: { username: string; slug: string } }) =>
          `${inviter.username} ${invitee.username} ${team.slug}`,
      ),
    ];
  };
  assert.equal(await list(''), [2, 'olga bob core', 'otto max other']);
  assert.equal(await list('q=otto'), [1, 'otto max other']);
  const { body } = await world.ask('GET', '/api/v1/admin/invitations?limit=1');
  assert.equal(await list(`limit=1&cursor=${body.meta.next_cursor}`), [2, 'otto max other']);
});

const resending = inAWorld('resending');

resending('makes a new link and gives all the time again, at most once a minute', async ({ world }) => {
  const { id } = (await invite(world, 'bob')).body;
  const old = tokenIn(world);
  const ask = (more = '') => world.ask('POST', `${url}/${id}/resend${more}`, { as: 'owner' });
  world.setNow(later(59));
  const early = await ask();
  assert.equal([early.status, early.body.code, early.headers['retry-after']], [429, 'rate_limited', '60']);
  world.setNow(later(60));
  const tried = await ask('?dryRun=true');
  assert.equal([tried.status, tried.body.summary.update, world.mails.length], [200, 1, 1]);
  const { status, body } = await ask();
  assert.equal([status, body.id, body.expiresAt], [200, id, later(7 * days + 60)]);
  assert.is(world.mails.length, 2);
  assert.is.not(tokenIn(world), old);
  assert.is((await world.ask('GET', `/account/invitation?token=${old}`, { as: 'none' })).status, 404);
  assert.is((await world.ask('GET', `/account/invitation?token=${tokenIn(world)}`, { as: 'none' })).status, 200);
  assert.is((await ask()).status, 429);
  assert.is((await world.ask('POST', `${url}/${id}/resend`, { as: 'member' })).status, 403);
});

resending('mails once when it is asked for twice at once', async ({ world }) => {
  const { id } = (await invite(world, 'bob')).body;
  world.setNow(later(60));
  const both = await Promise.all([1, 2].map(() => world.ask('POST', `${url}/${id}/resend`, { as: 'owner' })));
  assert.equal(both.map(({ status }) => status).sort(), [200, 429]);
  assert.is(world.mails.length, 2);
});

resending('follows a user to the address that they have by now', async ({ world }) => {
  const { id } = (await invite(world, 'bob')).body;
  await edit(world, 'bob', { email: 'bob@elsewhere.example' });
  world.setNow(later(60));
  assert.is((await world.ask('POST', `${url}/${id}/resend`, { as: 'owner' })).status, 200);
  assert.is(world.mails.at(-1)?.to, 'bob@elsewhere.example');
});

inviting.run();
outsiders.run();
answering.run();
resending.run();
