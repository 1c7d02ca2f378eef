// Signing in by single sign-on: whose account it is, who is refused and why, how long it lasts, and what the audit log says.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditOf } from '../../../src/core/audit/audit.ts';
import type { Identity } from '../../../src/core/model/identity.ts';
import { judgeSsoSignIn, type SsoVerdict, ssoActor } from '../../../src/core/proposals/sso-sign-in.ts';
import { updateUser } from '../../../src/core/proposals/update-user.ts';
import { withConsequences } from '../consequences/followed.ts';
import { colleague, corp, enterprise, place, placesOf, platform, team } from '../groups/groups-world.ts';
import { type Accounts, accounts, after, declared, hash, living, person, start, told } from './accounts-world.ts';

const anns = 'ann@corp.example';
const session = { hash: hash('a'), address: '192.0.2.7', agent: 'test' };

/** Signs an identity in, and keeps what comes of it. */
function attempt({ state, at }: Accounts, identity: Partial<Identity> = {}, more: object = {}): SsoVerdict {
  const verdict = judgeSsoSignIn(
    { config: 'SsoConfig-corp', identity: { email: anns, groups: [], ...identity }, session: { ...session, ...more } },
    state,
    { ...at(60), actor: ssoActor({ id: 'SsoConfig-corp', name: 'corp' }) },
  );
  state.apply(withConsequences(state, verdict.changes).changes);
  return verdict;
}

/** Why an attempt was refused; it changes nothing then. */
function refusal(world: Accounts, identity: Partial<Identity> = {}): string | undefined {
  const verdict = attempt(world, identity);
  if (verdict.outcome !== 'refused') return undefined;
  assert.equal(verdict.changes, []);
  return verdict.reason;
}

const off = corp({ manageRoles: false });
const provisioning = (spec: object = {}) => corp({ manageRoles: false }, { provisionNewUsers: true, ...spec });

const known = suite('somebody who is known');

known('is signed in, by whatever account has the address', () => {
  const world = platform(off, colleague('ann', { failedSignIns: 3, lockedUntil: after(600) }));
  const verdict = attempt(world);
  assert.is(verdict.outcome, 'signed-in');
  assert.equal(told(verdict.changes), ['~User/ann', '+Session']);
  const { lastSignInAt, failedSignIns, lockedUntil, passwordHash } = world.state.get('User', 'ann')?.spec ?? {};
  assert.equal([lastSignInAt, failedSignIns, lockedUntil], [after(60), 0, null]);
  assert.is(passwordHash, 'hash-of-ann', 'a password waits until the configuration is active no more');
  assert.is(world.state.get('User', 'ann')?.generation, 1, 'nobody changed the user');
});

known('keeps username and name, whatever the provider calls them', () => {
  const world = platform(provisioning(), colleague('ann'));
  attempt(world, { username: 'anna', displayName: 'Anna' });
  const user = world.state.get('User', 'ann');
  assert.equal([user?.name, user?.spec.displayName], ['ann', '']);
  assert.is(world.state.count('User'), 3);
});

known('is bound to one person at the provider, and their address is not another person’s way in', () => {
  const world = platform(off, colleague('ann'));
  const [first, second] = [{ lastingIds: { entryUUID: 'a-1' } }, { lastingIds: { entryUUID: 'b-2' } }];
  for (const identity of [first, first, {}, { lastingIds: { objectGUID: '00' } }])
    assert.is(attempt(world, identity).outcome, 'signed-in');
  assert.equal(world.state.get('User', 'ann')?.spec.ssoBindings, [
    { config: 'SsoConfig-corp', attribute: 'entryUUID', id: 'a-1' },
  ]);
  assert.match(
    refusal(world, second) ?? '',
    /^User\/ann belongs to somebody else at SsoConfig\/corp: its entryUUID was a-1 at the first sign-in, and is b-2 now\..+"ssoBound": false/,
  );
  const { state, at } = world;
  state.apply([...updateUser({ id: 'ann', ssoBound: false })(state, at(70))]);
  assert.is(attempt(world, second).outcome, 'signed-in');
  assert.ok(refusal(world, first));
});

