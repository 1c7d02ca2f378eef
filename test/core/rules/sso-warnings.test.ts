// What is warned of before single sign-on locks somebody out: admins, certificates, plain http.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../../src/control/transact.ts';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import type { DeclaredResource, Resource } from '../../../src/core/model/resource.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { apply, newWorld, planOf, put } from '../../control/world.ts';
import { colleague, corp, enterprise, place, platform, team, types } from '../groups/groups-world.ts';
import { accounts, hash, living, person } from '../proposals/accounts-world.ts';

const facts: Facts = { drivers: new Map(), certificateProblem: () => undefined };
const saml = { signOnUrl: 'https://idp.example', issuer: 'idp', certificate: 'CERT' };

/** The warnings of a plan that activates a configuration over the API. */
function warnings(
  config: DeclaredResource<'SsoConfig'>,
  people: readonly Resource[],
  known: Partial<Facts> = {},
): readonly Finding[] {
  const draft = { ...config, spec: { ...config.spec, active: false } };
  const { state, at } = accounts(enterprise, ...types, draft, ...people);
  const tried = transact(state, () => [updated(draft, config)], at(0), { facts: { ...facts, ...known } });
  assert.equal(tried.violations, []);
  return tried.warnings();
}
const told = (found: readonly Finding[]) => found.map(({ rule, path, message }) => `${rule} ${path} ${message}`);
const config = (groups: object = {}) => corp(groups, { saml });

const ada = person('ada', { email: 'ada@corp.example', admin: true });
const adaWithout = person('ada', { email: 'ada@corp.example', admin: true, passwordHash: undefined });
const root = person('root', { admin: true });
const lockout = suite('sso-lockout');

lockout('warns where no admin has a local password', () => {
  assert.equal(told(warnings(config(), [adaWithout])), [
    'sso-lockout /spec/active SsoConfig/corp: nobody could administer the platform while the provider does not let them in, because no active admin (User/ada) has a local password: give one first (weir admin reset-password USERNAME)',
  ]);
});

lockout('is silent where an admin has one, or the domain is not that of any', () => {
  assert.equal(warnings(config(), [ada]), []);
  assert.equal(warnings(config(), [adaWithout, root]), []);
  assert.equal(warnings(config(), [person('root', { admin: true, passwordHash: undefined })]), []);
  assert.equal(warnings(config(), []), []);
});

lockout('does not count on admins who are suspended', () => {
  const suspended = person('root', { admin: true, suspended: true });
  assert.is(warnings(config(), [adaWithout, suspended]).length, 1);
});

lockout('warns where a group decides about every admin', () => {
  assert.equal(told(warnings(config({ adminGroup: 'bosses' }), [ada])), [
    'sso-lockout /spec/groups/adminGroup SsoConfig/corp: the admins may be others than you expect, because every active admin (User/ada) is of corp.example, and whoever is not in this group loses the flag at the next sign-in, all but the last: see what happens with "weir sso explain", or keep an admin of another domain',
  ]);
  assert.equal(warnings(config({ adminGroup: 'bosses' }), [ada, root]), []);
});

lockout('warns where the only way in of every admin goes away', () => {
  const warned = (after: DeclaredResource<'SsoConfig'> | undefined, ...people: readonly Resource[]) => {
    const { state, at } = accounts(enterprise, ...types, config(), ...people);
    const change = after ? updated(config(), after) : deleted(config());
    const found = transact(state, () => [change], at(0), { facts }).warnings();
    return told(found).map((text) => text.replace(/(?<=password).*/, ''));
  };
  const other = (spec: object) => ({ ...config(), spec: { ...config().spec, ...spec } });
  const words = [
    'sso-lockout /spec/active SsoConfig/corp: nobody could administer the platform without it, because no active admin (User/ada) has a local password',
  ];
  assert.equal(warned(undefined, adaWithout), words);
  assert.equal(warned(other({ active: false }), adaWithout), words);
  assert.equal(warned(other({ emailDomain: 'new.example' }), adaWithout), words);
  assert.equal(warned(other({ active: false }), adaWithout, root), []);
  assert.equal(warned(other({ active: false }), ada), []);
  assert.equal(warned(undefined, root), []);
});

