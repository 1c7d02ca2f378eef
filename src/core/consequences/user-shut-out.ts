// A user who is suspended is signed out everywhere; and a new password or address makes the links worthless that were mailed before.
import { changesOf, deleted, follows } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const userShutOut: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'User')) {
    const { before, after: now } = change;
    if (!before || !now) continue;
    if (now.spec.suspended && !before.spec.suspended)
      for (const session of referrers(after, 'Session', now)) yield follows(deleted(session), change, suspended(now));
    for (const link of referrers(after, 'ActionToken', now)) {
      const why = whyWorthless(link, before, now);
      if (why !== undefined) yield follows(deleted(link), change, why);
    }
  }
};

/**
 * A link that was mailed to one's own address is done once that is verified. One to another address, and one that sets a password, ends with the
 * password or address that the user had then: whoever asked for it may be whom they were changed against.
 */
function whyWorthless(
  { spec }: Resource<'ActionToken'>,
  before: Resource<'User'>,
  now: Resource<'User'>,
): string | undefined {
  // It is there for the case that somebody else changes all of that.
  if (spec.purpose === 'restore-email') return undefined;
  if (now.spec.suspended) return suspended(now);
  if (spec.purpose === 'verify-email' && spec.email === now.spec.email)
    return now.spec.emailVerified ? 'the address is verified' : undefined;
  if (before.spec.passwordHash !== now.spec.passwordHash) return 'the password was changed';
  return before.spec.email === now.spec.email ? undefined : 'the email address was changed';
}

function suspended({ name }: Resource<'User'>): string {
  return `the user ${name} is suspended`;
}