known('may be an admin', () => {
  const verdict = attempt(platform(off, colleague('ann', { admin: true })));
  assert.ok(verdict.outcome === 'signed-in' && !verdict.isNew && verdict.user.spec.admin);
});

known('loses the session that the browser had', () => {
  const own = { user: 'olga', hash: hash('b'), expiresAt: after(9000), idleHours: 1, lastSeenAt: start };
  const old = living('Session', 'old', { ...own, address: '', agent: '' });
  const { changes } = attempt(platform(off, colleague('ann'), old), {}, { replaced: 'old' });
  assert.equal(told(changes), ['~User/ann', '-Session/old', '+Session']);
});

known.run();

const length = suite('a session by single sign-on');
const sessions = { expiryHours: 10, idleHours: 2 };
const lasting = (spec: object, identity: Partial<Identity> = {}) => {
  const world = platform(corp({}, spec), colleague('ann'));
  attempt(world, identity);
  const [made] = world.state.all('Session');
  return [made?.spec.expiresAt, made?.spec.idleHours];
};

length('lasts as the Platform says where the configuration says nothing', () => {
  assert.equal(lasting({}), [after(60 + 168 * 3600), 32]);
});

length('lasts as many hours as the configuration says', () => {
  assert.equal(lasting({ sessions }), [after(60 + 10 * 3600), 2]);
  assert.equal(lasting({ sessions: { expiryHours: 8760 } }), [after(60 + 8760 * 3600), 32]);
  assert.equal(lasting({ sessions: { idleHours: 1 } }), [after(60 + 168 * 3600), 1]);
});

length('ends when the provider wants it to have ended, if that is earlier', () => {
  assert.equal(lasting({ sessions }, { sessionEndsAt: after(120) }), [after(120), 2]);
  assert.equal(lasting({ sessions }, { sessionEndsAt: after(999_999) }), [after(60 + 10 * 3600), 2]);
});

length('does not begin where it would have ended', () => {
  const world = platform(off, colleague('ann'));
  for (const sessionEndsAt of [start, after(60), 'never'])
    assert.is(refusal(world, { sessionEndsAt }), `the provider wants the session to have ended at ${sessionEndsAt}`);
});

length.run();

const fresh = suite('somebody who is not known');

fresh('is made a user with an address that is theirs, and no password', () => {
  const world = platform(provisioning());
  const verdict = attempt(world, { username: 'CORP\\Ann.Lee', displayName: 'Ann Lee' });
  assert.ok(verdict.outcome === 'signed-in' && verdict.isNew);
  assert.equal(told(verdict.changes), ['+User', '+Session']);
  const user = verdict.outcome === 'signed-in' ? verdict.user : undefined;
  assert.is(user?.name, 'corp-ann.lee');
  const { email, emailVerified, displayName, admin, passwordHash, lastSignInAt } = user?.spec ?? {};
  assert.equal(
    [email, emailVerified, displayName, admin, passwordHash, lastSignInAt],
    [anns, true, 'Ann Lee', false, undefined, after(60)],
  );
  assert.equal(world.state.get('User', user?.id ?? ''), user);
});

fresh('gets a username that nobody has', () => {
  const taken = ['ann', 'ann-2', 'ANN-3'].map((name) => person(name));
  const world = platform(provisioning(), ...taken);
  const verdict = attempt(world);
  assert.is(verdict.outcome === 'signed-in' && verdict.user.name, 'ann-4');
  assert.is(world.state.get('User', 'ann')?.spec.email, 'ann@example.net', 'nobody’s account is taken over');
});

fresh('gets a username from whatever the provider calls them', () => {
  const named = (username: string, email = anns) => {
    const verdict = attempt(platform(provisioning()), { username, email });
    return verdict.outcome === 'signed-in' && verdict.user.name;
  };
  for (const [given, name] of [
    ['Jürgen Groß', 'jurgen-gross'],
    ['ann@corp.example', 'ann'],
    ['  ', 'ann'],
    ['山田', 'ann'],
    ['@', 'ann'],
    ['..a..', 'a'],
    ['x'.repeat(80), 'x'.repeat(63)],
    [`${'x'.repeat(62)}-y`, 'x'.repeat(62)],
    ['Søren\u0000\nÆrø', 'soren-aero'],
    ['root', 'root-2'],
  ])
    assert.is(named(given ?? ''), name, given);
  assert.is(named('', 'äöü@corp.example'), 'aou');
  assert.is(named('', '!!!@corp.example'), 'user');
});

