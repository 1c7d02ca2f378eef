// stack-in-use: a stack that instances use can neither be deleted nor be given another runtime or resources (specification 2.5).
import type { Finding } from '../model/finding.ts';
import { sameValue } from '../model/leaves.ts';
import { countReferrers } from '../model/view.ts';
import { counted, type Removed, type Rule, removed, violation, type Written, written } from './rule.ts';

export const stackInUse: Rule = {
  id: 'stack-in-use',
  refuses: 'deleting a stack that instances use, or editing its runtime or resources',
  *check(batch) {
    for (const change of removed(batch, 'Stack'))
      yield* deletion(change, countReferrers(batch.after, 'Instance', change.before));
    for (const change of written(batch, 'Stack'))
      if (change.before) yield* edits(change, change.before, countReferrers(batch.after, 'Instance', change.before));
  },
};

function* deletion({ before }: Removed<'Stack'>, users: number): Iterable<Finding> {
  if (users === 0) return;
  const instead = `move ${users === 1 ? 'it' : 'them'} to another stack first`;
  yield violation('stack-in-use', before, '', `cannot be deleted, because ${use(users)} it: ${instead}`);
}

function* edits({ after }: Written<'Stack'>, before: Removed<'Stack'>['before'], users: number): Iterable<Finding> {
  if (users === 0) return;
  const instead = `declare a new Stack with "replaces: ${after.name}" instead`;
  for (const field of ['runtime', 'resources'] as const)
    if (!sameValue(before.spec[field], after.spec[field])) {
      const what = `${field} cannot change, because ${use(users)} it: ${instead}`;
      yield violation('stack-in-use', after, `/spec/${field}`, what);
    }
}

function use(users: number): string {
  return `${counted(users, 'instance')} use${users === 1 ? 's' : ''}`;
}
