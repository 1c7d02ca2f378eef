// Revokes a token for the HTTP endpoints of an instance.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Of an instance, by its id. Declines (`not_found`, also for those of other instances; `precondition_failed`). */
export function deleteHttpToken(instance: string, target: Target): Proposal {
  return (view) => [deleted(targetIn(view, 'HttpToken', target, ({ spec }) => spec.instance === instance))];
}
