// mass-delete: a plan that deletes much needs the exact number as consent. The limits are those applied before, not the tree's.
import { declaredKindNames } from '../kinds/index.ts';
import type { Finding } from '../model/finding.ts';
import { singleton, type View } from '../model/view.ts';
import { isDeclared } from './protected.ts';
import { counted, type Rule, violation } from './rule.ts';

/** Below this many declared objects a share says nothing. */
const fewObjects = 5;

export const massDelete: Rule = {
  id: 'mass-delete',
  refuses:
    'a plan that deletes more than maxDeletes.count, or, once 5 objects are declared, more than maxDeletes.percent of them',
  *check(batch) {
    if (batch.door !== 'config') return;
    const deletions = batch.changes.filter(({ before, after }) => before && !after && isDeclared(before)).length;
    const { allowDeletes } = batch.consents;
    if (allowDeletes !== undefined && allowDeletes !== deletions)
      yield refuse(
        `this plan cannot be applied, because it deletes ${counted(deletions, 'object')} and ${allowDeletes} were consented to: look at the plan again`,
      );
    else if (allowDeletes === undefined && deletions > 0) yield* overLimit(batch.before, deletions);
  },
};

function* overLimit(before: View, deletions: number): Iterable<Finding> {
  const { count, percent } = singleton(before, 'Platform').spec.reconcile.maxDeletes;
  const declared = countDeclared(before);
  const consent = `if that is meant, consent with --allow-deletes ${deletions}`;
  const cannot = `this plan cannot delete ${deletions} of ${counted(declared, 'declared object')}`;
  if (deletions > count) yield refuse(`${cannot}, because reconcile.maxDeletes.count is ${count}: ${consent}`);
  else if (declared >= fewObjects && deletions * 100 > percent * declared)
    yield refuse(`${cannot}, because reconcile.maxDeletes.percent is ${percent}: ${consent}`);
}

function refuse(what: string): Finding {
  return violation('mass-delete', { kind: 'Platform', name: 'platform' }, '/spec/reconcile/maxDeletes', what);
}

function countDeclared(view: View): number {
  let count = 0;
  for (const kind of declaredKindNames)
    for (const resource of view.all(kind)) if (resource.managedBy === 'config') count++;
  return count;
}
