// Judges a sign-in by a local password, in the commit that counts it, so that guesses at the same time are counted one by one.
import type { Change } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { DeclaredResource, Resource } from '../model/resource.ts';
import { activeSsoOf, bindingSso } from '../model/sso.ts';
import { isUnclaimed } from '../model/unclaimed.ts';
import type { View } from '../model/view.ts';
import { begunSession, type NewSession } from './begin-session.ts';
import { failedSignIn, isLocked } from './failed-sign-in.ts';
import { issuedLink, wasMailedLately } from './issue-action-token.ts';

/**
 * A username or address as it was typed, and what the password came to: `user` is the id of whom it named, `compared` the hash that the password
 * was compared with, `right` whether it fits. `link` is the hash for a link that verifies the address, where mail can be sent.
 */
export interface SignInAttempt {
  readonly typed: string;
  readonly user?: string;
  readonly compared?: string;
  readonly right: boolean;
  readonly session: NewSession;
  readonly link?: string;
}

/**
 * What comes of it. `refused`: nobody is told why. `elsewhere`: only `sso` says who it is, because the domain is its own. `unverified`: right, but the address was never
 * verified; with `link` among the changes a mail is due.
 */
export type SignInVerdict = { readonly changes: readonly Change[] } & (
  | { readonly outcome: 'signed-in' | 'unverified'; readonly user: Resource<'User'> }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'elsewhere'; readonly sso: DeclaredResource<'SsoConfig'> }
);

/** The verdict on an attempt. Pure: it may be asked again when somebody else was first. */
export function judgeSignIn(attempt: SignInAttempt, view: View, context: Context): SignInVerdict {
  const { typed, session } = attempt;
  const user = attempt.user === undefined ? undefined : view.get('User', attempt.user);
  const announced = announcedTo(view, typed);
  if (!user || user.spec.suspended) return refused(announced);
  const [{ address }, { now }] = [session, context];
  if (isLocked(user, address, now)) return refused(announced);
  // One answer and one count for any password where none is taken: whoever guesses learns nothing.
  const isGood = isRightPassword(attempt, user) && bindingSso(view, user) === undefined;
  if (!isGood) return refused(announced, [failedSignIn(view, user, { address, now })]);
  if (isUnproven(user)) return unverified(attempt, user, view, context);
  return { outcome: 'signed-in', user, changes: begunSession(view, user, session, context) };
}

/** Whoever types an address is sent to the identity provider of its domain, whether or not it is somebody's. A directory is asked right here. */
function announcedTo(view: View, typed: string): DeclaredResource<'SsoConfig'> | undefined {
  const sso = typed.includes('@') ? activeSsoOf(view, typed) : undefined;
  return sso?.spec.provider === 'saml' ? sso : undefined;
}

/** Whoever registers shows first that the address is theirs. One who has been in may have changed it where no mail can be sent. */
export function isUnproven({ spec }: Resource<'User'>): boolean {
  return !spec.emailVerified && spec.lastSignInAt === null;
}

/** A password that was changed while it was compared is compared with nothing. */
function isRightPassword({ right, compared }: SignInAttempt, { spec }: Resource<'User'>): boolean {
  return right && compared !== undefined && spec.passwordHash === compared;
}

function refused(sso: DeclaredResource<'SsoConfig'> | undefined, changes: readonly Change[] = []): SignInVerdict {
  return sso ? { outcome: 'elsewhere', sso, changes } : { outcome: 'refused', changes };
}

/** By its username alone: whose the address is nobody knows yet, and whoever registered with it must not learn whether it was taken. */
function unverified(
  { typed, link }: SignInAttempt,
  user: Resource<'User'>,
  view: View,
  context: Context,
): SignInVerdict {
  if (typed.includes('@')) return refused(undefined);
  const isDue = link !== undefined && !isUnclaimed(user) && !wasMailedLately(view, user, 'verify-email', context.now);
  const { email } = user.spec;
  const changes = isDue ? issuedLink(view, user, { purpose: 'verify-email', email, hash: link }, context) : [];
  return { outcome: 'unverified', user, changes };
}
