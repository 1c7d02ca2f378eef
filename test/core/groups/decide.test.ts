// What groups make of somebody: roles in teams and the admin flag, and what is said of each.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decideByGroups } from '../../../src/core/groups/decide.ts';
import type { DeclaredResource, Resource } from '../../../src/core/model/resource.ts';
import { after, living, person, start } from '../proposals/accounts-world.ts';
import { colleague, corp, place, platform, team } from './groups-world.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** What groups make of Ann, who is in the state unless she is new: the places that change, the flag, and what is said. */
function decided(config: Config, groups: readonly string[] | undefined, ...more: readonly Resource[]) {
  const ann = more.find(({ id }) => id === 'ann') as Resource<'User'> | undefined;
  const world = platform(config, ...(ann ? more : [colleague('ann'), ...more]));
  const user = world.state.get('User', 'ann') ?? colleague('ann');
  const made = decideByGroups({ config, user, groups }, world.state, start);
  const told = [...made.placements.map(({ explained }) => explained), ...made.others, ...made.admin];
  return {
    places: made.placements.map(
      ({ team: of, before, role }) => `${of.name}: ${before?.spec.role ?? '-'} → ${role ?? '-'}`,
    ),
    isAdmin: made.isAdmin,
    reasons: told.map(({ reason, team: of, group }) => [reason, of ?? '', group ?? ''].join(' ').trim()),
    messages: told.map(({ message }) => message),
  };
}

const every = suite('groups that manage every team');

every('give the role that they name, and change one that is another', () => {
  const { places, messages } = decided(corp(), ['svc-core-member', 'svc-ops-viewer'], place('ann dashboard ops'));
  assert.equal(places, ['core: - → member', 'ops: dashboard → viewer']);
  assert.equal(messages, [
    'becomes member of core, because of the group "svc-core-member"',
    'becomes viewer of ops (was dashboard), because of the group "svc-ops-viewer"',
  ]);
});

every('give the highest of several roles, in whatever order they come', () => {
  for (const groups of [
    ['svc-core-viewer', 'svc-core-owner', 'svc-core-member'],
    ['svc-core-owner', 'svc-core-member', 'svc-core-viewer'],
    ['svc-core-member', 'svc-core-viewer', 'svc-core-owner'],
  ]) {
    const { places, reasons } = decided(corp(), groups);
    assert.equal(places, ['core: - → owner']);
    assert.is(reasons.filter((reason) => reason.startsWith('lower-role')).length, 2);
  }
});

every('say which group adds nothing', () => {
  assert.equal(decided(corp(), ['svc-core-viewer', 'svc-core-owner']).messages.slice(1), [
    'the group "svc-core-viewer" adds nothing, because "svc-core-owner" gives the higher role owner in the team core',
  ]);
});

every('take away what none of them gives, also where somebody invited the user', () => {
  const { places, messages } = decided(corp(), [], place('ann member core'), place('ann viewer ops sso'));
  assert.equal(places, ['core: member → -', 'ops: viewer → -']);
  assert.is(
    messages[0],
    'leaves core (was member), because no group gives a role there, and SsoConfig/corp manages every team',
  );
});

every('change nothing that is as they say, and keep up from now on what somebody gave', () => {
  assert.equal(decided(corp(), ['svc-core-member'], place('ann member core sso')).places, []);
  const { places, reasons } = decided(corp(), ['svc-core-member'], place('ann member core'));
  assert.equal([places, reasons], [['core: member → member'], ['group-gives core svc-core-member']]);
});

every('are told apart by case, and ignored where no team has the slug or the form is another', () => {
  const groups = ['svc-Core-owner', 'svc-nope-owner', 'staff', 'svc-core-boss', 'SVC-core-owner', 'svc-core-owner\n'];
  const { places, reasons, messages } = decided(corp(), groups);
  assert.equal(places, []);
  assert.equal(
    reasons.map((reason) => reason.split(' ')[0]),
    ['unknown-team', 'unknown-team', 'not-of-the-form', 'not-of-the-form', 'not-of-the-form', 'not-of-the-form'],
  );
  assert.equal(messages.slice(0, 3), [
    'the group "svc-Core-owner" is ignored, because no team has the slug "Core": case counts, and there is core',
    'the group "svc-nope-owner" is ignored, because no team has the slug "nope"',
    'the group "staff" is ignored, because it is not named svc-<team slug>-<role>, where <role> is owner, member, viewer or dashboard',
  ]);
  assert.is(messages.at(-1)?.includes('\n'), false, 'a line stays a line');
});

