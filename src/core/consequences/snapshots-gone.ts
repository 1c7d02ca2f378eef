// With an instance or a device go its snapshots.
import { type Change, changesOf, deleted } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const snapshotsGone: Consequence = function* (changes, _before, after): Iterable<Change> {
  for (const kind of ['Instance', 'Device'] as const)
    for (const { before, after: kept } of changesOf(changes, kind))
      if (before && !kept) for (const one of referrers(after, 'Snapshot', before)) yield deleted(one);
};
