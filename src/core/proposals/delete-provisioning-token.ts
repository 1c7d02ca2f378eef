// Revokes a provisioning token.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Of a team, by its id. Declines (`not_found`, also for those of other teams; `precondition_failed`). */
export function deleteProvisioningToken(team: string, target: Target): Proposal {
  return (view) => [deleted(targetIn(view, 'ProvisioningToken', target, ({ spec }) => spec.team === team))];
}
