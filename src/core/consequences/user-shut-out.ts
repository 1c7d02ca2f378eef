// A user who is suspended is signed out everywhere; and a new password or address makes the links worthless that were mailed before.

import { type Change, changesOf, deleted } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const userShutOut: Consequence = function* (changes, _before, after): Iterable<Change> {
  for (const { before, after: now } of changesOf(changes, 'User')) {
    if (!before || !now) continue;
    if (now.spec.suspended && !before.spec.suspended)
      for (const session of referrers(after, 'Session', now)) yield deleted(session);
    for (const link of referrers(after, 'ActionToken', now)) if (isWorthless(link, before, now)) yield deleted(link);
  }
};

/**
 * A link that was mailed to one's own address is done once that is verified. One to another address, and one that sets a password, ends with the
 * password or address that the user had then: whoever asked for it may be whom they were changed against.
 */
function isWorthless({ spec }: Resource<'ActionToken'>, before: Resource<'User'>, now: Resource<'User'>): boolean {
  if (now.spec.suspended) return true;
  if (spec.purpose === 'verify-email' && spec.email === now.spec.email) return now.spec.emailVerified;
  return before.spec.passwordHash !== now.spec.passwordHash || before.spec.email !== now.spec.email;
}
