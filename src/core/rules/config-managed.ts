// config-managed: what a document declares is changed in that document, not through the API.
import { sameSpec, sameValue } from '../model/leaves.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { withLeaves } from '../model/spec-from.ts';
import { isDeclared } from './protected.ts';
import { type Rule, violation } from './rule.ts';

export const configManaged: Rule = {
  id: 'config-managed',
  refuses: 'an API write that would change or delete an object that a document declares',
  perChange: true,
  *check(batch) {
    if (batch.door === 'tree' || batch.door === 'config') return;
    for (const { before, after } of batch.changes) {
      if (!before || !isDeclared(before) || before.managedBy !== 'config') continue;
      if (after && isDeclared(after) && onlyIgnoredFields(before, after)) continue;
      const { file, line } = before.source ?? { file: 'the tree', line: 1 };
      const found = violation(
        'config-managed',
        before,
        '',
        `cannot be ${after ? 'changed' : 'deleted'} through the API, because ${file}:${line} declares it: edit it there${after ? ` (weir export ${addressOf(before)} --with CHANGE.json shows how)` : ''}`,
      );
      yield { ...found, source: { file, line, column: 1, endLine: line, endColumn: 1 } };
    }
  },
};

/** A document may leave fields to the API (`lifecycle.ignore`); anything beyond them is the document's. */
function onlyIgnoredFields(before: DeclaredResource, after: DeclaredResource): boolean {
  const same = (field: 'name' | 'labels' | 'lifecycle' | 'managedBy') => sameValue(before[field], after[field]);
  if (!same('name') || !same('labels') || !same('lifecycle') || !same('managedBy')) return false;
  return sameSpec(before.kind, withLeaves(before.kind, after.spec, before.spec, before.lifecycle.ignore), before.spec);
}
