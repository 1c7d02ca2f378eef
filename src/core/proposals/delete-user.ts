// Deletes a user. What is theirs goes with them: see the consequence `userGone`.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`). */
export function deleteUser(target: Target): Proposal {
  return (view) => [deleted(targetIn(view, 'User', target))];
}