lockout('is part of the plan of a tree, at its line, and refuses nothing', async () => {
  const world = newWorld();
  const tree = {
    'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n',
    'sso.yaml': `kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: corp.example\n  provider: saml\n  active: true\n  saml: ${JSON.stringify(saml)}\n`,
  };
  await put(world, adaWithout);
  const { document } = await planOf(world, tree);
  const [only, ...more] = document.findings;
  assert.equal(
    [only?.rule, only?.severity, only?.source?.file, only?.source?.line],
    ['sso-lockout', 'warning', 'sso.yaml', 6],
  );
  assert.equal(more, []);
  assert.is((await apply(world, tree)).summary.create, 2);
  assert.equal((await planOf(world, tree)).document.findings, [], 'only of what changes');
});

lockout.run();

const certificate = suite('sso-certificate-ends');
const left = (days: number | undefined) =>
  warnings(config(), [root], { certificateDaysLeft: () => days }).map(({ message }) => message.split('because ')[1]);

certificate('warns within thirty days of its end, and after it', () => {
  const advice = 'get the next one from the provider, and put it beside this one until the provider has changed over';
  assert.equal(left(29.5), [`the certificate ends in 29 days: ${advice}`]);
  assert.equal(left(1.2), [`the certificate ends in 1 day: ${advice}`]);
  assert.equal(left(0.2), [`the certificate ends today: ${advice}`]);
  assert.equal(left(-3), [`the certificate has ended: ${advice}`]);
});

certificate('says nothing earlier, nor of what cannot be read or is a draft', () => {
  assert.equal([left(30.1), left(4000), left(undefined)], [[], [], []]);
  const draft = { ...config(), spec: { ...config().spec, active: false } };
  const { state, at } = accounts(enterprise);
  const known = { ...facts, certificateDaysLeft: () => 1 };
  assert.equal(transact(state, () => [created(draft)], at(0), { facts: known }).warnings(), []);
});

certificate.run();

const http = suite('sso-plain-http');

http('warns of SAML on a server without https, and of nothing else', () => {
  const by = (baseUrl: string, one = config()) => warnings(one, [root], { baseUrl }).map(({ rule }) => rule);
  assert.equal(by('http://weir.example'), ['sso-plain-http']);
  assert.equal(by('http://127.0.0.1:3000'), ['sso-plain-http']);
  assert.equal(by('https://weir.example'), []);
  const bind = { server: 'ldap:389', username: 'cn=weir', baseDn: 'dc=x', password: { fromEnv: 'WEIR_SECRET_LDAP' } };
  const ldap = { ...bind, tls: { mode: 'startTls' } };
  assert.equal(by('http://weir.example', corp({ manageRoles: false }, { provider: 'ldap', ldap })), []);
});

http.run();

const ldap = suite('sso-plain-ldap');

ldap('warns of a directory without TLS, or without a look at its certificate', () => {
  const by = (tls: object) => {
    const own = { server: 'ldap:389', username: 'cn=weir', baseDn: 'dc=x', password: { fromEnv: 'WEIR_SECRET_LDAP' } };
    const one = corp({ manageRoles: false }, { provider: 'ldap', ldap: { ...own, tls } });
    return warnings(one, [root]).map(({ rule, path }) => `${rule} ${path}`);
  };
  assert.equal(by({}), ['sso-plain-ldap /spec/ldap/tls/mode']);
  assert.equal(by({ mode: 'ldaps', verifyServerCertificate: false }), [
    'sso-plain-ldap /spec/ldap/tls/verifyServerCertificate',
  ]);
  assert.equal(by({ mode: 'ldaps' }), []);
  assert.equal(by({ mode: 'startTls' }), []);
});

ldap.run();

const tokens = suite('sso-tokens');

