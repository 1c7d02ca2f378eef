// Ends an invitation: the team withdraws it, or the invitee declines.
import { deleted } from '../model/change.ts';
import { isInvited, isPending } from '../model/invited.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** By a team (its id). Declines (`not_found`, `precondition_failed`). */
export function withdrawInvitation({ team, ...target }: Target & { readonly team: string }): Proposal {
  return (view) => [deleted(targetIn(view, 'Invitation', target, ({ spec }) => spec.team === team))];
}

/** By a user (their id) whom it is to. Declines (`not_found`, `precondition_failed`). */
export function declineInvitation({ user, ...target }: Target & { readonly user: string }): Proposal {
  return (view, { now }) => {
    const self = targetIn(view, 'User', { id: user });
    return [deleted(targetIn(view, 'Invitation', target, (one) => isInvited(one, self) && isPending(one, now)))];
  };
}
