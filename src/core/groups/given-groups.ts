// The groups that a provider gave, as they are read: stripped where the configuration says so, then compared with the form and the admin group.
import type { Role } from '../kinds/roles.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Explained, ExplainedReason } from './explained.ts';
import { groupForm, readGroupName, stripGroupName } from './group-name.ts';
import { shownName } from './shown-name.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** A group: `given` as the provider calls it, `name` as it is read; no `name` where too little of it is left. */
export interface GivenGroup {
  readonly given: string;
  readonly name?: string;
}

/** The role that groups give in one team, and the group that gives it. */
export interface WantedRole {
  readonly team: Resource<'Team'>;
  readonly role: Role;
  readonly group: string;
}

/** Each group once. Only names from a directory are stripped (specification 2.8). */
export function givenGroups({ spec }: Config, groups: readonly string[]): GivenGroup[] {
  const { groupPrefixLength: prefix = 0, groupSuffixLength: suffix = 0 } = spec.ldap ?? {};
  return [...new Set(groups)].map((given) => {
    const name = spec.provider === 'ldap' ? stripGroupName(given, prefix, suffix) : given;
    return { given, ...(name === undefined ? {} : { name }) };
  });
}

/** Whether groups decide who is in a team. */
export function isManaged({ spec }: Config, { name }: Pick<Resource<'Team'>, 'name'>): boolean {
  return spec.groups.scope === 'all' || spec.groups.teams.includes(name);
}

/** The highest role in each team (by its id) that the groups give, and a word on each group that gives none. */
export function wantedRoles(
  view: View,
  config: Config,
  groups: readonly GivenGroup[],
): { readonly roles: ReadonlyMap<string, WantedRole>; readonly ignored: readonly Explained[] } {
  const roles = new Map<string, WantedRole>();
  const ignored: Explained[] = [];
  for (const group of groups) {
    const read = wantedBy(view, config, group);
    if (read === undefined) continue;
    if ('about' in read) ignored.push(read);
    else ignored.push(...highest(roles, read));
  }
  return { roles, ignored };
}

/** Keeps the higher of two roles in a team; a word on the other. */
function highest(roles: Map<string, WantedRole>, fresh: WantedRole): Explained[] {
  const known = roles.get(fresh.team.id);
  const [best, other] = known && rank(known.role) <= rank(fresh.role) ? [known, fresh] : [fresh, known];
  roles.set(fresh.team.id, best);
  if (!other) return [];
  const what = best.role === other.role ? 'the same role' : `the higher role ${best.role}`;
  const message = `the group ${shownName(other.group)} adds nothing, because ${shownName(best.group)} gives ${what} in the team ${best.team.name}`;
  return [{ about: 'group', effect: 'none', reason: 'lower-role', message, group: other.group, team: best.team.name }];
}

/** Lower is more. */
function rank(role: Role): number {
  return ['owner', 'member', 'viewer', 'dashboard'].indexOf(role);
}

/** What one group gives, or why it gives nothing. The admin group need not be of the form: what it gives is told elsewhere. */
function wantedBy(view: View, config: Config, { given, name }: GivenGroup): WantedRole | Explained | undefined {
  const none = (reason: ExplainedReason, why: string, team?: string): Explained => {
    const message = `the group ${shownName(given)} is ignored, because ${why}`;
    return { about: 'group', effect: 'none', reason, message, group: given, ...(team === undefined ? {} : { team }) };
  };
  if (name === undefined) return none('too-short', `nothing is left of its name without ${cutFrom(config)}`);
  const read = readGroupName(name);
  if (!read && name === config.spec.groups.adminGroup) return undefined;
  const as = name === given ? 'it' : `it is read as ${shownName(name)}, which`;
  if (!read) return none('not-of-the-form', `${as} is not named ${groupForm}`);
  const team = view.named('Team', read.slug);
  if (!team) return none('unknown-team', `no team has the slug ${shownName(read.slug)}`);
  if (team.name !== read.slug)
    return none('unknown-team', `no team has the slug ${shownName(read.slug)}: case counts, and there is ${team.name}`);
  if (isManaged(config, team)) return { team, role: read.role, group: given };
  return none(
    'team-not-selected',
    `the team ${team.name} is not among the teams that ${addressOf(config)} manages`,
    team.name,
  );
}

function cutFrom({ spec }: Config): string {
  const { groupPrefixLength: prefix = 0, groupSuffixLength: suffix = 0 } = spec.ldap ?? {};
  return `its first ${prefix} and last ${suffix} characters (groupPrefixLength, groupSuffixLength)`;
}
