// stack-in-use: a stack that instances use can neither be deleted nor be given another runtime or resources (specification 2.5).
import { sameValue } from '../model/leaves.ts';
import { countReferrers } from '../model/view.ts';
import { counted, type Rule, removed, violation, written } from './rule.ts';

export const stackInUse: Rule = {
  id: 'stack-in-use',
  refuses: 'deleting a stack that instances use, or editing its runtime or resources',
  *check(batch) {
    for (const { before } of removed(batch, 'Stack')) {
      const users = countReferrers(batch.after, 'Instance', before);
      if (users > 0)
        yield violation(
          'stack-in-use',
          before,
          '',
          `cannot be deleted, because ${use(users)} it: move them to another stack first`,
        );
    }
    for (const { before, after } of written(batch, 'Stack')) {
      const users = before ? countReferrers(batch.after, 'Instance', before) : 0;
      if (!before || users === 0) continue;
      const instead = `declare a new Stack with "replaces: ${after.name}" instead`;
      for (const field of ['runtime', 'resources'] as const)
        if (!sameValue(before.spec[field], after.spec[field]))
          yield violation(
            'stack-in-use',
            after,
            `/spec/${field}`,
            `${field} cannot change, because ${use(users)} it: ${instead}`,
          );
    }
  },
};

function use(users: number): string {
  return `${counted(users, 'instance')} use${users === 1 ? 's' : ''}`;
}
