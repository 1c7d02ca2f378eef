// Deletes a snapshot. Its blob goes later, when nothing names it any more.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { refuseWhileTargeted } from './chosen-snapshot.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`; `conflict` while devices should run it). */
export function deleteSnapshot(target: Target): Proposal {
  return (view) => {
    const current = targetIn(view, 'Snapshot', target);
    refuseWhileTargeted(view, [current], `the snapshot ${current.name} cannot be deleted`);
    return [deleted(current)];
  };
}
