// Verifies an address by the link that was mailed to it. Where it is a new address, it becomes that of the user now, who is signed in and confirms it.
import { because, type Change, deleted, updated } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { activeSsoOf, bindingSso } from '../model/sso.ts';
import { settled } from '../model/unsettled-email.ts';
import type { View } from '../model/view.ts';
import { wrongPassword } from './current-password.ts';
import { Declined } from './declined.ts';
import { isLocked } from './failed-sign-in.ts';
import { goodLink, undoLink } from './issue-action-token.ts';
import { isUnproven } from './sign-in.ts';
import { isAskedFor } from './update-self.ts';
import { changedUser, endedSessions } from './update-user.ts';

/**
 * `hash` is that of the link's token, `undoHash` that for a link to the old address; `by` who is signed in: the ids of user and session. `verified` is
 * the hash that the password of the account was compared with, where it was given and fits, and `address` from where.
 */
export interface Verification {
  readonly hash: string;
  readonly undoHash: string;
  readonly by?: { readonly user: string; readonly session: string } | undefined;
  readonly verified?: string | undefined;
  readonly address: string;
}

/**
 * The address that an account was registered with needs whoever registered, signed in or by the password: the owner of the address may open the link
 * without a thought, and the account be somebody else's. A new address needs its owner, signed in: who else opens the link changes nothing by it. It ends their other sessions, and the old address gets a
 * link that takes it back. Declines: `invalid_request` for a link that is not good, `unauthorized` for who is not signed in; `forbidden` for
 * somebody else, and where single sign-on gives the address.
 */
export function verifyEmail(verification: Verification): Proposal {
  const { hash, undoHash, by } = verification;
  return (view, context) => {
    const link = goodLink(view, 'verify-email', hash, context.now);
    const user = view.get('User', link.spec.user);
    if (!user) return [deleted(link)];
    const { email } = link.spec;
    if (email === user.spec.email) {
      requireRegistrant(user, verification, context.now);
      return [...verified(view, user, email, context), deleted(link)];
    }
    const { session } = requireOwner(user, by);
    if (!isAskedFor(view, link, context.now)) throw askedByNobody();
    refuseForeign(view, user, email);
    return [
      ...verified(view, user, email, context),
      deleted(link),
      ...endedSessions(view, user, session),
      ...undoLink(view, user, undoHash, context),
    ];
  };
}

function requireRegistrant(user: Resource<'User'>, { by, verified, address }: Verification, now: string): void {
  if (by?.user === user.id) return;
  if (verified === undefined)
    throw new Declined(
      'unauthorized',
      'the address cannot be confirmed by its link alone, because somebody else may have registered with it: give the password of the account, too, or sign in to it. If it was not you who registered, do nothing',
    );
  if (verified !== user.spec.passwordHash || isLocked(user, address, now)) throw wrongPassword('confirmation');
}

function requireOwner(user: Resource<'User'>, by: Verification['by']): NonNullable<Verification['by']> {
  if (!by)
    throw new Declined(
      'unauthorized',
      'the new address cannot be confirmed without a session: sign in to the account whose address it becomes, and confirm it then',
    );
  if (by.user === user.id) return by;
  throw new Declined(
    'forbidden',
    'the new address cannot be confirmed, because it is for another account than the one that is signed in: sign in to that one',
  );
}

function askedByNobody(): Declined {
  return new Declined(
    'invalid_request',
    'the new address cannot be confirmed, because the session that asked for it has ended: give the address again in the settings of your account',
  );
}

/**
 * An address that was never proved, of a domain with single sign-on, has a password that anybody may have given who registered with it: it goes, so
 * that it opens nothing on the day on which its owner becomes an admin, or the domain signs in here again.
 */
function verified(view: View, user: Resource<'User'>, email: string, context: Context): Change[] {
  const proved = { email, emailVerified: true, ...settled(user) };
  const sso = isUnproven(user) ? bindingSso(view, user) : undefined;
  if (!sso || user.spec.passwordHash === undefined) return changedUser(user, { spec: proved }, context);
  const { passwordHash: _, ...spec } = user.spec;
  const after = { ...user, spec: { ...spec, ...proved }, generation: user.generation + 1, updatedAt: context.now };
  const why = `${sso.spec.emailDomain} signs in through ${addressOf(sso)}, so the password that was given at registration is gone`;
  return [because(updated(user, after), why)];
}

/**
 * Users of a domain with single sign-on keep the address that it knows them by (specification 2.8). And nobody brings an account there by a link:
 * whoever signs in with that address would be given the account, and somebody else holds its tokens.
 */
function refuseForeign(view: View, user: Resource<'User'>, email: string): void {
  const sso = bindingSso(view, user) ?? (user.spec.admin ? undefined : activeSsoOf(view, email));
  if (sso)
    throw new Declined(
      'forbidden',
      `the address cannot be changed, because ${sso.spec.emailDomain} signs in through single sign-on (${sso.name}): ask an administrator`,
    );
}
