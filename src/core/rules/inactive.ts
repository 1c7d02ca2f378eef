// inactive: what is switched off is not chosen for anything new; what uses it already is not touched (specification 2.4).
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { type Rule, violation, written } from './rule.ts';

export const inactive: Rule = {
  id: 'inactive',
  refuses: 'choosing an inactive team type, instance type, stack or template for something new',
  perChange: true,
  *check(batch) {
    const { after: view } = batch;
    for (const { before, after } of written(batch, 'Team'))
      if (before?.spec.type !== after.spec.type) yield* judge(view, after, 'type', 'TeamType', after.spec.type);
    for (const { before, after } of written(batch, 'Instance'))
      for (const [field, kind] of choices)
        if (before?.spec[field] !== after.spec[field] && !(field === 'stack' && goesBack(before, after)))
          yield* judge(view, after, field, kind, after.spec[field]);
  },
};

/** An upgrade that fails goes back to where it came from: that is nothing new. */
function goesBack(before: Resource<'Instance'> | undefined, { spec }: Resource<'Instance'>): boolean {
  return before?.spec.previousStack === spec.stack;
}

const choices = [
  ['instanceType', 'InstanceType'],
  ['template', 'Template'],
  ['stack', 'Stack'],
] as const;

function* judge(
  view: View,
  chooser: Resource,
  field: string,
  kind: 'TeamType' | (typeof choices)[number][1],
  id: string,
): Iterable<Finding> {
  const chosen = view.get(kind, id);
  if (!chosen || chosen.spec.active) return;
  const what = `${field} cannot be ${chosen.name}, because ${addressOf(chosen)} has "active: false": choose one that is active`;
  yield violation('inactive', chooser, `/${field}`, what);
}
