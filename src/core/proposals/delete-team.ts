// Deletes a team. Its memberships, invitations, device groups and provisioning tokens go with it (see the consequence `teamGone`); instances and devices do not.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { teamUse } from '../model/team-use.ts';
import { Declined } from './declined.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`; `conflict` while the team has instances or devices). */
export function deleteTeam(target: Target): Proposal {
  return (view) => {
    const team = targetIn(view, 'Team', target);
    const { instances, devices } = teamUse(view, team.id);
    const has = [counted(instances, 'instance'), counted(devices, 'device')].filter((words) => words !== '');
    if (has.length === 0) return [deleted(team)];
    throw new Declined(
      'conflict',
      `the team ${team.name} cannot be deleted, because it has ${has.join(' and ')}: delete ${instances + devices === 1 ? 'that' : 'these'} first`,
    );
  };
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
