// mass-delete: a plan that deletes much needs the exact number as consent. The limits are those applied before, not the tree's.
import { declaredKindNames } from '../kinds/index.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import { howToAllowDeletes } from './how-to-consent.ts';
import { isDeclared } from './protected.ts';
import { counted, type Rule, some, violation } from './rule.ts';

/** Below this many declared objects a share says nothing. */
const fewObjects = 5;

export const massDelete: Rule = {
  id: 'mass-delete',
  refuses:
    'a plan that deletes more than maxDeletes.count, or, once 5 objects are declared, more than maxDeletes.percent of them',
  *check(batch) {
    if (batch.door !== 'config') return;
    const deleted = batch.changes.flatMap(({ before, after }) =>
      before && !after && isDeclared(before) ? [before] : [],
    );
    const deletions = deleted.length;
    const { allowDeletes } = batch.consents;
    if (allowDeletes !== undefined && allowDeletes !== deletions)
      yield refuse(
        `this plan cannot be applied, because it deletes ${counted(deletions, 'object')}${namesOf(deleted)} and ${allowDeletes} were consented to: look at the plan again`,
      );
    else if (allowDeletes === undefined && deletions > 0) yield* overLimit(batch.before, deleted);
  },
};

function* overLimit(before: View, deleted: readonly Resource[]): Iterable<Finding> {
  const deletions = deleted.length;
  const { count, percent } = singleton(before, 'Platform').spec.reconcile.maxDeletes;
  const declared = countDeclared(before);
  const consent = howToAllowDeletes(deletions);
  const cannot = `this plan cannot delete ${deletions} of ${counted(declared, 'declared object')}${namesOf(deleted)}`;
  if (deletions > count) yield refuse(`${cannot}, because reconcile.maxDeletes.count is ${count}: ${consent}`);
  else if (declared >= fewObjects && deletions * 100 > percent * declared)
    yield refuse(`${cannot}, because reconcile.maxDeletes.percent is ${percent}: ${consent}`);
}

/** ` (Stack/a, Stack/b and 3 more)`: what would go, in the order in which people look for names; nothing where nothing goes. */
function namesOf(deleted: readonly Resource[]): string {
  if (deleted.length === 0) return '';
  const names = deleted.map(addressOf).sort(byName.compare);
  return ` (${some(names, names.length, mostNames)})`;
}

const byName = new Intl.Collator('en', { numeric: true });
const mostNames = 20;

function refuse(what: string): Finding {
  return violation('mass-delete', { kind: 'Platform', name: 'platform' }, '/spec/reconcile/maxDeletes', what);
}

function countDeclared(view: View): number {
  let count = 0;
  for (const kind of declaredKindNames)
    for (const resource of view.all(kind)) if (resource.managedBy === 'config') count++;
  return count;
}
