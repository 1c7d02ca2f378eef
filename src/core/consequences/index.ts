// The registry of consequences: what has to change because something else does, whoever changed it.
import type { Change, Following } from '../model/change.ts';
import type { View } from '../model/view.ts';
import { boundElsewhere } from './bound-elsewhere.ts';
import type { Consequence } from './consequence.ts';
import { instanceGone } from './instance-gone.ts';
import { inviterLostRight } from './inviter-lost-right.ts';
import { joined } from './joined.ts';
import { snapshotsGone } from './snapshots-gone.ts';
import { ssoEnded } from './sso-ended.ts';
import { statisticsSwitchedOff } from './statistics-switched-off.ts';
import { teamGone } from './team-gone.ts';
import { userGone } from './user-gone.ts';
import { userShutOut } from './user-shut-out.ts';

/** Every consequence. None follows from another. */
export const consequences: readonly Consequence[] = [
  userGone,
  userShutOut,
  boundElsewhere,
  ssoEnded,
  teamGone,
  instanceGone,
  snapshotsGone,
  joined,
  inviterLostRight,
  statisticsSwitchedOff,
];

/** All that follows from changes, each resource once, in steps; `after` is the state with the changes. */
export function* consequenceSteps(
  changes: readonly Change[],
  before: View,
  after: View,
): Generator<void, readonly Following[], void> {
  const found: Following[] = [];
  for (const follow of consequences)
    for (const one of follow(changes, before, after))
      if (one) found.push(one);
      else yield;
  if (found.length === 0) return found;
  const touched = new Set(changes.map(({ id }) => id));
  return found.filter(({ change: { id } }) => !touched.has(id) && touched.add(id));
}
