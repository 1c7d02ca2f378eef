// The rules that guard a plan as a whole: what they say is of its deletions, and of no line of the tree.
import type { Change } from '../model/change.ts';
import { isOfTree } from './protected.ts';
import type { RuleId } from './rule.ts';

/** Their ids. */
export const planGuards: ReadonlySet<string> = new Set<RuleId>(['mass-delete', 'vanished']);

/** Whether a guard that refuses a plan blocks one of its changes: a deletion, or (vanished) the end of a document that lets its object go. */
export function blocksChange(rule: string, { before, after }: Pick<Change, 'before' | 'after'>): boolean {
  if (!after) return planGuards.has(rule);
  return rule === 'vanished' && before !== undefined && isOfTree(before) && !isOfTree(after);
}
