// protected: what lifecycle.protect guards is not deleted, by any way in.
import { isDeclaredKind } from '../kinds/index.ts';
import type { DeclaredResource, Resource } from '../model/resource.ts';
import { type Rule, violation } from './rule.ts';

export const protection: Rule = {
  id: 'protected',
  refuses: 'deleting what lifecycle.protect guards',
  perChange: true,
  *check(batch) {
    for (const { before, after } of batch.changes)
      if (before && !after && isDeclared(before) && before.lifecycle.protect)
        yield violation(
          'protected',
          before,
          '',
          'cannot be deleted, because lifecycle.protect guards it: apply "protect: false" first, and delete it in a later revision',
        );
  },
};

/** Whether a document declares a resource. */
export function isOfTree(resource: Resource): resource is DeclaredResource {
  return isDeclared(resource) && resource.managedBy === 'config';
}

/** Whether a resource is of a kind that documents declare. */
export function isDeclared(resource: Resource): resource is DeclaredResource {
  return isDeclaredKind(resource.kind);
}
