// Changes what users may change of themselves. A new address is theirs once they have opened a link that went to it.
import { type Change, deleted } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { activeSsoOf, bindingSso } from '../model/sso.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { issueActionToken, wasMailedLately } from './issue-action-token.ts';
import { type Target, targetIn } from './target.ts';
import { changedUser } from './update-user.ts';

/** What changes; what is absent stays. `linkHash` is the SHA-256 of the token in the link that goes to a new address. */
export interface SelfUpdate extends Target {
  readonly username?: string | undefined;
  readonly displayName?: string | undefined;
  readonly email?: string | undefined;
  readonly linkHash: string;
}

/**
 * A new address waits for its link; while email is off it is taken at once, and not verified. The address that they have gives up one that
 * waits, and is sent a link where it was never verified. Declines (`not_found`, `precondition_failed`; `conflict` where single sign-on knows
 * the address, or a link went out less than a minute ago).
 */
export function updateSelf(update: SelfUpdate): Proposal {
  return (view, context) => {
    const user = targetIn(view, 'User', update);
    const { username: name, displayName, email = user.spec.email } = update;
    const isNew = email !== user.spec.email;
    if (isNew) requireChangeable(view, user, email);
    const atOnce = isNew && !isEmailOn(view) ? { email, emailVerified: false } : {};
    const links = update.email === undefined ? [] : linkChanges(view, user, { email, hash: update.linkHash }, context);
    return [...changedUser(user, { name, spec: { displayName, ...atOnce } }, context), ...links];
  };
}

/** The address that waits for its link to be opened; nothing where there is none. */
export function pendingEmail(view: View, user: Resource<'User'>, now: string): string | undefined {
  return waiting(view, user).find(({ spec }) => spec.expiresAt > now)?.spec.email;
}

function waiting(view: View, user: Resource<'User'>): Resource<'ActionToken'>[] {
  return [...referrers(view, 'ActionToken', user)].filter(
    ({ spec }) => spec.purpose === 'verify-email' && spec.email !== user.spec.email,
  );
}

function linkChanges(
  view: View,
  user: Resource<'User'>,
  { email, hash }: { readonly email: string; readonly hash: string },
  context: Context,
): readonly Change[] {
  const purpose = 'verify-email';
  const isSettled = email === user.spec.email && user.spec.emailVerified;
  if (isEmailOn(view) && !isSettled) return issueActionToken({ user: user.id, purpose, email, hash })(view, context);
  const given = waiting(view, user);
  // Otherwise giving up and asking again would send as many mails as somebody likes.
  if (given.length > 0 && wasMailedLately(view, user, purpose, context.now))
    throw new Declined(
      'conflict',
      'the new address cannot be given up now, because its link was sent less than a minute ago: try again in a minute',
    );
  return given.map(deleted);
}

function requireChangeable(view: View, user: Resource<'User'>, email: string): void {
  const binding = bindingSso(view, user);
  if (binding)
    throw new Declined(
      'conflict',
      `email cannot change, because ${binding.spec.emailDomain} signs in through single sign-on (${binding.name}): ask an administrator`,
    );
  // Whoever signs in there with that address would be given this account, with tokens that somebody else may hold: an admin moves it.
  const foreign = user.spec.admin && isEmailOn(view) ? undefined : activeSsoOf(view, email);
  if (foreign)
    throw new Declined(
      'conflict',
      `email cannot be ${email}, because ${foreign.spec.emailDomain} signs in through single sign-on (${foreign.name}), which tells whose address that is: ask an administrator`,
    );
}

function isEmailOn(view: View): boolean {
  return singleton(view, 'Platform').spec.email !== undefined;
}
