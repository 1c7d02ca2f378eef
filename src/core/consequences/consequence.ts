// What a consequence is: a pure look at changes that names what else has to change with them, in the same commit.
import type { KindName } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { View } from '../model/view.ts';

/** From changes, and the state before and after them, to what follows. Looks at resources of its own kinds alone, so that others cost nothing. */
export type Consequence = (changes: readonly Change[], before: View, after: View) => Iterable<Change>;

/** The changes of one kind, with types. */
export function* changesOf<K extends KindName>(changes: readonly Change[], kind: K): Iterable<Change<K>> {
  for (const change of changes as unknown as readonly Change<K>[]) if (change.kind === kind) yield change;
}
