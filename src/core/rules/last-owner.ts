// last-owner: a team always has an owner who can run it, whoever leaves, is demoted, or is deleted (specification 2.2). Whoever is suspended cannot; but
// suspending somebody is never refused, because it is done in a hurry: `suspended-owner` warns of the teams that nobody can run then.
import { ownersKey } from '../kinds/membership.ts';
import { activeOwners } from '../model/members.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { first } from '../model/state.ts';
import { type Batch, type Rule, removed, some, violation, written } from './rule.ts';

export const lastOwner: Rule = {
  id: 'last-owner',
  refuses: 'leaving a team without an owner, but for deleting the team',
  *check(batch) {
    for (const [id, lost] of teamsThatLose(batch)) {
      const team = batch.after.get('Team', id);
      if (!team || isRun(batch, id, lost)) continue;
      yield violation('last-owner', team, '', `cannot be without an owner, because ${whyNot(batch, id, lost)}`);
    }
  },
};

function whyNot(batch: Batch, team: string, lost: readonly string[]): string {
  const who = lost.map((user) => addressOf(userIn(batch, user)));
  if (who.length === 0) return 'nobody could run it: make somebody its owner in the same change';
  const [are, those] = who.length === 1 ? ['is its only owner', 'who is'] : ['are its only owners', 'who are'];
  const others = batch.after.countHaving('Membership', ownersKey(team)) > 0 ? ` ${those} not suspended` : '';
  return `${some(who, who.length)} ${are}${others}: make another member an owner first`;
}

/** Whether somebody owns it who can run it, or nobody did who is gone now. */
function isRun({ before, after }: Batch, team: string, lost: readonly string[]): boolean {
  if (first(activeOwners(after, team))) return true;
  const isSuspended = (user: string) => before.get('User', user)?.spec.suspended === true;
  return after.countHaving('Membership', ownersKey(team)) > 0 && lost.length > 0 && lost.every(isSuspended);
}

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
