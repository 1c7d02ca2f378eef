// Registering: who may, what they get, and which slug.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { freeSlug } from '../../../src/core/proposals/free-slug.ts';
import { typesOnOffer } from '../../../src/core/proposals/personal-team.ts';
import { admit, type Registration, register } from '../../../src/core/proposals/register.ts';
import {
  type Accounts,
  accounts,
  after,
  declared,
  hash,
  living,
  person,
  settings,
  sso,
  told,
  withEmail,
} from './accounts-world.ts';

const bob: Registration = {
  username: 'bob',
  email: 'bob@example.net',
  displayName: 'Bob',
  passwordHash: 'hash-of-bob',
  link: hash('b'),
  team: { type: undefined, displayName: 'Team Bob', slug: 'team-bob' },
};
const choosing = (type: string): Registration => ({ ...bob, team: { ...bob.team, type } });

const open = () => accounts(withEmail, settings('registration'));
const teamType = (name: string, spec: object = {}) => declared('TeamType', name, spec);
const invitation = (spec: object = {}) => {
  const own = { team: 'core', role: 'viewer', inviter: 'ann', email: 'bob@example.net', hash: hash('c') };
  return living('Invitation', 'letter', { ...own, expiresAt: after(3600), ...spec });
};
/** Why it is declined. */
const reason = (world: Accounts, registration: Registration, seconds = 0) => {
  try {
    world.apply(register(registration), seconds);
    return 'nothing';
  } catch (error) {
    assert.instance(error, Declined);
    return error instanceof Declined ? `${error.reason}: ${error.message}` : '';
  }
};

const registering = suite('registering');

registering('makes a user whose address is not verified, and a link for a day', () => {
  const world = open();
  assert.equal(told(world.apply(register(bob))), ['+User', '+ActionToken']);
  const [user] = world.state.all('User');
  assert.equal(
    [user?.name, user?.spec.emailVerified, user?.spec.admin, user?.spec.passwordHash],
    ['bob', false, false, 'hash-of-bob'],
  );
  const [link] = world.state.all('ActionToken');
  assert.equal([link?.spec.user, link?.spec.email, link?.spec.expiresAt], [user?.id, bob.email, after(86_400)]);
});

registering('is off unless the setting is on and email is, too', () => {
  for (const world of [accounts(), accounts(withEmail), accounts(settings('registration'))])
    assert.match(reason(world, bob), /^forbidden: nobody can register here without an invitation, because/);
});

registering('is off for a domain that makes its own users, invited or not', () => {
  const email = 'bob@corp.example';
  const world = open();
  world.put(sso('saml', { provisionNewUsers: true }), invitation({ email }));
  for (const more of [{}, { invitation: hash('c') }])
    assert.match(reason(world, { ...bob, email, ...more }), /^forbidden: nobody registers with an address of corp/);
  const other = open();
  other.put(sso('saml'), sso('ldap', { active: false, provisionNewUsers: true }));
  assert.is(admit(other.state, { email }, after(0)), undefined, 'one that does not provision follows the setting');
  assert.is(admit(other.state, { email: 'dan@dir.example' }, after(0)), undefined, 'a draft says nothing');
});

registering.run();

const invited = suite('an invitation');

invited('lets its address in whatever the settings say, verified, and into the team', () => {
  const world = accounts(invitation());
  const changes = world.apply(register({ ...bob, invitation: hash('c') }));
  assert.equal(told(changes), ['+User', '+Membership', '-Invitation/letter']);
  const [user] = world.state.all('User');
  assert.is(user?.spec.emailVerified, true);
  const [place] = world.state.all('Membership');
  assert.equal(place?.spec, { team: 'core', user: user?.id ?? '', role: 'viewer', ssoManaged: false });
});

invited('serves nobody else, nobody after its end, and nobody twice', () => {
  const world = accounts(withEmail, settings('registration'), invitation());
  const by = { ...bob, invitation: hash('c') };
  assert.match(reason(world, { ...by, email: 'eve@example.net' }), /^forbidden: .*it is for another address/);
  assert.match(reason(world, by, 3600), /^invalid_request: this invitation opens nothing/);
  assert.match(reason(world, { ...by, invitation: hash('d') }), /^invalid_request/);
  assert.is(reason(world, by, 3599), 'nothing');
  assert.match(reason(world, by, 3599), /^invalid_request/);
});

invited('gives the account to its address that somebody else registered with it, and never could use', () => {
  const squatter = person('squatter', { email: 'bob@example.net', emailVerified: false });
  const world = accounts(withEmail, settings('registration'), squatter, invitation());
  const changes = world.apply(register({ ...bob, invitation: hash('c') }));
  assert.equal(told(changes), ['~User/squatter', '+Membership', '-Invitation/letter']);
  const user = world.state.get('User', 'squatter');
  assert.equal(
    [user?.name, user?.spec.passwordHash, user?.spec.emailVerified, user?.generation],
    ['bob', 'hash-of-bob', true, 2],
  );
  for (const spec of [{ emailVerified: true }, { lastSignInAt: after(-1) }, { admin: true }, { suspended: true }]) {
    const used = person('used', { email: 'bob@example.net', emailVerified: false, ...spec });
    const other = accounts(used, invitation());
    assert.is(other.apply(register({ ...bob, invitation: hash('c') }))[0]?.before, undefined, 'the rule refuses it');
  }
});

