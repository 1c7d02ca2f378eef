// Which teams somebody is to be in, by their groups: what comes, goes, changes and stays, each with its reason (specification 2.9).
import { invitedAddressKey, invitedUserKey } from '../kinds/invitation.ts';
import type { Role } from '../kinds/roles.ts';
import { expiredIn } from '../model/invited.ts';
import { isLastOwner, membershipIn } from '../model/members.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { teamUse } from '../model/team-use.ts';
import { referrers, type View } from '../model/view.ts';
import type { Explained, ExplainedReason } from './explained.ts';
import { type GivenGroup, isManaged, type WantedRole, wantedRoles } from './given-groups.ts';
import { shownName } from './shown-name.ts';

type Config = DeclaredResource<'SsoConfig'>;
type Membership = Resource<'Membership'>;

/** One place in a team that comes (`before` absent), changes, or goes (`role` absent). */
export interface Placement {
  readonly team: Resource<'Team'>;
  readonly before: Membership | undefined;
  readonly role: Role | undefined;
  readonly explained: Explained;
}

/** Whose places, by which groups, under which configuration; `now` is RFC 3339. */
export interface Placing {
  readonly view: View;
  readonly config: Config;
  readonly user: Resource<'User'>;
  readonly groups: readonly GivenGroup[];
  readonly now: string;
}

/** What changes, and a word on all that does not although groups or the configuration speak of it. */
export function placements(placing: Placing): {
  readonly placements: readonly Placement[];
  readonly others: readonly Explained[];
} {
  const { view, config, user, groups } = placing;
  const { roles, ignored } = wantedRoles(view, config, groups);
  const steps = [...roles.values()].map((wanted) => placed(placing, wanted));
  for (const membership of referrers(view, 'Membership', user)) {
    const team = view.get('Team', membership.spec.team);
    if (team && !roles.has(team.id)) steps.push(unplaced(placing, team, membership));
  }
  const changes = steps.filter((step) => 'explained' in step);
  return { placements: changes, others: [...ignored, ...steps.filter((step) => 'about' in step)] };
}

/** A team in which groups give a role. */
function placed(placing: Placing, { team, role, group }: WantedRole): Placement | Explained {
  const { view, user } = placing;
  const before = membershipIn(view, team.id, user.id);
  const by = `because of the group ${shownName(group)}`;
  const note = noteOn(team, group);
  if (!before) {
    const full = whyFull(placing, team);
    if (full !== undefined)
      return note(
        'none',
        'limit-reached',
        `does not become ${role} of ${team.name} although the group ${shownName(group)} says so, because ${full}`,
      );
    return { team, before, role, explained: note('create', 'group-gives', `becomes ${role} of ${team.name}, ${by}`) };
  }
  const had = before.spec.role;
  if (had === role && before.spec.ssoManaged) return note('none', 'as-it-was', `stays ${role} of ${team.name}, ${by}`);
  if (had === role) {
    const what = `stays ${role} of ${team.name}, and groups keep that up from now on, ${by}`;
    return { team, before, role, explained: note('update', 'group-gives', what) };
  }
  if (isLastOwner(view, before))
    return note('none', 'last-owner', keptOwner(team, `${shownName(group)} gives ${role}`));
  const what = `becomes ${role} of ${team.name} (was ${had}), ${by}`;
  return { team, before, role, explained: note('update', 'group-gives', what) };
}

/** A team that the user is in although no group says so. */
function unplaced({ view, config }: Placing, team: Resource<'Team'>, before: Membership): Placement | Explained {
  const { role } = before.spec;
  const { scope, allowOtherTeams } = config.spec.groups;
  const note = noteOn(team);
  const isOurs = isManaged(config, team);
  const list = `${team.name} is not among the teams that ${addressOf(config)} manages`;
  if (!isOurs && allowOtherTeams)
    return note('none', 'other-team-allowed', `stays ${role} of ${team.name}, because ${list}, and it allows others`);
  const why = isOurs
    ? `no group gives a role there, and ${addressOf(config)} manages ${scope === 'all' ? 'every team' : 'this team'}`
    : `${list}, and it allows no others`;
  if (isLastOwner(view, before)) return note('none', 'last-owner', keptOwner(team, why));
  const explained = note(
    'delete',
    isOurs ? 'no-group' : 'other-team',
    `leaves ${team.name} (was ${role}), because ${why}`,
  );
  return { team, before, role: undefined, explained };
}

function noteOn({ name: team }: Resource<'Team'>, group?: string) {
  return (effect: Explained['effect'], reason: ExplainedReason, message: string): Explained => ({
    about: 'team',
    effect,
    reason,
    message,
    team,
    ...(group === undefined ? {} : { group }),
  });
}

function keptOwner({ name }: Resource<'Team'>, although: string): string {
  return `stays owner of ${name} although ${although}, because nobody else owns the team: make somebody else an owner first`;
}

/** Why one more member has no place in a team, as the rule `limit-reached` counts: the invitations that end with their coming make room. */
function whyFull({ view, user, now }: Placing, team: Resource<'Team'>): string | undefined {
  const type = view.get('TeamType', team.spec.type);
  const most = type?.spec.limits.members;
  if (!type || most === undefined) return undefined;
  const { members, invitations } = teamUse(view, team.id);
  const before = members + invitations;
  const after = before + 1 - endingIn(view, user, team, now);
  if (after <= most || after <= before) return undefined;
  const invited = invitations > 0 ? ` (${invitations} of them invited)` : '';
  return `the team has ${before} ${before === 1 ? 'member' : 'members'}${invited} and ${addressOf(type)} allows ${most}: remove somebody, or choose another team type`;
}

/** How many invitations end when the user comes in: those that have expired, and those to the user. */
function endingIn(view: View, { id, spec }: Resource<'User'>, team: Resource<'Team'>, now: string): number {
  const ending = new Set(expiredIn(view, team.id, now).map((invitation) => invitation.id));
  for (const key of [invitedUserKey(id), invitedAddressKey(spec.email)])
    for (const invitation of view.having('Invitation', key))
      if (invitation.spec.team === team.id) ending.add(invitation.id);
  return ending.size;
}
