// Deletes a user. What is theirs goes with them: see the consequence `userGone`; and so does the only team that they are in, where it is empty and their own.
import { because, type Change, deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { teamUse } from '../model/team-use.ts';
import { referrers, type View } from '../model/view.ts';
import { requireCurrentPassword } from './current-password.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`). */
export function deleteUser(target: Target): Proposal {
  return (view) => deletedUser(view, targetIn(view, 'User', target));
}

/** Who wants to be gone, the hash that their password was compared with, and from where. Declines as `deleteUser` and `requireCurrentPassword` do. */
export function deleteSelf({
  verified,
  address,
  ...target
}: Target & { readonly verified: string; readonly address: string }): Proposal {
  return (view, { now }) => {
    const user = targetIn(view, 'User', target);
    requireCurrentPassword(view, user, { verified, guarded: 'account', address, now });
    return deletedUser(view, user);
  };
}

/** The end of a user, and of the team that nobody else would have. */
export function deletedUser(view: View, user: Resource<'User'>): Change[] {
  const team = ownEmptyTeam(view, user);
  const why = `it is empty, and its only member User/${user.name} is deleted`;
  return [deleted(user), ...(team ? [because(deleted(team), why)] : [])];
}

/** The only team of a user, where nobody else is in it and it has neither instances nor devices. */
export function ownEmptyTeam(view: View, user: Resource<'User'>): Resource<'Team'> | undefined {
  const [only, ...more] = [...referrers(view, 'Membership', user)];
  if (!only || more.length > 0 || only.spec.role !== 'owner') return undefined;
  const { members, instances, devices } = teamUse(view, only.spec.team);
  return members === 1 && instances + devices === 0 ? view.get('Team', only.spec.team) : undefined;
}
