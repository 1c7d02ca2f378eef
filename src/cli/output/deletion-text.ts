// Deletions for people: one line each, for what it was and where it stood, so that many of them can be read.
import type { PlannedChange } from '../../core/plan/plan-document.ts';
import { wantedAction } from '../../core/plan/wanted-action.ts';
import { planGuards } from '../../core/rules/plan-guards.ts';
import { amount } from './findings-text.ts';

/** Whether a change deletes, or would. */
export function isDeletion(change: PlannedChange): boolean {
  return wantedAction(change) === 'delete';
}

/** `was stacks/nr-4.yaml:1`: where its document stood. Nothing where nobody knows. */
export function formerPlace({ previousSource }: PlannedChange): string | undefined {
  return previousSource && `${previousSource.file}:${previousSource.line}`;
}

/** How much goes with it: `6 fields`. */
export function fieldCount({ fields }: PlannedChange): string {
  return amount(fields.length, 'field');
}

/** The rules that forbid a change for itself: one that guards the plan as a whole speaks of all its deletions, and is told once. */
export function ownRules(change: PlannedChange): readonly string[] {
  const rules = [...new Set((change.blockedBy ?? []).map(({ rule }) => rule))];
  return isDeletion(change) ? rules.filter((rule) => !planGuards.has(rule)) : rules;
}

/** How many deletions each rule forbids that guards the plan as a whole. */
export function guardedCounts(changes: readonly PlannedChange[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const change of changes.filter(isDeletion))
    for (const rule of new Set((change.blockedBy ?? []).map((finding) => finding.rule)))
      if (planGuards.has(rule)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}