tokens('says which tokens outlive a configuration that stops, and how they end with it', () => {
  const token = (id: string, user: string) => living('Token', id, { user, hash: hash('b') });
  const people = [
    colleague('ann'),
    colleague('ada', { admin: true }),
    token('1', 'ann'),
    token('2', 'ann'),
    token('3', 'ada'),
  ];
  const stops = (one: DeclaredResource<'SsoConfig'>, spec: object) => {
    const { state, at } = platform(one, ...people);
    const next = { ...one, spec: { ...one.spec, ...spec } } as DeclaredResource<'SsoConfig'>;
    return told(transact(state, () => [updated(one, next)], at(0), { facts }).warnings());
  };
  assert.equal(stops(config(), { active: false }), [
    'sso-tokens /spec/onDeactivation/tokens SsoConfig/corp: its sessions end, but 2 access tokens of 1 account (User/ann) will go on opening what its owner may: set "onDeactivation: {tokens: revoke}" with this change to end them, too',
  ]);
  assert.equal(stops(config(), { active: false, onDeactivation: { tokens: 'revoke' } }), []);
  assert.equal(stops(config(), { label: 'x' }), []);
  const { state, at } = platform(config(), ...people);
  const [gone] = told(transact(state, () => [deleted(config())], at(0), { facts }).warnings());
  assert.match(gone ?? '', /before it is deleted to end them, too$/);
});

tokens.run();

const teams = suite('sso-team and sso-memberships');

/** What is said of a configuration that takes the place of another, in a platform of the teams core, ops and lab. */
function changedTo(before: DeclaredResource<'SsoConfig'>, after: DeclaredResource<'SsoConfig'>, ...more: Resource[]) {
  const { state, at } = platform(before, ...more);
  const tried = transact(state, () => [updated(before, after)], at(0), { facts });
  assert.equal(tried.violations, []);
  return tried.warnings();
}
const selected = (slugs: readonly string[], groups: object = {}) =>
  corp({ scope: 'selected', teams: slugs, ...groups }, { saml });

teams('warns of slugs that no team has, with the nearest that one has', () => {
  const found = changedTo(config(), selected(['core', 'opps', 'nowhere-at-all']));
  assert.equal(told(found), [
    'sso-team /spec/groups/teams/1 SsoConfig/corp: groups place nobody in "opps", because no team has this slug: did you mean "ops"?',
    'sso-team /spec/groups/teams/2 SsoConfig/corp: groups place nobody in "nowhere-at-all", because no team has this slug: make the team, or take the slug out',
  ]);
  assert.equal(
    found.map(({ suggestion }) => suggestion),
    ['ops', undefined],
  );
  assert.equal(changedTo(config(), selected(['opps'], { manageRoles: false })), [], 'they decide nothing');
  assert.equal(warnings(selected(['core']), [root]), [], 'nobody knows which teams there will be');
});

teams('says how many memberships end, and only those that did not end before', () => {
  const people = [
    colleague('ann'),
    colleague('ben'),
    place('ann member core'),
    place('ann viewer ops sso'),
    place('ben member ops'),
    place('ben member lab'),
    team('own'),
    place('ben owner own'),
  ];
  const words = (list: string) => `SsoConfig/corp: ${list}: name what groups manage, or switch allowOtherTeams on`;
  const off = 'and groups.allowOtherTeams is off';
  assert.equal(told(changedTo(config(), selected(['core']), ...people)), [
    `sso-memberships /spec/groups/teams ${words(`3 memberships of 2 users of corp.example will end as they sign in, in 2 teams (ops, lab), because groups.teams does not name them ${off}`)}`,
  ]);
  assert.equal(told(changedTo(selected(['core', 'lab']), selected(['core']), ...people)), [
    `sso-memberships /spec/groups/teams ${words(`1 membership of 1 user of corp.example will end as they sign in, in 1 team (lab), because groups.teams does not name it ${off}`)}`,
  ]);
  assert.equal(changedTo(config(), selected(['core'], { allowOtherTeams: true }), ...people), []);
  assert.equal(changedTo(selected(['core']), selected(['core', 'ops']), ...people), []);
});

teams.run();
