// Members of a team over HTTP: who sees them, who changes them, and that a team always has an owner.
import * as assert from 'uvu/assert';
import { suiteInWorld } from './suite-in-world.ts';
import { audited, days, later, makeTeam, rulesIn, startTeams } from './team-people.ts';
import { type Credential, type ServerWorld, start } from './world.ts';

const inAWorld = (name: string) => suiteInWorld(name, startTeams);

const url = '/api/v1/teams/core/members';
const set = (world: ServerWorld, as: Credential, user: string, role: string, more = '') =>
  world.ask('PUT', `${url}/${user}${more}`, { as, body: { role } });
const remove = (world: ServerWorld, as: Credential, user: string) => world.ask('DELETE', `${url}/${user}`, { as });

const listing = inAWorld('members');

listing('are listed with their addresses to who works in the team, and not to its dashboards', async ({ world }) => {
  const { status, body } = await world.ask('GET', url, { as: 'viewer' });
  assert.is(status, 200);
  assert.is(body.count, 4);
  assert.equal(body.members[0], {
    user: { id: 'olga', username: 'olga', name: '', email: 'olga@example.net' },
    role: 'owner',
    ssoManaged: false,
    since: start,
  });
  assert.is((await world.ask('GET', url, { as: 'dashboard' })).status, 403);
  assert.is((await world.ask('GET', url, { as: 'otherOwner' })).status, 404);
});

listing('come in pages, searched and sorted', async ({ world }) => {
  const names = async (query: string) => {
    const { body } = await world.ask('GET', `${url}?${query}`, { as: 'owner' });
    return [body.count, ...body.members.map(({ user }: { user: { username: string } }) => user.username)];
  };
  assert.equal(await names('sort=username'), [4, 'dora', 'max', 'olga', 'vera']);
  assert.equal(await names('sort=-username&limit=1'), [4, 'vera']);
  assert.equal(await names('q=MAX@'), [1, 'max']);
  const { body } = await world.ask('GET', `${url}?limit=3`, { as: 'owner' });
  assert.equal(await names(`limit=3&cursor=${body.meta.next_cursor}`), [4, 'dora']);
});

const roles = inAWorld('a role');

roles('is changed by owners and admins, and by nobody else', async ({ world }) => {
  for (const as of ['member', 'viewer', 'dashboard'] as const) {
    assert.is((await set(world, as, 'vera', 'owner')).status, 403, as);
    assert.is((await set(world, as, 'olga', 'viewer')).status, 403, as);
  }
  for (const as of ['owner', 'admin'] as const) {
    const { status, body } = await set(world, as, 'vera', as === 'owner' ? 'member' : 'owner');
    assert.equal([status, body.user.username, body.role], [200, 'vera', as === 'owner' ? 'member' : 'owner']);
  }
  assert.is((await set(world, 'owner', 'vera', 'king')).status, 400);
  const entries = (await audited(world)).filter(({ event }) => event === 'membership.updated');
  assert.equal(
    entries.map(({ actor, target, changes }) => [actor.name, target.name, changes[0].before, changes[0].after]),
    [
      ['olga', 'core/vera', 'viewer', 'member'],
      ['ann', 'core/vera', 'member', 'owner'],
    ],
  );
});

roles('is given by owners to members alone; an admin brings others in', async ({ world }) => {
  const { status, body } = await set(world, 'owner', 'bob', 'member');
  assert.is(status, 404);
  assert.is(body.detail, 'the team has no such member: to bring somebody in, invite them.');
  assert.equal((await set(world, 'owner', 'nobody', 'member')).body.detail, body.detail);
  world.setNow(later(5));
  const added = await set(world, 'admin', 'bob', 'viewer');
  assert.equal([added.status, added.body.role, added.body.since], [200, 'viewer', later(5)]);
  assert.is((await world.ask('GET', '/api/v1/teams/core', { as: 'user' })).body.role, 'viewer');
  assert.is((await set(world, 'admin', 'nobody', 'member')).body.detail, 'there is no such user.');
});

roles('is not given past the limit of the type, open invitations counted and ended ones not', async ({ world }) => {
  for (const user of ['x@example.org', 'y@example.org'])
    await world.ask('POST', '/api/v1/teams/core/invitations', { as: 'owner', body: { user, role: 'member' } });
  const full = await set(world, 'admin', 'bob', 'member');
  assert.equal([full.status, rulesIn(full)], [409, ['limit-reached']]);
  assert.match(full.body.detail, /cannot have 7 members \(2 of them invited\), because TeamType\/starter allows 6/);
  world.setNow(later(7 * days));
  assert.is((await set(world, 'admin', 'bob', 'member')).status, 200);
  assert.is(world.store.read().count('Invitation'), 0);
});

roles('ends the invitation of whom an admin brings in', async ({ world }) => {
  await world.ask('POST', '/api/v1/teams/core/invitations', { as: 'owner', body: { user: 'bob', role: 'member' } });
  await set(world, 'admin', 'bob', 'viewer');
  assert.is(world.store.read().count('Invitation'), 0);
});

