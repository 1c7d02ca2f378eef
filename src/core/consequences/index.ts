// The registry of consequences: what has to change because something else does, whoever changed it.
import type { Change } from '../model/change.ts';
import { overlay } from '../model/overlay.ts';
import type { State } from '../model/state.ts';
import type { View } from '../model/view.ts';
import { boundElsewhere } from './bound-elsewhere.ts';
import type { Consequence } from './consequence.ts';
import { joined } from './joined.ts';
import { snapshotsGone } from './snapshots-gone.ts';
import { statisticsSwitchedOff } from './statistics-switched-off.ts';
import { teamGone } from './team-gone.ts';
import { userGone } from './user-gone.ts';
import { userShutOut } from './user-shut-out.ts';

/** Every consequence. None follows from another. */
export const consequences: readonly Consequence[] = [
  userGone,
  userShutOut,
  boundElsewhere,
  teamGone,
  snapshotsGone,
  joined,
  statisticsSwitchedOff,
];

/** The changes with all that follows from them, each resource once; and how the state looks then. */
export function withConsequences(
  before: View,
  changes: readonly Change[],
): { readonly changes: readonly Change[]; readonly after: State } {
  const after = overlay(before, changes);
  const more: Change[] = [];
  for (const follow of consequences) for (const change of follow(changes, before, after)) more.push(change);
  if (more.length === 0) return { changes, after };
  const touched = new Set(changes.map(({ id }) => id));
  const fresh = more.filter(({ id }) => !touched.has(id) && touched.add(id));
  after.apply(fresh);
  return { changes: [...changes, ...fresh], after };
}
