// With an instance or a device go its snapshots.
import { wordsOf } from '../kinds/words.ts';
import { changesOf, deleted, follows } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const snapshotsGone: Consequence = function* (changes, _before, after) {
  for (const kind of ['Instance', 'Device'] as const)
    for (const change of changesOf(changes, kind)) {
      const { before, after: kept } = change;
      if (!before || kept) continue;
      const reason = `its ${wordsOf(kind)} ${before.name} is deleted`;
      for (const one of referrers(after, 'Snapshot', before)) yield follows(deleted(one), change, reason);
    }
};
