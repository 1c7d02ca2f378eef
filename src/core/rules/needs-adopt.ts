// needs-adopt: a document changes an object made through the API only with consent; an equal one is adopted silently.
import { differences, leavesOf, sameValue } from '../model/leaves.ts';
import { readable } from '../model/pointer.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { howToAdopt } from './how-to-consent.ts';
import { isDeclared } from './protected.ts';
import { type Rule, some, violation } from './rule.ts';

export const needsAdopt: Rule = {
  id: 'needs-adopt',
  refuses: 'a document that would change an object made through the API',
  perChange: true,
  *check(batch) {
    if (batch.door !== 'config') return;
    for (const { before, after } of batch.changes) {
      if (!before || !after || !isDeclared(before) || !isDeclared(after)) continue;
      const address = addressOf(after);
      if (before.managedBy !== 'api' || after.managedBy !== 'config' || batch.consents.adopt.has(address)) continue;
      const changed = changedFields(before, after);
      if (changed.length > 0)
        yield violation(
          'needs-adopt',
          after,
          '',
          `cannot be changed by its document, because it was made through the API (this would change ${some(changed, changed.length)}): ${howToAdopt(address)}`,
        );
    }
  },
};

function changedFields(before: DeclaredResource, after: DeclaredResource): string[] {
  const fields = differences(leavesOf(before.kind, before.spec), leavesOf(after.kind, after.spec)).map(({ path }) =>
    readable(path),
  );
  const envelope = (['name', 'labels', 'lifecycle'] as const).filter(
    (field) => !sameValue(before[field], after[field]),
  );
  return [...fields, ...envelope];
}
