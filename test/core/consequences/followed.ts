// For tests: changes with all that follows from them, and how the state looks then.
import { consequenceSteps } from '../../../src/core/consequences/index.ts';
import type { Change } from '../../../src/core/model/change.ts';
import { overlay } from '../../../src/core/model/overlay.ts';
import type { View } from '../../../src/core/model/view.ts';
import { inOneGo } from '../../../src/lib/steps.ts';

/** The changes, then what follows from them, each resource once. */
export function withConsequences(before: View, changes: readonly Change[]) {
  const after = overlay(before, changes);
  const following = inOneGo(consequenceSteps(changes, before, after)).map(({ change }) => change);
  after.apply(following);
  return { changes: [...changes, ...following], after };
}
