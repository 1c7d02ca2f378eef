// duplicate-object: one resource a kind and name. Documents that declare one twice are found while the tree is read.
import { isDeclaredKind } from '../kinds/index.ts';
import { nameKey } from '../model/view.ts';
import { type Rule, violation } from './rule.ts';

export const duplicateObject: Rule = {
  id: 'duplicate-object',
  refuses: 'one kind and name declared twice, or made where there is one already',
  perChange: true,
  *check(batch) {
    for (const { kind, before, after } of batch.changes) {
      if (!after || !isDeclaredKind(kind) || before?.name === after.name) continue;
      if (batch.after.countHaving(kind, nameKey(after.name)) > 1)
        yield violation('duplicate-object', after, '', 'cannot be made, because there is one of this name already');
    }
  },
};
