// Deletes an instance: what a driver holds for it goes first, and then its record.
import { driverProblem } from '../instances/around.ts';
import { standing } from '../instances/standing.ts';
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { singleton } from '../model/view.ts';
import { put } from './act-on-instance.ts';
import { refuseWhileTargeted } from './chosen-snapshot.ts';
import type { Drivers } from './create-instance.ts';
import { snapshotsOf } from './create-snapshot.ts';
import { type InstanceTarget, targeted } from './update-instance.ts';

/**
 * It is gone at once where there is no driver that could hold anything. Declines (`not_found`, `precondition_failed`; `conflict` while devices
 * should run one of its snapshots).
 */
export function deleteInstance(target: InstanceTarget, drivers: Drivers): Proposal {
  return (view, context) => {
    const current = targeted(view, target);
    const { state, desired } = current.spec;
    refuseWhileTargeted(view, snapshotsOf(view, current), `the instance ${current.name} cannot be deleted`);
    if (driverProblem(singleton(view, 'Platform').spec.driver, drivers) !== undefined) return [deleted(current)];
    if (state === 'deleting') return [];
    return [put(current, standing(current.spec, { state: 'deleting', desired }, context.now), context)];
  };
}
