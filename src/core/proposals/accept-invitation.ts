// Accepts an invitation: its invitee gets the place in the team. Other invitations to the same team end with it (see the consequence `joined`).
import { type Change, created, deleted } from '../model/change.ts';
import { isInvited, isPending } from '../model/invited.ts';
import { membershipIn } from '../model/members.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { first } from '../model/state.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { newMembership } from './new-team.ts';
import { type Target, targetIn } from './target.ts';

/** By its id; `user` is the id of who accepts. Declines: `not_found` (also where it is to somebody else), `conflict` for who is in the team. */
export function acceptInvitation({ user, ...target }: Target & { readonly user: string }): Proposal {
  return (view, context) => {
    const self = targetIn(view, 'User', { id: user });
    const isTheirs = (one: Resource<'Invitation'>) => isInvited(one, self) && isPending(one, context.now);
    return joining(view, self, targetIn(view, 'Invitation', target, isTheirs), context);
  };
}

/** By the hash of the token in its mail. Declines: `not_found`, `forbidden` for somebody else, `conflict` for who is in the team. */
export function acceptByToken({ user, hash }: { readonly user: string; readonly hash: string }): Proposal {
  return (view, context) => {
    const self = targetIn(view, 'User', { id: user });
    const invitation = pendingInvitation(view, hash, context.now);
    if (!isInvited(invitation, self))
      throw new Declined(
        'forbidden',
        'this invitation cannot be accepted, because it is to somebody else: sign in with the account that has its address',
      );
    return joining(view, self, invitation, context);
  };
}

/** The invitation with this hash, while it is good. Declines (`not_found`), in words that do not tell why. */
export function pendingInvitation(view: View, hash: string, now: string): Resource<'Invitation'> {
  const found = first(view.having('Invitation', `hash=${hash}`));
  if (found && isPending(found, now)) return found;
  throw new Declined(
    'not_found',
    'this invitation opens nothing, because it has expired, was withdrawn or answered, or was sent again since: ask for a new one',
  );
}

function joining(
  view: View,
  user: Resource<'User'>,
  invitation: Resource<'Invitation'>,
  context: Context,
): readonly Change[] {
  const { team, role } = invitation.spec;
  if (membershipIn(view, team, user.id))
    throw new Declined(
      'conflict',
      'this invitation cannot be accepted, because you are in the team already: decline it',
    );
  return [created(newMembership({ team, user: user.id, role }, context)), deleted(invitation)];
}
