// With a user go tokens, sessions, links in mails, memberships, and invitations to and from them.

import { type Change, changesOf, deleted } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

const belongings = ['Token', 'Session', 'ActionToken', 'Membership', 'Invitation'] as const;

export const userGone: Consequence = function* (changes, _before, after): Iterable<Change> {
  for (const { before, after: kept } of changesOf(changes, 'User'))
    if (before && !kept)
      for (const kind of belongings) for (const one of referrers(after, kind, before)) yield deleted(one);
};