invited('to a user by name is no way to register', () => {
  const world = accounts(person('ann'), invitation({ email: undefined, user: 'ann' }));
  assert.match(reason(world, { ...bob, invitation: hash('c') }), /^forbidden/);
});

invited.run();

const personal = suite('a personal team');
const withTeams = (...types: ReturnType<typeof teamType>[]) =>
  accounts(withEmail, settings('registration', 'personalTeamOnRegistration'), ...types);

personal('is made of the only type on offer, with its person as the owner', () => {
  const world = withTeams(
    teamType('starter'),
    teamType('closed', { active: false }),
    teamType('gift', { selfService: false }),
  );
  assert.equal(told(world.apply(register(bob))), ['+User', '+Team', '+Membership', '+ActionToken']);
  const [team] = world.state.all('Team');
  assert.equal([team?.name, team?.spec], ['team-bob', { displayName: 'Team Bob', type: 'TeamType-starter' }]);
  const [place] = world.state.all('Membership');
  assert.equal([place?.spec.team, place?.spec.role], [team?.id, 'owner']);
});

personal('needs a choice where there are several, and only from those on offer', () => {
  const world = withTeams(
    teamType('big', { order: 2 }),
    teamType('small', { order: 1 }),
    teamType('gift', { selfService: false }),
  );
  assert.is(
    reason(world, bob),
    'invalid_request: teamType is missing, because there are several: choose one of small, big',
  );
  for (const type of ['gift', 'nothing'])
    assert.match(
      reason(world, choosing(type)),
      /^invalid_request: teamType cannot be this, .*choose one of small, big$/,
    );
  assert.is(reason(world, choosing('big')), 'nothing');
  assert.is([...world.state.all('Team')][0]?.spec.type, 'TeamType-big');
});

personal('is not made where the setting is off, nor can be asked for', () => {
  const world = open();
  world.put(teamType('starter'));
  assert.match(reason(world, choosing('starter')), /^invalid_request: teamType has no place here/);
  world.apply(register(bob));
  assert.is(world.state.count('Team'), 0);
});

personal('is not made where no type is on offer: nobody is kept out by that', () => {
  const world = withTeams(teamType('closed', { active: false }));
  assert.is(reason(world, bob), 'nothing');
  assert.is(world.state.count('Team'), 0);
});

personal('is made for who was invited only where they choose a type', () => {
  const world = withTeams(teamType('starter'), teamType('big'));
  world.put(invitation());
  const by = { ...bob, invitation: hash('c') };
  assert.equal(told(register(by)(world.state, world.at(0))), ['+User', '+Membership', '-Invitation/letter']);
  const chosen = register({ ...choosing('big'), invitation: hash('c') })(world.state, world.at(0));
  assert.equal(told(chosen), ['+User', '+Membership', '-Invitation/letter', '+Team', '+Membership']);
});

personal.run();

const offer = suite('the types on offer');

offer('are the active ones that users may choose, in their order, then by name', () => {
  const world = accounts(
    teamType('c', { order: 1 }),
    teamType('b', { order: 2 }),
    teamType('a', { order: 2 }),
    teamType('gift', { selfService: false }),
    teamType('closed', { active: false }),
  );
  assert.equal(
    typesOnOffer(world.state).map(({ name }) => name),
    ['c', 'a', 'b'],
  );
});

offer.run();

const slugs = suite('a free slug');
const taken = (...names: string[]) =>
  accounts(...names.map((name) => living('Team', name, { displayName: name, type: 'starter' }))).state;

slugs('is the one that was wished for, or the next by number', () => {
  assert.is(freeSlug(taken(), 'team-bob'), 'team-bob');
  assert.is(freeSlug(taken('team-bob'), 'team-bob'), 'team-bob-2');
  assert.is(freeSlug(taken('team-bob', 'team-bob-2'), 'team-bob'), 'team-bob-3');
  assert.is(freeSlug(taken('team-bob-2'), 'team-bob'), 'team-bob');
});

slugs('is found among thousands, and is taken by none of them', () => {
  const names = ['t', ...Array.from({ length: 5000 }, (_, index) => `t-${index + 2}`)];
  assert.is(freeSlug(taken(...names), 't'), 't-5002');
  const gap = freeSlug(taken(...names.filter((name) => name !== 't-4000')), 't');
  assert.ok(gap === 't-5002' || gap === 't-4000');
});

slugs('is no longer than a slug may be, and ends in no dash before its number', () => {
  const long = 'x'.repeat(63);
  assert.is(freeSlug(taken(long), long), `${'x'.repeat(61)}-2`);
  const dashed = `${'x'.repeat(60)}-yy`;
  assert.is(freeSlug(taken(dashed), dashed), `${'x'.repeat(60)}-2`);
});

slugs.run();