every('change nothing where the provider told none, which is said', () => {
  for (const groups of [{}, { missing: 'keep' }, { scope: 'selected', teams: ['ops'] }]) {
    const { places, messages } = decided(corp(groups), undefined, place('ann member core sso'));
    assert.equal(places, []);
    assert.equal(messages, [
      'the identity provider sent no attribute "svc-roles", so memberships and the admin flag stay as they are (groups.missing: keep): have it sent, or write the name that it has there as saml.groupAssertionName',
    ]);
  }
});

every('take what they gave where the provider told none, if the configuration says so', () => {
  const { places, messages } = decided(corp({ missing: 'remove' }), undefined, place('ann member core sso'));
  assert.equal(places, ['core: member → -']);
  assert.is(
    messages[1],
    'the identity provider sent no attribute "svc-roles", so that no group gives a role or the admin flag, as groups.missing says: have it sent, or write the name that it has there as saml.groupAssertionName',
  );
});

every('leave a team its only owner, who is neither taken out nor made less', () => {
  const own = [team('own'), place('ann owner own')];
  const gone = decided(corp(), [], ...own);
  assert.equal([gone.places, gone.reasons], [[], ['last-owner own']]);
  assert.is(
    gone.messages[0],
    'stays owner of own although no group gives a role there, and SsoConfig/corp manages every team, because nobody else owns the team: make somebody else an owner first',
  );
  const less = decided(corp(), ['svc-own-viewer'], ...own);
  assert.equal([less.places, less.reasons], [[], ['last-owner own svc-own-viewer']]);
  assert.equal(decided(corp(), [], ...own, place('olga owner own')).places, ['own: owner → -']);
});

every('bring nobody into a team that is full, and say why', () => {
  const full = [team('tiny', 'small'), place('olga owner tiny'), place('root member tiny')];
  const { places, messages } = decided(corp(), ['svc-tiny-member', 'svc-core-viewer'], ...full);
  assert.equal(places, ['core: - → viewer']);
  assert.is(
    messages[1],
    'does not become member of tiny although the group "svc-tiny-member" says so, because the team has 2 members and TeamType/small allows 2: remove somebody, or choose another team type',
  );
});

every('count invitations as the rule does: those that end with the coming make room', () => {
  const invitation = (id: string, spec: object) =>
    living('Invitation', id, {
      team: 'tiny',
      role: 'viewer',
      inviter: 'olga',
      hash: '0'.repeat(64),
      expiresAt: after(3600),
      ...spec,
    });
  const tiny = [team('tiny', 'small'), place('olga owner tiny')];
  const coming = (spec: object) => decided(corp(), ['svc-tiny-member'], ...tiny, invitation('i1', spec)).places;
  assert.equal(coming({ email: 'else@people.example' }), [], 'somebody else has the place');
  assert.equal(coming({ email: 'else@people.example', expiresAt: start }), ['tiny: - → member']);
  assert.equal(coming({ email: 'ann@corp.example' }), ['tiny: - → member']);
  assert.equal(coming({ user: 'ann' }), ['tiny: - → member']);
});

every.run();

const some = suite('groups that manage some teams');
const selected = { scope: 'selected', teams: ['core', 'ops'] };

some('give and take in those, and nothing in others', () => {
  const { places, reasons } = decided(
    corp({ ...selected, allowOtherTeams: true }),
    ['svc-core-owner', 'svc-lab-owner'],
    place('ann member ops'),
    place('ann viewer lab'),
  );
  assert.equal(places, ['core: - → owner', 'ops: member → -']);
  assert.equal(reasons, [
    'group-gives core svc-core-owner',
    'no-group ops',
    'team-not-selected lab svc-lab-owner',
    'other-team-allowed lab',
  ]);
});

some('take users out of all others where those are not allowed', () => {
  const { places, messages } = decided(corp(selected), ['svc-core-owner'], place('ann viewer lab'));
  assert.equal(places, ['core: - → owner', 'lab: viewer → -']);
  assert.is(
    messages[1],
    'leaves lab (was viewer), because lab is not among the teams that SsoConfig/corp manages, and it allows no others',
  );
});

