// Deletions for people: one line each, for what it was and where it stood, so that many of them can be read.
import type { PlannedChange } from '../../core/plan/plan-document.ts';
import { wantedAction } from '../../core/plan/wanted-action.ts';
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

/** The rules that forbid a change for itself: a guard against many deletions at once speaks of all of them, and is told once. */
export function ownRules({ blockedBy = [] }: PlannedChange): readonly string[] {
  return [...new Set(blockedBy.map(({ rule }) => rule))].filter((rule) => rule !== guard);
}

/** The changes that the guard against many deletions forbids. */
export function guarded(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  return changes.filter(({ blockedBy = [] }) => blockedBy.some(({ rule }) => rule === guard));
}

const guard = 'mass-delete';