roles('can be tried', async ({ world }) => {
  const { status, body } = await set(world, 'owner', 'vera', 'member', '?dryRun=true');
  assert.is(status, 200);
  assert.equal(body.changes[0].fields, [{ path: '/spec/role', before: 'viewer', after: 'member' }]);
  const blocked = await set(world, 'owner', 'olga', 'member', '?dryRun=true');
  assert.equal(
    blocked.body.findings.map(({ rule }: { rule: string }) => rule),
    ['last-owner'],
  );
  assert.is((await world.ask('GET', url, { as: 'owner' })).body.members[0].role, 'owner');
});

roles('is changed only as it was seen, where If-Match says so', async ({ world }) => {
  const put = (user: string, etag: string) =>
    world.ask('PUT', `${url}/${user}`, { body: { role: 'member' }, headers: { 'if-match': etag } });
  assert.is((await put('vera', '"something-else.1"')).status, 412);
  assert.is((await put('bob', '*')).status, 412);
  assert.is((await put('vera', '*')).status, 200);
});

const leaving = inAWorld('leaving');

leaving('is for everybody, taking others out for owners', async ({ world }) => {
  for (const [as, user] of [
    ['member', 'vera'],
    ['viewer', 'max'],
    ['dashboard', 'olga'],
  ] as const)
    assert.is((await remove(world, as, user)).status, 403, as);
  assert.is((await remove(world, 'dashboard', 'dora')).status, 204);
  assert.is((await remove(world, 'viewer', 'vera')).status, 204);
  assert.is((await remove(world, 'owner', 'max')).status, 204);
  assert.is((await remove(world, 'owner', 'max')).status, 404);
  assert.is((await remove(world, 'otherOwner', 'otto')).status, 404);
  assert.is((await world.ask('GET', '/api/v1/teams/core', { as: 'member' })).status, 404);
  assert.is((await world.ask('GET', url, { as: 'owner' })).body.count, 1);
});

leaving('and demoting do not take the last owner, whoever does it', async ({ world }) => {
  const tries = [
    await remove(world, 'owner', 'olga'),
    await remove(world, 'admin', 'olga'),
    await set(world, 'owner', 'olga', 'member'),
    await set(world, 'admin', 'olga', 'dashboard'),
    await world.ask('DELETE', '/api/v1/users/olga'),
  ];
  for (const refused of tries) {
    assert.is(refused.status, 409);
    assert.equal(rulesIn(refused), ['last-owner']);
    assert.is(
      refused.body.detail,
      'Team/core: cannot be without an owner, because User/olga is its only owner: make another member an owner first.',
    );
  }
  await set(world, 'owner', 'max', 'owner');
  assert.is((await remove(world, 'owner', 'olga')).status, 204);
});

leaving('does not leave a team without an owner when two owners demote each other at once', async ({ world }) => {
  await set(world, 'owner', 'max', 'owner');
  const both = await Promise.all([set(world, 'owner', 'max', 'member'), set(world, 'member', 'olga', 'member')]);
  assert.equal(
    both
      .map(({ status }) => status)
      .sort()
      .at(0),
    200,
  );
  const [refused] = both.filter(({ status }) => status !== 200);
  // Who was demoted first may not demote any more; had both still been owners, the rule would say the same.
  assert.ok(refused && [403, 409].includes(refused.status));
  const leave = await Promise.all([remove(world, 'owner', 'olga'), remove(world, 'member', 'max')]);
  assert.ok(leave.some(({ body }) => body?.violations?.[0]?.rule === 'last-owner'));
  const { body } = await world.ask('GET', url);
  assert.is(body.members.filter(({ role }: { role: string }) => role === 'owner').length, 1);
});

leaving('of both owners at once is refused to the second', async ({ world }) => {
  await set(world, 'owner', 'max', 'owner');
  const both = await Promise.all([set(world, 'admin', 'max', 'member'), set(world, 'admin', 'olga', 'member')]);
  assert.equal(both.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(rulesIn(both.find(({ status }) => status === 409) ?? both[0]), ['last-owner']);
});

leaving('takes a member’s own rights at once', async ({ world }) => {
  const { body } = await makeTeam(world, 'user', { name: 'Mine', type: 'roomy' });
  await world.ask('PUT', `/api/v1/teams/${body.id}/members/otto`, { body: { role: 'owner' } });
  await world.ask('DELETE', `/api/v1/teams/${body.id}/members/bob`, { as: 'otherOwner' });
  assert.is((await world.ask('PUT', `/api/v1/teams/${body.id}`, { as: 'user', body: { name: 'X' } })).status, 404);
  assert.is((await world.ask('GET', '/api/v1/user/teams', { as: 'user' })).body.count, 0);
});

for (const tests of [listing, roles, leaving]) tests.run();
