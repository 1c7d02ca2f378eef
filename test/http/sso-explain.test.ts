// POST /api/v1/sso-configs/:name/explain: what a sign-in would do, told without doing it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secret, testDirectory } from './directory-world.ts';
import { browser, login, put } from './people.ts';
import { type Credential, type ServerWorld, startWorld, tree } from './world.ts';

const ldap =
  '{server: "ldap:389", baseDn: "dc=x", username: cn=weir, password: {fromEnv: WEIR_SECRET_LDAP}, groupDn: "dc=g"}';
const documents = `kind: SsoConfig
metadata: {name: corp}
spec: {emailDomain: corp.example, provider: saml, groups: {manageRoles: true}}
---
kind: SsoConfig
metadata: {name: net}
spec: {emailDomain: example.net, provider: ldap, active: true, ldap: ${ldap}, provisionNewUsers: true, groups: {manageRoles: true, scope: selected, teams: [core], allowOtherTeams: true, adminGroup: bosses}}
`;

interface Told {
  readonly event: string;
  readonly target: { readonly kind: string; readonly name: string };
  readonly changes: unknown;
  readonly reason: string;
}

interface Context {
  world: ServerWorld;
}

const explain = suite<Context>('explaining a sign-in');
explain.before(async (context) => {
  context.world = await startWorld({ ...tree, 'sso.yaml': documents }, { directory: testDirectory() });
});
explain.after(({ world }) => world.close());

const ask = ({ ask: send }: ServerWorld, name: string, body: unknown, as: Credential = 'admin') =>
  send('POST', `/api/v1/sso-configs/${name}/explain`, { body, as });

explain('says who it would be, what would change and why, and changes nothing', async ({ world }) => {
  const { position } = world.store.read();
  const { status, body } = await ask(world, 'net', {
    email: 'MAX@example.net',
    groups: ['svc-core-viewer', 'svc-other-owner', 'staff'],
  });
  assert.is(status, 200);
  assert.equal(
    { ...body, explanation: body.explanation.map(({ reason }: { reason: string }) => reason) },
    {
      config: 'net',
      active: true,
      email: 'max@example.net',
      outcome: 'signed-in',
      user: {
        id: 'max',
        username: 'max',
        admin: false,
        isNew: false,
        memberships: [{ team: 'core', role: 'viewer', ssoManaged: true }],
      },
      changes: [
        {
          event: 'membership.updated',
          target: { kind: 'Membership', name: 'core/max' },
          changes: [
            { path: '/spec/role', before: 'member', after: 'viewer' },
            { path: '/spec/ssoManaged', before: false, after: true },
          ],
          reason: 'becomes viewer of core (was member), because of the group "svc-core-viewer"',
        },
      ],
      explanation: [
        'known',
        'not-in-admin-group',
        'group-gives',
        'team-not-selected',
        'not-of-the-form',
        'session-length',
      ],
    },
  );
  assert.is(world.store.read().position, position);
});

explain('says what a sign-in then does', async () => {
  const identity = { email: 'olga@example.net', groups: ['svc-core-owner', 'bosses'] };
  const world = await startWorld({ ...tree, 'sso.yaml': documents }, { directory: testDirectory(identity) });
  const { body: told } = await ask(world, 'net', identity);
  const signedIn = await login(world, 'olga', secret);
  assert.equal([signedIn.body.id, signedIn.body.admin], [told.user.id, told.user.admin]);
  const log = await world.ask('GET', '/api/v1/admin/audit-log?actor=sso');
  const done = log.body.auditEntries.filter(({ event }: { event: string }) => event !== 'sign-in.succeeded');
  assert.equal(
    done
      .map(({ event, target, changes, reason }: Told) => ({
        event,
        target: { kind: target.kind, name: target.name },
        changes,
        reason,
      }))
      .reverse(),
    told.changes,
  );
  const members = await world.ask('GET', '/api/v1/teams/core/members', { as: 'none', headers: browser(signedIn) });
  const olga = members.body.members.find(({ user }: { user: { id: string } }) => user.id === 'olga');
  assert.equal([olga.role, olga.ssoManaged], ['owner', true]);
  await world.close();
});

explain('says who would be made, and of whom it would be refused', async ({ world }) => {
  const fresh = await ask(world, 'net', { email: 'new@example.net' });
  assert.equal(fresh.body.user, { id: null, username: 'new', admin: false, isNew: true, memberships: [] });
  const reason = async (email: string) => (await ask(world, 'net', { email, groups: [] })).body.reason;
  assert.is(await reason('eve@example.net'), 'User/eve is suspended');
  assert.match(await reason('max@elsewhere.example'), /is not of example.net, the domain of SsoConfig\/net$/);
});

explain('is of what a sign-in would keep: where a rule forbids that, it is refused in the same words', async () => {
  const identity = { email: 'twin@example.net', groups: [] };
  const world = await startWorld({ ...tree, 'sso.yaml': documents }, { directory: testDirectory(identity) });
  // No rule lets these two in: a store of an earlier version may hold them.
  await put(world.store, 'twin', { email: identity.email });
  await put(world.store, 'TWIN', { email: 'other@example.net' });
  const { status, body } = await ask(world, 'net', identity);
  assert.equal(
    [status, body],
    [
      200,
      {
        config: 'net',
        active: true,
        email: identity.email,
        outcome: 'refused',
        reason: 'User/twin: username cannot be twin, because another user has it',
        changes: [],
        explanation: [],
      },
    ],
  );
  const signedIn = await login(world, 'twin', secret);
  assert.match(JSON.stringify(signedIn.body), body.reason);
  await world.close();
});

explain('tells groups that were not given from none at all', async ({ world }) => {
  const reasons = async (groups: object) =>
    (await ask(world, 'net', { email: 'max@example.net', ...groups })).body.explanation.map(
      ({ reason }: Told) => reason,
    );
  assert.ok((await reasons({})).includes('no-group-attribute'));
  assert.not.ok((await reasons({ groups: [] })).includes('no-group-attribute'));
});

explain('takes a draft as if it were active, and says so', async ({ world }) => {
  await put(world.store, 'cora', { email: 'cora@corp.example' });
  const { body } = await ask(world, 'corp', { email: 'cora@corp.example', groups: ['svc-core-member'] });
  assert.equal([body.active, body.outcome, body.user.memberships.length], [false, 'signed-in', 1]);
});

explain('is for admins, of configurations that there are, and of questions of its form', async ({ world }) => {
  assert.is((await ask(world, 'net', { email: 'max@example.net' }, 'owner')).status, 403);
  assert.is((await ask(world, 'nope', { email: 'max@example.net' })).status, 404);
  for (const body of [{}, { email: 'max' }, { email: 'max@example.net', groups: 'a,b' }, { email: 'a@b.c', group: [] }])
    assert.is((await ask(world, 'net', body)).status, 400, JSON.stringify(body));
});

explain.run();