fresh('is refused where the configuration makes no users, and an administrator is told what to do', () => {
  assert.is(
    refusal(platform(off)),
    'no user has the address ann@corp.example, and SsoConfig/corp makes no new users: make the user first (POST /api/v1/users), have them register, or switch provisionNewUsers on',
  );
});

fresh('is no admin and in no team, unless groups say so', () => {
  const world = platform(corp({ adminGroup: 'bosses' }, { provisionNewUsers: true }));
  const verdict = attempt(world, { groups: ['bosses', 'svc-core-member'] });
  const user = verdict.outcome === 'signed-in' ? verdict.user : undefined;
  assert.is(user?.spec.admin, true);
  assert.equal(placesOf(world, user?.id ?? ''), ['core:member*']);
});

fresh('needs no invitation any more to a team that groups give, and keeps others', () => {
  const to = (of: string) =>
    living('Invitation', `to-${of}`, {
      ...{ team: of, role: 'viewer', inviter: 'olga', email: anns, hash: hash(of === 'core' ? 'c' : 'd') },
      expiresAt: after(9000),
    });
  const world = platform(corp({}, { provisionNewUsers: true }), to('core'), to('ops'));
  attempt(world, { groups: ['svc-core-member'] });
  assert.equal(
    [...world.state.all('Invitation')].map(({ id }) => id),
    ['to-ops'],
  );
});

fresh.run();

const registered = suite('somebody who registered first');

registered('and verified the address has their account, with a password that waits', () => {
  const world = platform(off, colleague('ann', { lastSignInAt: null }));
  const verdict = attempt(world);
  assert.ok(verdict.outcome === 'signed-in' && !verdict.isNew);
  assert.is(world.state.get('User', 'ann')?.spec.passwordHash, 'hash-of-ann');
});

registered('and verified nothing has the account, and no password that somebody else may have chosen', () => {
  const link = { user: 'mal', purpose: 'verify-email', email: anns, hash: hash('e'), expiresAt: after(9000) };
  const mal = person('mal', { email: anns, emailVerified: false });
  const world = platform(off, mal, living('ActionToken', 'link', link));
  const verdict = attempt(world);
  assert.ok(verdict.outcome === 'signed-in' && verdict.isNew, 'they are sent to their settings');
  const { passwordHash, emailVerified } = world.state.get('User', 'mal')?.spec ?? {};
  assert.equal([passwordHash, emailVerified], [undefined, true]);
  assert.is(world.state.count('ActionToken'), 0, 'the link that was mailed is worthless');
});

registered('is refused an account that somebody uses whose address it never was', () => {
  const used = person('mal', { email: anns, emailVerified: false, lastSignInAt: start });
  assert.is(
    refusal(platform(provisioning(), used)),
    'User/mal has the address ann@corp.example, but never showed that it is theirs, and uses the account: give that account another address, or delete it',
  );
  const admin = person('mal', { email: anns, emailVerified: false, admin: true });
  assert.ok(refusal(platform(provisioning(), admin)));
});

registered.run();

const refused = suite('nobody is signed in');

refused('who is suspended', () => {
  assert.is(refusal(platform(provisioning(), colleague('ann', { suspended: true }))), 'User/ann is suspended');
});

refused('whose address is of another domain, of one below, or of no form', () => {
  const world = platform(provisioning(), person('eve'), person('sub', { email: 'sub@x.corp.example' }));
  for (const email of ['eve@example.net', 'sub@x.corp.example', 'ann@xcorp.example'])
    assert.is(refusal(world, { email }), `the address ${email} is not of corp.example, the domain of SsoConfig/corp`);
  for (const email of ['', 'corp.example', '@corp.example', 'Ann@corp.example', 'a b@corp.example', 'a@b@corp.example'])
    assert.is(refusal(world, { email }), 'the provider gives no address of the usual form, in lower case', email);
});

