// With the right to invite go the invitations that somebody sent by it: what they can no longer do, what they sent does no longer either.
import { type Change, changesOf, deleted, follows } from '../model/change.ts';
import { roleIn } from '../model/members.ts';
import type { Resource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const inviterLostRight: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'User')) {
    const { before, after: user } = change;
    if (before && user && (before.spec.admin || !before.spec.suspended)) yield* lostBy(user, change, after);
  }
  for (const change of changesOf(changes, 'Membership')) {
    const { before } = change;
    const user = before?.spec.role === 'owner' ? after.get('User', before.spec.user) : undefined;
    if (user) yield* lostBy(user, change, after);
  }
};

function* lostBy(user: Resource<'User'>, cause: Change, view: View): ReturnType<Consequence> {
  // What most changes of a user are about, such as their last sign-in.
  if (!user.spec.suspended && user.spec.admin) return;
  for (const invitation of referrers(view, 'Invitation', user)) {
    const { inviter, team } = invitation.spec;
    if (inviter !== user.id || mayInvite(user, team, view)) continue;
    const why = user.spec.suspended ? 'is suspended' : 'may not invite to the team any more';
    yield follows(deleted(invitation), cause, `its inviter ${user.name} ${why}`);
  }
}

/** As the policy says of `invite`. */
export function mayInvite(user: Resource<'User'>, team: string, view: View): boolean {
  if (user.spec.suspended) return false;
  return user.spec.admin || roleIn(view, team, user.id) === 'owner';
}
