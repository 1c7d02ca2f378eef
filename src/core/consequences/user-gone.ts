// With a user go tokens, sessions, links in mails, memberships, and invitations to and from them.
import { changesOf, deleted, follows } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

const belongings = ['Token', 'Session', 'ActionToken', 'Membership', 'Invitation'] as const;

export const userGone: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'User')) {
    const { before, after: kept } = change;
    if (!before || kept) continue;
    for (const kind of belongings)
      for (const one of referrers(after, kind, before))
        yield follows(deleted(one), change, `the user ${before.name} is deleted`);
  }
};
