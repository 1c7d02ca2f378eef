// Deletes, through the API, a resource of a kind that documents declare.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { currentOf, type DeclaredWrite, missing, requireExpected } from './put-declared.ts';

/** Declines (`not_found`, `precondition_failed`). */
export function deleteDeclared(target: Pick<DeclaredWrite, 'kind' | 'name' | 'expected'>): Proposal {
  return (view) => {
    const current = currentOf(view, target);
    if (!current) throw missing(target);
    requireExpected(target, current);
    return [deleted(current)];
  };
}
