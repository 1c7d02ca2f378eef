// Where the statistics are closed to tokens, there is no token for them: opening them again does not revive it (specification 4.3).
import { changesOf, deleted, follows } from '../model/change.ts';
import { singleton } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const statisticsSwitchedOff: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'AdminSettings'))
    if (!singleton(after, 'AdminSettings').spec.statisticsTokenAccess)
      for (const token of after.all('StatisticsToken'))
        yield follows(deleted(token), change, 'statisticsTokenAccess is off');
};
