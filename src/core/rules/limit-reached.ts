// limit-reached: a team gets no more than its type allows. Only growth is refused: a limit that was lowered takes nothing away.
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource, type ResourceOf } from '../model/resource.ts';
import { instancesOfType, type TeamUse, teamUse } from '../model/team-use.ts';
import type { View } from '../model/view.ts';
import { type Batch, counted, type Rule, violation, written } from './rule.ts';

export const limitReached: Rule = {
  id: 'limit-reached',
  refuses: 'members (pending invitations counted), instances or devices over the limits of the team’s type',
  *check(batch) {
    for (const id of touchedTeams(batch)) {
      const team = batch.after.get('Team', id);
      const type = team && batch.after.get('TeamType', team.spec.type);
      if (team && type) yield* judge(batch, team, type);
    }
  },
};

function touchedTeams(batch: Batch): ReadonlySet<string> {
  const teams = new Set<string>();
  // Another name takes no room.
  for (const { before, after } of written(batch, 'Team'))
    if (before?.spec.type !== after.spec.type) teams.add(after.id);
  for (const kind of ['Membership', 'Invitation', 'Instance', 'Device'] as const)
    for (const { after } of written(batch, kind)) teams.add(after.spec.team);
  return teams;
}

/** A team that gets another type has to fit into it, whether it grows or not. */
function* judge({ before, after }: Batch, team: Resource<'Team'>, type: ResourceOf<'TeamType'>): Iterable<Finding> {
  const old = before.get('Team', team.id);
  const isRetyped = old !== undefined && old.spec.type !== team.spec.type;
  for (const { most, count, shown, remedy } of limitsOf(after, team, type)) {
    const now = count(after);
    if (most === undefined || now <= most || !(isRetyped || now > count(before))) continue;
    const doing = `${remedy} ${now - most} first`;
    if (isRetyped) {
      const what = `type cannot be ${type.name}, because the team has ${shown(now)} and ${addressOf(type)} allows ${most}: ${doing}`;
      yield violation('limit-reached', team, '/type', what);
    } else {
      const what = `cannot have ${shown(now)}, because ${addressOf(type)} allows ${most}: ${doing}, or choose another team type`;
      yield violation('limit-reached', team, '', what);
    }
  }
}

/** One limit of a team. `most` is absent where there is none. */
interface Limit {
  readonly most: number | undefined;
  readonly count: (view: View) => number;
  readonly shown: (count: number) => string;
  readonly remedy: string;
}

function* limitsOf(after: View, { id }: Resource<'Team'>, { spec }: ResourceOf<'TeamType'>): Iterable<Limit> {
  const { members, instances, devices } = spec.limits;
  const of = (count: (use: TeamUse) => number) => (view: View) => count(teamUse(view, id));
  const { invitations } = teamUse(after, id);
  const invited = invitations > 0 ? ` (${invitations} of them invited)` : '';
  yield {
    most: members,
    // Who accepts an invitation takes its place.
    count: of((use) => use.members + use.invitations),
    shown: (count) => `${counted(count, 'member')}${invited}`,
    remedy: 'remove',
  };
  yield { most: instances, count: of((use) => use.instances), shown: plain('instance'), remedy: 'delete' };
  yield { most: devices, count: of((use) => use.devices), shown: plain('device'), remedy: 'delete' };
  for (const { name, limit } of spec.instanceTypes) {
    const type = after.named('InstanceType', name);
    if (!type || limit === undefined) continue;
    const shown = (count: number) => `${counted(count, 'instance')} of ${addressOf(type)}`;
    yield { most: limit, count: (view) => instancesOfType(view, id, type.id), shown, remedy: 'delete' };
  }
}

function plain(noun: string): (count: number) => string {
  return (count) => counted(count, noun);
}
