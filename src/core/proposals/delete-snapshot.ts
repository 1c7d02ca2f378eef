// Deletes a snapshot. Its blob goes later, when nothing names it any more.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`). */
export function deleteSnapshot(target: Target): Proposal {
  return (view) => [deleted(targetIn(view, 'Snapshot', target))];
}
