// Deletes a device. Its snapshots go with it.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { refuseWhileTargeted } from './chosen-snapshot.ts';
import { snapshotsOf } from './create-snapshot.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`; `conflict` while others should run one of its snapshots). */
export function deleteDevice(target: Target): Proposal {
  return (view) => {
    const current = targetIn(view, 'Device', target);
    refuseWhileTargeted(view, snapshotsOf(view, current), `the device ${current.name} cannot be deleted`, current.id);
    return [deleted(current)];
  };
}
