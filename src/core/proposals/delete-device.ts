// Deletes a device.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Declines (`not_found`, `precondition_failed`). */
export function deleteDevice(target: Target): Proposal {
  return (view) => [deleted(targetIn(view, 'Device', target))];
}
