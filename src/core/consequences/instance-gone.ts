// With an instance go the tokens for its HTTP endpoints.
import { changesOf, deleted, follows } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const instanceGone: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'Instance')) {
    const { before, after: kept } = change;
    if (!before || kept) continue;
    for (const one of referrers(after, 'HttpToken', before))
      yield follows(deleted(one), change, `the instance ${before.name} is deleted`);
  }
};
