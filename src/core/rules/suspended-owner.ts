// suspended-owner: warns where nobody can run a team once somebody is suspended. It is not refused: whoever has to be kept out has to be kept out now.
import type { Finding } from '../model/finding.ts';
import { activeOwners } from '../model/members.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { first } from '../model/state.ts';
import { referrers, type View } from '../model/view.ts';
import { type Batch, some, written } from './rule.ts';
import { warning } from './warning.ts';

/** The id of these warnings. */
export const suspendedOwner = 'suspended-owner';

/** Warnings about the users whom a batch suspends. */
export function* suspendedOwners(batch: Batch): Iterable<Finding> {
  for (const { before, after } of written(batch, 'User')) {
    if (!before || before.spec.suspended || !after.spec.suspended) continue;
    const teams = teamsWithout(after, batch.after);
    if (teams.length === 0) continue;
    const which = some(teams.map(addressOf), teams.length);
    const what = `nobody can run ${which} meanwhile, because no other owner is left who is not suspended: make another member an owner`;
    yield warning(suspendedOwner, after, '/suspended', what);
  }
}

/** The teams of an owner that have no other who can run them. */
function teamsWithout(user: Resource<'User'>, view: View): Resource<'Team'>[] {
  return [...referrers(view, 'Membership', user)].flatMap(({ spec }) => {
    const team = view.get('Team', spec.team);
    return team && spec.role === 'owner' && !first(activeOwners(view, team.id)) ? [team] : [];
  });
}
