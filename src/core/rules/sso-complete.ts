// sso-complete: an active SSO configuration has everything that its provider needs, in a usable form (specification 2.8).
import type { SpecOf } from '../kinds/index.ts';
import { holdsUser, webAddress } from '../kinds/web-address.ts';
import type { Finding } from '../model/finding.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { Facts } from './facts.ts';
import { type Batch, isRead, type Rule, violation, written } from './rule.ts';

type Config = DeclaredResource<'SsoConfig'>;

export const ssoComplete: Rule = {
  id: 'sso-complete',
  refuses:
    'active: true while the provider’s values are missing or unusable, or groups manage selected teams and none is selected',
  *check(batch) {
    for (const { after } of written(batch, 'SsoConfig')) {
      if (!after.spec.active) continue;
      yield* after.spec.provider === 'saml' ? samlProblems(after, batch) : ldapProblems(after, batch);
      if (isRead(batch, after, '/spec/provider')) yield* otherProvider(after);
      if (isRead(batch, after, '/spec/groups')) yield* noTeams(after);
    }
  },
};

function* samlProblems(config: Config, batch: Batch): Iterable<Finding> {
  const { facts } = batch;
  const saml: Partial<NonNullable<SpecOf<'SsoConfig'>['saml']>> = config.spec.saml ?? {};
  yield* required(batch, config, saml, ['signOnUrl', 'issuer', 'certificate']);
  const address = saml.signOnUrl === undefined || isBlank(saml.signOnUrl) ? undefined : addressProblem(saml.signOnUrl);
  if (address !== undefined) yield unusable(config, 'saml', 'signOnUrl', address);
  const problem =
    saml.certificate === undefined || isBlank(saml.certificate)
      ? undefined
      : facts.certificateProblem(saml.certificate);
  if (problem !== undefined) yield unusable(config, 'saml', 'certificate', problem);
}

function* ldapProblems(config: Config, batch: Batch): Iterable<Finding> {
  const { facts } = batch;
  const ldap: Partial<NonNullable<SpecOf<'SsoConfig'>['ldap']>> = config.spec.ldap ?? {};
  yield* required(batch, config, ldap, ['server', 'username', 'password', 'baseDn']);
  if (config.spec.groups.manageRoles || config.spec.groups.adminGroup !== undefined)
    yield* required(batch, config, ldap, ['groupDn']);
  if (ldap.server !== undefined && !isBlank(ldap.server) && !isHostAndPort(ldap.server))
    yield unusable(
      config,
      'ldap',
      'server',
      `it is not a host and port such as "ldap.example.com:389"${withoutScheme(ldap.server)}`,
    );
  const filter = ldap.userSearchFilter === undefined ? undefined : wrongFilter(ldap.userSearchFilter, facts);
  if (filter !== undefined) yield unusable(config, 'ldap', 'userSearchFilter', filter);
  const problem = ldap.tls?.ca === undefined ? undefined : facts.certificateProblem(ldap.tls.ca);
  if (problem !== undefined) yield unusable(config, 'ldap', 'tls/ca', problem);
}

function* otherProvider(config: Config): Iterable<Finding> {
  const other = config.spec.provider === 'saml' ? 'ldap' : 'saml';
  if (config.spec[other])
    yield violation(
      'sso-complete',
      config,
      `/spec/${other}`,
      `${other} cannot be set, because its provider is ${config.spec.provider}`,
    );
}

/** Groups that manage no team take everybody out of every team. */
function* noTeams(config: Config): Iterable<Finding> {
  const { manageRoles, scope, teams, allowOtherTeams } = config.spec.groups;
  if (!manageRoles || scope !== 'selected' || teams.length > 0) return;
  const what = allowOtherTeams ? 'groups would place nobody' : 'everybody would be taken out of every team';
  yield violation(
    'sso-complete',
    config,
    '/spec/groups/teams',
    `cannot be active, because groups.scope is selected and groups.teams is empty, so that ${what}: name teams, choose "scope: all", or switch manageRoles off`,
  );
}

function* required(batch: Batch, config: Config, values: object, fields: readonly string[]): Iterable<Finding> {
  const section = config.spec.provider;
  // Without a word of the provider it is not known what is missing.
  if (!isRead(batch, config, '/spec/provider') && config.spec[section] === undefined) return;
  for (const field of fields) {
    if (!isRead(batch, config, `/spec/${section}/${field}`)) continue;
    const value = (values as Readonly<Record<string, unknown>>)[field];
    if (value !== undefined && !isBlank(value)) continue;
    const what = `cannot be active, because ${section}.${field} is ${value === undefined ? 'missing' : 'empty'}`;
    yield violation('sso-complete', config, `/spec/${section}/${field}`, what);
  }
}

function unusable(config: Config, section: string, field: string, problem: string): Finding {
  const shown = `${section}.${field.replace('/', '.')}`;
  return violation(
    'sso-complete',
    config,
    `/spec/${section}/${field}`,
    `cannot be active, because ${shown} is unusable: ${problem}`,
  );
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function addressProblem(text: string): string | undefined {
  const address = webAddress(text);
  if (address !== undefined) return holdsUser(address) ? 'there is a user name or password in it' : undefined;
  return webAddress(text.replace(/[\s\p{Cc}]/gu, '')) === undefined
    ? 'it is not an http or https address'
    : 'there are spaces, line breaks or control characters in it';
}

function isHostAndPort(text: string): boolean {
  const match = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?):(\d{1,5})$/.exec(text);
  const port = Number(match?.[1] ?? 0);
  return port >= 1 && port <= 65_535;
}

/** What to write for an address of a directory. */
function withoutScheme(server: string): string {
  const [, scheme, host, port] = /^(ldaps?):\/\/([^/:\s]{1,255})(?::(\d{1,5}))?\/?$/i.exec(server) ?? [];
  if (scheme === undefined || host === undefined) return '';
  const isSecure = scheme.toLowerCase() === 'ldaps';
  return `: write "${host}:${port ?? (isSecure ? 636 : 389)}"${isSecure ? ' and tls: {mode: ldaps}' : ''}`;
}

function wrongFilter(filter: string, facts: Facts): string | undefined {
  return hasPlaceholder([...filter.trim()])
    ? facts.filterProblem?.(filter)
    : 'it is not one filter in parentheses that holds ${username} or ${email}';
}

/** One balanced pair of parentheses around everything, and something that tells users apart. */
function hasPlaceholder(filter: readonly string[]): boolean {
  let depth = 0;
  for (const [index, sign] of filter.entries()) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (depth < 0 || (depth === 0 && index < filter.length - 1)) return false;
  }
  return depth === 0 && filter[0] === '(' && /\$\{(username|email)\}/.test(filter.join(''));
}