some('leave a team of somebody’s own alone, because nobody else owns it', () => {
  const { places, reasons } = decided(corp(selected), [], team('own'), place('ann owner own'));
  assert.equal([places, reasons], [[], ['last-owner own']]);
});

some('do not change what role somebody has elsewhere', () => {
  const config = corp({ ...selected, allowOtherTeams: true });
  assert.equal(decided(config, ['svc-lab-dashboard'], place('ann owner lab')).places, []);
});

some.run();

const none = suite('groups that manage no roles');

none('change no place, whatever they are called', () => {
  const { places, reasons } = decided(corp({ manageRoles: false }), ['svc-core-owner'], place('ann viewer ops sso'));
  assert.equal([places, reasons], [[], ['roles-not-managed']]);
});

none('may still say who is an admin', () => {
  const config = corp({ manageRoles: false, adminGroup: 'bosses' });
  assert.is(decided(config, ['bosses']).isAdmin, true);
  assert.is(decided(config, []).isAdmin, false);
});

none.run();

const admin = suite('the admin group');

admin('gives and takes the flag, and is no group of another form', () => {
  const config = corp({ adminGroup: 'bosses' });
  assert.equal(decided(config, ['bosses']).messages, ['becomes an admin, because of the group "bosses"']);
  assert.equal(decided(config, ['bosses'], colleague('ann', { admin: true })).messages, [
    'stays an admin, because of the group "bosses"',
  ]);
  const taken = decided(config, ['Bosses'], colleague('ann', { admin: true }));
  assert.is(taken.isAdmin, false);
  assert.is(taken.messages.at(-1), 'is an admin no more, because they are not in the group "bosses"');
  const untold = (missing: string) =>
    decided(corp({ adminGroup: 'bosses', missing }), undefined, colleague('ann', { admin: true })).isAdmin;
  assert.equal([untold('keep'), untold('remove')], [true, false]);
});

admin('may be of the form of a role, and gives that, too', () => {
  const { places, isAdmin } = decided(corp({ adminGroup: 'svc-core-owner' }), ['svc-core-owner']);
  assert.equal([places, isAdmin], [['core: - → owner'], true]);
});

admin('does not take the flag from the only admin', () => {
  const config = corp({ adminGroup: 'bosses' });
  const suspended = person('root', { admin: true, suspended: true });
  const { isAdmin, messages } = decided(config, [], colleague('ann', { admin: true }), suspended);
  assert.is(isAdmin, true);
  assert.equal(messages, [
    'stays an admin although they are not in the group "bosses", because no other active admin would be left',
  ]);
});

admin('is nobody’s where the configuration names none', () => {
  assert.is(decided(corp(), ['admin', 'bosses']).isAdmin, false);
  assert.is(decided(corp(), [], colleague('ann', { admin: true })).isAdmin, true);
});

admin.run();

const directory = suite('groups of a directory');
const ldap = { provider: 'ldap', ldap: { groupPrefixLength: 4, groupSuffixLength: 2 } };

directory('are stripped before they are read and before the admin group is compared', () => {
  const { places, isAdmin } = decided(corp({ adminGroup: 'bosses' }, ldap), ['grp_svc-core-owner_x', 'grp_bosses_x']);
  assert.equal([places, isAdmin], [['core: - → owner'], true]);
  assert.is(decided(corp({ adminGroup: 'bosses' }, ldap), ['bosses']).isAdmin, false);
});

directory('are ignored where too little of the name is left, which is said', () => {
  const { places, messages } = decided(corp({}, ldap), ['short', 'six_xx', 'grp_staff_x']);
  assert.equal(places, []);
  assert.equal(messages, [
    'the group "short" is ignored, because nothing is left of its name without its first 4 and last 2 characters (groupPrefixLength, groupSuffixLength)',
    'the group "six_xx" is ignored, because nothing is left of its name without its first 4 and last 2 characters (groupPrefixLength, groupSuffixLength)',
    'the group "grp_staff_x" is ignored, because it is read as "staff", which is not named svc-<team slug>-<role>, where <role> is owner, member, viewer or dashboard',
  ]);
});

directory('alone are stripped: what SAML says is read as it is', () => {
  const saml = { ldap: { groupPrefixLength: 4 } };
  assert.equal(decided(corp({}, saml), ['svc-core-owner']).places, ['core: - → owner']);
});

directory.run();
