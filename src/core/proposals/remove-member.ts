// Takes a member out of a team, or lets one leave.
import { deleted } from '../model/change.ts';
import { membershipIn } from '../model/members.ts';
import type { Proposal } from '../model/proposal.ts';
import { type MemberWrite, memberMoved, notThere } from './set-member.ts';

/** By their ids. Declines (`not_found`, `precondition_failed`). */
export function removeMember({ team, user, expected }: Pick<MemberWrite, 'team' | 'user' | 'expected'>): Proposal {
  return (view) => {
    const current = membershipIn(view, team, user);
    if (!current) throw notThere('member');
    if (expected && !expected(current)) throw memberMoved();
    return [deleted(current)];
  };
}
