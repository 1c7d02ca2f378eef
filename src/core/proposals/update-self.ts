// Changes what users may change of themselves. A new address is theirs once they have opened a link that went to it.
import { type Change, deleted } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { activeSsoOf, bindingSso } from '../model/sso.ts';
import { isEmailUnsettled, settled } from '../model/unsettled-email.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { requireCurrentPassword } from './current-password.ts';
import { Declined } from './declined.ts';
import { issueActionToken, type NewLink, wasMailedLately } from './issue-action-token.ts';
import { type Target, targetIn } from './target.ts';
import { changedUser, endedSessions } from './update-user.ts';

/** What changes; what is absent stays. `linkHash` is the SHA-256 of the token in the link that goes to a new address. */
export interface SelfUpdate extends Target {
  readonly username?: string | undefined;
  readonly displayName?: string | undefined;
  readonly email?: string | undefined;
  readonly linkHash: string;
  /** What a new address needs: the id of the session that asks, and the hash that the current password was compared with. */
  readonly session?: string | undefined;
  readonly verified?: string | undefined;
  /** Where it was asked from. */
  readonly address: string;
}

/**
 * A new address waits for its link; while email is off it is taken at once, and not verified. The address that they have gives up one that
 * waits, and is sent a link where it was never verified, or opens nothing yet. Declines (`not_found`, `precondition_failed`; `conflict` where single sign-on knows
 * the address, or a link went out less than a minute ago; and as `requireCurrentPassword` does). Whatever a session asked for ends with it.
 */
export function updateSelf(update: SelfUpdate): Proposal {
  return (view, context) => {
    const user = targetIn(view, 'User', update);
    const { username: name, displayName, email = user.spec.email } = update;
    const isNew = email !== user.spec.email;
    if (isNew) requireChangeable(view, user, email);
    if (isNew) requireProved(view, user, update, context.now);
    const isAtOnce = isNew && !isEmailOn(view);
    const spec = { displayName, ...(isAtOnce ? { email, emailVerified: false, ...settled(user) } : {}) };
    const { linkHash: hash, session } = update;
    const links = update.email === undefined ? [] : linkChanges(view, user, { email, hash, session }, context);
    const ended = isAtOnce ? endedSessions(view, user, session) : [];
    return [...changedUser(user, { name, spec }, context), ...links, ...ended];
  };
}

/** The address that waits for its link to be opened; nothing where there is none. */
export function pendingEmail(view: View, user: Resource<'User'>, now: string): string | undefined {
  return waiting(view, user).find((link) => link.spec.expiresAt > now && isAskedFor(view, link, now))?.spec.email;
}

/** Whether the session that asked for another address is still there: what was begun with it ends with it. */
export function isAskedFor(view: View, { spec }: Resource<'ActionToken'>, now: string): boolean {
  const session = spec.session === undefined ? undefined : view.get('Session', spec.session);
  return session !== undefined && session.spec.user === spec.user && session.spec.expiresAt > now;
}

/** A session alone may be somebody's who found a browser open. */
function requireProved(
  view: View,
  user: Resource<'User'>,
  { session, verified, address }: SelfUpdate,
  now: string,
): void {
  if (session === undefined)
    throw new Declined('forbidden', 'the email address cannot be changed without a session: sign in');
  requireCurrentPassword(view, user, { verified, guarded: 'address', address, now });
}

function waiting(view: View, user: Resource<'User'>): Resource<'ActionToken'>[] {
  return [...referrers(view, 'ActionToken', user)].filter(
    ({ spec }) => spec.purpose === 'verify-email' && spec.email !== user.spec.email,
  );
}

function linkChanges(
  view: View,
  user: Resource<'User'>,
  asked: Pick<NewLink, 'email' | 'hash' | 'session'>,
  context: Context,
): readonly Change[] {
  const purpose = 'verify-email';
  const { email, hash } = asked;
  // A link to the address that they have proves that it is theirs, whoever asked for it.
  const session = email === user.spec.email ? undefined : asked.session;
  const isSettled = email === user.spec.email && user.spec.emailVerified && !isEmailUnsettled(user, context.now);
  if (isEmailOn(view) && !isSettled)
    return issueActionToken({ user: user.id, purpose, email, hash, session })(view, context);
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
