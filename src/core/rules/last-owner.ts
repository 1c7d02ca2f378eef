// last-owner: a team always has an owner, whoever leaves, is demoted, or is deleted (specification 2.2). A suspended owner is one.
import { ownersKey } from '../kinds/membership.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { type Batch, type Rule, removed, some, violation, written } from './rule.ts';

export const lastOwner: Rule = {
  id: 'last-owner',
  refuses: 'leaving a team without an owner, but for deleting the team',
  *check(batch) {
    for (const [id, lost] of teamsThatLose(batch)) {
      const team = batch.after.get('Team', id);
      if (!team || batch.after.countHaving('Membership', ownersKey(id)) > 0) continue;
      const who = lost.map((user) => addressOf(userIn(batch, user)));
      const because =
        who.length > 0
          ? `${some(who, who.length)} ${who.length === 1 ? 'is its only owner' : 'are its only owners'}`
          : 'nobody could run it';
      const doing =
        who.length > 0 ? 'make another member an owner first' : 'make somebody its owner in the same change';
      yield violation('last-owner', team, '', `cannot be without an owner, because ${because}: ${doing}`);
    }
  },
};

/** The teams that are made, or lose owners, with the ids of these. */
function teamsThatLose(batch: Batch): ReadonlyMap<string, readonly string[]> {
  const teams = new Map<string, string[]>();
  for (const { before, after } of written(batch, 'Team')) if (!before) teams.set(after.id, []);
  for (const { before } of [...written(batch, 'Membership'), ...removed(batch, 'Membership')]) {
    if (before?.spec.role !== 'owner') continue;
    const lost = teams.get(before.spec.team) ?? [];
    lost.push(before.spec.user);
    teams.set(before.spec.team, lost);
  }
  return teams;
}

/** Who is deleted has a name, too. */
function userIn({ before, after }: Batch, id: string): Pick<Resource, 'kind' | 'name'> {
  return after.get('User', id) ?? before.get('User', id) ?? { kind: 'User', name: 'unknown' };
}