refused('by a configuration that is gone, a draft, or has no licence', () => {
  const draft = corp({}, { active: false, provisionNewUsers: true });
  assert.is(refusal(platform(draft, colleague('ann'))), 'SsoConfig/corp is not active');
  assert.is(refusal(accounts(enterprise, colleague('ann'))), 'the configuration is gone');
  const community = declared('Platform', 'platform', { licence: 'community' });
  assert.match(refusal(accounts(community, corp(), colleague('ann'))) ?? '', /needs "licence: enterprise"/);
});

refused.run();

const audited = suite('the audit log of a sign-in');

audited('names the attributes that came where that of groups did not', () => {
  const world = platform(corp({}), colleague('ann'));
  const why = (otherAttributes?: readonly string[]) => {
    const verdict = judgeSsoSignIn(
      { config: 'SsoConfig-corp', identity: { email: anns, ...(otherAttributes && { otherAttributes }) }, session },
      world.state,
      world.at(60),
    );
    const notes = verdict.outcome === 'signed-in' ? verdict.explanation : [];
    return notes.find(({ reason }) => reason === 'no-group-attribute')?.message;
  };
  assert.match(
    why(['roles', 'cn']) ?? '',
    /^the identity provider sent no attribute "svc-roles" \(but "roles", "cn"\), so/,
  );
  assert.match(why([]) ?? '', /^the identity provider sent no attribute "svc-roles" \(and no other\), so/);
  assert.match(why() ?? '', /^the identity provider sent no attribute "svc-roles", so/);
});

audited('tells each part with its reason, and who decided it', () => {
  const config = corp({ adminGroup: 'bosses' });
  const world = platform(
    config,
    colleague('ann'),
    place('ann viewer core'),
    place('ann member ops'),
    team('tiny', 'small'),
    place('olga owner tiny'),
    place('root owner tiny'),
  );
  const before = accounts(
    ...['User', 'Team', 'Membership'].flatMap((kind) => [...world.state.all(kind as 'User')]),
  ).state;
  const groups = ['bosses', 'svc-core-owner', 'svc-ghost-owner', 'svc-tiny-viewer', 'staff'];
  const { changes } = attempt(world, { groups });
  const context = { ...world.at(60), actor: ssoActor({ id: 'SsoConfig-corp', name: 'corp' }) };
  const entries = auditOf(changes, { before, after: world.state }, context);
  assert.ok(entries.every(({ actor }) => actor.kind === 'sso' && actor.name === 'corp'));
  assert.equal(
    entries.map(({ event, target, reason = '' }) => [event, target.name, reason]),
    [
      ['user.updated', 'ann', 'becomes an admin, because of the group "bosses"'],
      ['membership.updated', 'core/ann', 'becomes owner of core (was viewer), because of the group "svc-core-owner"'],
      [
        'membership.deleted',
        'ops/ann',
        'leaves ops (was member), because no group gives a role there, and SsoConfig/corp manages every team',
      ],
      [
        'sign-in.succeeded',
        'ann',
        'through SsoConfig/corp; the group "svc-ghost-owner" is ignored, because no team has the slug "ghost"; does not become viewer of tiny although the group "svc-tiny-viewer" says so, because the team has 2 members and TeamType/small allows 2: remove somebody, or choose another team type; 1 group is of another form',
      ],
    ],
  );
  assert.equal(entries[0]?.changes, [{ path: '/spec/admin', before: false, after: true }]);
});

audited('stays short where a provider tells of a thousand groups', () => {
  const groups = Array.from({ length: 1000 }, (_, n) => [`svc-ghost-${n}-owner`, `staff-${n}`]).flat();
  const { changes } = attempt(platform(corp(), colleague('ann')), { groups });
  const [, made] = changes;
  assert.ok((made?.reason?.length ?? 0) < 2500);
  assert.match(made?.reason ?? '', /; and 980 more; 1000 groups are of another form$/);
});

audited.run();
