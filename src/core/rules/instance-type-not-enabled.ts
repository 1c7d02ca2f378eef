// instance-type-not-enabled: a team has instances of the types that its own type lists, and of no others (specification 2.4).
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource, type ResourceOf } from '../model/resource.ts';
import { instancesOfType, teamUse } from '../model/team-use.ts';
import { type Batch, counted, type Rule, some, violation, type Written, written } from './rule.ts';

export const instanceTypeNotEnabled: Rule = {
  id: 'instance-type-not-enabled',
  refuses: 'an instance of a type that the team’s type does not list',
  perChange: true,
  *check(batch) {
    for (const change of written(batch, 'Instance')) yield* newOfType(batch, change);
    for (const { before, after } of written(batch, 'Team'))
      if (before && before.spec.type !== after.spec.type) yield* newTypeOf(batch, after);
  },
};

/** An instance that is made, given another type, or another team. What was there before its type left the list stays. */
function* newOfType({ after: view }: Batch, { before, after }: Written<'Instance'>): Iterable<Finding> {
  const { team: teamId, instanceType } = after.spec;
  if (before?.spec.instanceType === instanceType && before.spec.team === teamId) return;
  const chosen = view.get('InstanceType', instanceType);
  const team = view.get('Team', teamId);
  const type = team && view.get('TeamType', team.spec.type);
  if (!chosen || !type || lists(type, chosen)) return;
  const names = type.spec.instanceTypes.map(({ name }) => name);
  const have = some(names, names.length, 10) || 'none';
  const what = `instanceType cannot be ${chosen.name}, because ${addressOf(type)}, the type of ${addressOf(team)}, does not list it (it lists ${have}): choose one of its list, or have an admin add it there`;
  yield violation('instance-type-not-enabled', after, '/instanceType', what);
}

/** A team that gets another type: it may not have instances of a type that the new one does not list. */
function* newTypeOf({ after: view }: Batch, team: Resource<'Team'>): Iterable<Finding> {
  const type = view.get('TeamType', team.spec.type);
  let unseen = type ? teamUse(view, team.id).instances : 0;
  if (!type || unseen === 0) return;
  for (const chosen of view.all('InstanceType')) {
    const count = instancesOfType(view, team.id, chosen.id);
    if (count > 0 && !lists(type, chosen)) {
      const what = `type cannot be ${type.name}, because the team has ${counted(count, 'instance')} of ${addressOf(chosen)} and ${addressOf(type)} does not list that: delete ${count === 1 ? 'it' : 'them'} first, or have an admin add it there`;
      yield violation('instance-type-not-enabled', team, '/type', what);
    }
    unseen -= count;
    if (unseen === 0) return;
  }
}

function lists(type: ResourceOf<'TeamType'>, { name }: Resource<'InstanceType'>): boolean {
  return type.spec.instanceTypes.some((listed) => listed.name === name);
}
