// sso-team and sso-memberships: warn of what the list of teams that groups manage does not do, and of the places in teams that it takes away.
import type { Finding } from '../model/finding.ts';
import { isLastOwner } from '../model/members.ts';
import type { DeclaredResource, Resource } from '../model/resource.ts';
import { suggest } from '../model/suggest.ts';
import { referrers, type View } from '../model/view.ts';
import { type Batch, counted, some, written } from './rule.ts';
import { warning } from './warning.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** The id of warnings about slugs that no team has. */
export const ssoTeam = 'sso-team';

/** The id of warnings about memberships that end at the next sign-in. */
export const ssoMemberships = 'sso-memberships';

/** Warnings about the active configurations of a batch that manage selected teams, by the teams and users that there are. Offline there are none. */
export function* ssoTeams(batch: Batch): Iterable<Finding> {
  for (const { before, after } of written(batch, 'SsoConfig')) {
    if (!selects(after)) continue;
    yield* unknownTeams(after, batch.after);
    yield* endingMemberships(before, after, batch.after);
  }
}

function selects({ spec: { active, groups } }: Config): boolean {
  return active && groups.manageRoles && groups.scope === 'selected';
}

function* unknownTeams(config: Config, view: View): Iterable<Finding> {
  const known = [...view.all('Team')].map(({ name }) => name);
  if (known.length === 0) return;
  for (const [at, slug] of config.spec.groups.teams.entries()) {
    if (view.named('Team', slug)) continue;
    const meant = suggest(slug, known);
    const hint = meant === undefined ? 'make the team, or take the slug out' : `did you mean "${meant}"?`;
    const what = `groups place nobody in "${slug}", because no team has this slug: ${hint}`;
    const finding = warning(ssoTeam, config, `/spec/groups/teams/${at}`, what);
    yield meant === undefined ? finding : { ...finding, suggestion: meant };
  }
}

/** What the configuration takes away that it did not take away before. */
function* endingMemberships(before: Config | undefined, after: Config, view: View): Iterable<Finding> {
  const users = [...view.all('User')].filter(({ spec }) => spec.email.endsWith(`@${after.spec.emailDomain}`));
  const ending = users.flatMap((user) => endingOf(user, before, after, view));
  if (ending.length === 0) return;
  const teams = new Set(ending.map(({ team }) => team.name));
  const people = new Set(ending.map(({ user }) => user.id)).size;
  const what = `${counted(ending.length, 'membership')} of ${counted(people, 'user')} of ${after.spec.emailDomain} will end as they sign in, in ${counted(teams.size, 'team')} (${some(teams, teams.size)}), because groups.teams does not name ${teams.size === 1 ? 'it' : 'them'} and groups.allowOtherTeams is off: name what groups manage, or switch allowOtherTeams on`;
  yield warning(ssoMemberships, after, '/spec/groups/teams', what);
}

function endingOf(user: Resource<'User'>, before: Config | undefined, after: Config, view: View) {
  return [...referrers(view, 'Membership', user)].flatMap((membership) => {
    const team = view.get('Team', membership.spec.team);
    if (!team || !takesOutOf(after, team) || isLastOwner(view, membership)) return [];
    const isNew = !before || !sameDomain(before, after) || !takesOutOf(before, team);
    return isNew ? [{ user, team }] : [];
  });
}

/** Whether people are taken out of a team whatever groups they have. */
function takesOutOf(config: Config, { name }: Resource<'Team'>): boolean {
  const { teams, allowOtherTeams } = config.spec.groups;
  return selects(config) && !allowOtherTeams && !teams.includes(name);
}

function sameDomain(one: Config, other: Config): boolean {
  return one.spec.emailDomain === other.spec.emailDomain;
}
