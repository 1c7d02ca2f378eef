// The policy: who may do what, for each kind of caller.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actorOf, anonymous, type Caller, callerNow } from '../../../src/core/access/actor.ts';
import { type Action, actionsOn, decide, policy } from '../../../src/core/access/policy.ts';
import { kinds } from '../../../src/core/kinds/index.ts';
import { roles } from '../../../src/core/kinds/roles.ts';
import { created, updated } from '../../../src/core/model/change.ts';
import { type DeclaredResource, defaultLifecycle, type Resource } from '../../../src/core/model/resource.ts';
import { createState } from '../../../src/core/model/state.ts';

const times = { generation: 1, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' } as const;
const user = (admin: boolean): Resource<'User'> => ({
  kind: 'User',
  id: 'u1',
  name: 'ann',
  spec: {
    email: 'ann@example.com',
    emailVerified: true,
    displayName: '',
    admin,
    suspended: false,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  },
  ...times,
});
const token = (scope: 'full' | 'plan'): Resource<'Token'> => ({
  kind: 'Token',
  id: 't1',
  name: 'ci',
  spec: { user: 'u1', hash: 'a'.repeat(64), scope, expiresAt: null, lastUsedAt: null },
  ...times,
});
const by = (admin: boolean, scope: 'full' | 'plan'): Caller => ({
  kind: 'user',
  user: user(admin),
  by: 'token',
  token: token(scope),
});
const session = (admin: boolean): Caller => ({
  kind: 'user',
  user: user(admin),
  by: 'session',
  session: {
    kind: 'Session',
    id: 's1',
    name: 's1',
    spec: {
      user: 'u1',
      hash: 'b'.repeat(64),
      expiresAt: '2026-01-08T00:00:00.000Z',
      idleHours: 32,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
      address: '192.0.2.1',
      agent: '',
    },
    ...times,
  },
});

const deciding = suite('the policy');
const actions = Object.keys(policy) as Action[];
/** What a caller may do, where nothing is done to a team. */
const allowed = (caller: Caller, view = createState()) =>
  actions.filter((action) => decide(action, caller, view) === 'allowed');
const whoever = actions.filter((action) => policy[action].who === 'anyone');
const forUsers = actions.filter((action) => policy[action].who === 'user');
const ofMachines = actions.filter((action) => ['device', 'machine'].includes(String(policy[action].who)));
const ofTeams = actions.filter((action) => typeof policy[action].who !== 'string');

deciding('lets nobody unknown past what is open', () => {
  assert.equal(whoever, [
    'probe',
    'read-version',
    'read-security-contacts',
    'open-page',
    'sign-in',
    'sign-out',
    'see-ways-in',
    'register',
    'recover-account',
  ]);
  assert.equal(allowed(anonymous), whoever);
  for (const action of actions)
    if (!whoever.includes(action)) assert.is(decide(action, anonymous, createState()), 'unauthorized', action);
});

deciding('lets an admin do everything by a session, and by a token all but what makes tokens outlive their end', () => {
  const platformWide = actions.filter((action) => !ofTeams.includes(action) && !ofMachines.includes(action));
  assert.equal(allowed(session(true)), platformWide);
  const sessionOnly = platformWide.filter((action) => policy[action].sessionOnly);
  assert.equal(sessionOnly, ['change-address', 'delete-self', 'change-password', 'create-token']);
  assert.equal(
    allowed(by(true, 'full')),
    platformWide.filter((action) => !sessionOnly.includes(action)),
  );
  for (const action of sessionOnly)
    assert.is(decide(action, by(true, 'full'), createState()), 'session_required', action);
});

deciding('lets any user do what is theirs, and nothing of admins', () => {
  const theirs = actions.filter((action) => whoever.includes(action) || forUsers.includes(action));
  assert.equal(allowed(session(false)), theirs);
  for (const action of actions)
    if (policy[action].who === 'admin') assert.is(decide(action, session(false), createState()), 'forbidden', action);
});

deciding('lets a plan token see status, plans and whose it is, and only where its user may', () => {
  const beyond = (admin: boolean) => allowed(by(admin, 'plan')).filter((action) => !whoever.includes(action));
  assert.equal(beyond(true), ['describe-api', 'read-config-status', 'plan-config', 'read-self']);
  assert.equal(beyond(false), ['describe-api', 'read-self']);
});

deciding('lets the statistics token read the statistics and nothing else', () => {
  const scraper: Caller = {
    kind: 'scraper',
    token: {
      kind: 'StatisticsToken',
      id: 'st',
      name: 'statistics',
      spec: { hash: 'c'.repeat(64), lastUsedAt: null },
      ...times,
    },
  };
  assert.equal(
    allowed(scraper).filter((action) => !whoever.includes(action)),
    ['read-statistics'],
  );
  for (const action of actions)
    if (!whoever.includes(action) && action !== 'read-statistics')
      assert.is(decide(action, scraper, createState()), 'forbidden', action);
});

deciding('lets a device follow the platform, and a machine register, and neither anything else', () => {
  const made = { team: 't', hash: 'd'.repeat(64), credentialSecret: 's', expiresAt: '2026-02-01T00:00:00.000Z' };
  const { expiresAt, ...ofDevice } = made;
  const { credentialSecret: _, ...ofToken } = made;
  const device: Resource<'Device'> = {
    kind: 'Device',
    id: 'd',
    name: 'd',
    spec: kinds.Device.spec.parse(ofDevice),
    ...times,
  };
  const token = { kind: 'ProvisioningToken', id: 'p', name: 'p', spec: ofToken, ...times } as const;
  for (const [caller, own] of [
    [{ kind: 'device', device }, 'follow-platform'],
    [{ kind: 'machine', token }, 'register-device'],
  ] as const) {
    assert.equal(
      allowed(caller).filter((action) => !whoever.includes(action)),
      [own],
    );
    for (const action of actions)
      if (!whoever.includes(action) && action !== own)
        assert.is(decide(action, caller, createState(), teamWith('u1', 'owner')), 'forbidden', action);
    assert.is(decide(own, session(true), createState()), 'forbidden');
    assert.is(callerNow(caller, createState(), times.createdAt).kind, 'anonymous');
  }
  const state = createState();
  state.apply([created(device), created(token)]);
  assert.is(callerNow({ kind: 'device', device }, state, times.createdAt).kind, 'device');
  assert.is(callerNow({ kind: 'machine', token }, state, times.createdAt).kind, 'machine');
  assert.is(callerNow({ kind: 'machine', token }, state, expiresAt).kind, 'anonymous');
  state.apply([updated(device, { ...device, spec: { ...device.spec, hash: 'e'.repeat(64) } })]);
  assert.is(callerNow({ kind: 'device', device }, state, times.createdAt).kind, 'anonymous', 'it has another token');
});

deciding('goes by the role in the team; who is not in it learns nothing of it', () => {
  for (const role of roles) {
    const { view, team } = teamWith('u1', role);
    for (const action of ofTeams)
      assert.is(
        decide(action, session(false), view, { team }),
        (policy[action].who as readonly string[]).includes(role) ? 'allowed' : 'forbidden',
        `${action} by ${role}`,
      );
    assert.is(decide('remove-member', session(false), view, { team, user: 'u1' }), 'allowed', `${role} leaves`);
  }
  const { view, team } = teamWith('somebody-else', 'owner');
  for (const action of ofTeams) {
    assert.is(decide(action, session(false), view, { team, user: 'u1' }), 'not_found', action);
    assert.is(decide(action, session(true), view, { team }), 'allowed', action);
    assert.is(decide(action, session(true), view), 'not_found', action);
    assert.is(decide(action, anonymous, view, { team }), 'unauthorized', action);
  }
});

deciding('lets users make teams where the settings say so', () => {
  const open = createState();
  const spec = kinds.AdminSettings.spec.parse({ userTeamCreation: true });
  const declared = { labels: {}, lifecycle: defaultLifecycle, managedBy: 'config' } as const;
  const settings: DeclaredResource<'AdminSettings'> = {
    kind: 'AdminSettings',
    id: 'a',
    name: 'default',
    spec,
    ...declared,
    ...times,
  };
  open.apply([created(settings)]);
  assert.is(decide('create-team', session(false), createState()), 'forbidden');
  assert.is(decide('create-team', session(false), open), 'allowed');
  assert.ok(actionsOn('user', session(false), open).includes('create-team'));
});

deciding('knows callers as the state knows them now', () => {
  const state = createState();
  assert.is(callerNow(session(true), state, times.createdAt).kind, 'anonymous');
  const caller = by(true, 'full');
  state.apply([created(user(false)), created(token('full'))]);
  const now = callerNow(caller, state, times.createdAt);
  assert.is(now.kind === 'user' && now.user.spec.admin, false);
  const suspended = { ...user(true), spec: { ...user(true).spec, suspended: true } };
  state.apply([updated(user(false), suspended)]);
  assert.is(callerNow(caller, state, times.createdAt).kind, 'anonymous');
});

/** A team with one member. */
function teamWith(who: string, role: (typeof roles)[number]) {
  const view = createState();
  const team: Resource<'Team'> = {
    kind: 'Team',
    id: 't',
    name: 'core',
    spec: { displayName: 'Core', type: 'x' },
    ...times,
  };
  const membership: Resource<'Membership'> = {
    kind: 'Membership',
    id: 'm',
    name: 'm',
    spec: { team: 't', user: who, role, ssoManaged: false },
    ...times,
  };
  view.apply([created(team), created(membership)]);
  return { view, team };
}

deciding('names who acted', () => {
  assert.equal(actorOf(session(true)), { kind: 'user', id: 'u1', name: 'ann' });
  assert.equal(actorOf(by(true, 'full')), { kind: 'token', id: 't1', name: 'ann' });
});

deciding.run();
