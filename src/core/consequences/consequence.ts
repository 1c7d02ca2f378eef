// What a consequence is: a pure look at changes that names what else has to change with them, in the same commit.
import type { Change, Following } from '../model/change.ts';
import type { View } from '../model/view.ts';

/**
 * From changes, and the state before and after them, to what follows; nothing is a place where a long look may be interrupted. Looks at resources
 * of its own kinds alone, so that others cost nothing.
 */
export type Consequence = (
  changes: readonly Change[],
  before: View,
  after: View,
) => Generator<Following | undefined, void, void>;
