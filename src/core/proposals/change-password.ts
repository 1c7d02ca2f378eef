// Changes the own password of a user, who knows the old one.
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { failedSignIn, forgiven, isLocked } from './failed-sign-in.ts';
import { type Target, targetIn } from './target.ts';
import { changedUser, endedSessions } from './update-user.ts';

/** Of the user with this `id`. `verified` is the hash that the old password was compared with; `session` the id of the one that stays. */
export interface PasswordChange extends Target {
  readonly verified: string;
  readonly passwordHash: string;
  readonly session: string;
  /** Where it was asked from. */
  readonly address: string;
}

/**
 * Ends the other sessions. Declines (`not_found`, `precondition_failed`; `conflict` as `localPassword` does, and where the password is another one
 * by now; `forbidden` in the words for a wrong password where too many wrong ones were given).
 */
export function changePassword({ verified, passwordHash, session, address, ...target }: PasswordChange): Proposal {
  return (view, context) => {
    const user = targetIn(view, 'User', target);
    if (localPassword(view, user) !== verified)
      throw new Declined('conflict', 'the password cannot be changed, because it was changed in the meantime');
    if (isLocked(user, address, context.now)) throw wrongPassword();
    const spec = { passwordHash, ...forgiven(user) };
    return [...changedUser(user, { spec }, context), ...endedSessions(view, user, session)];
  };
}

/** Counts a wrong password of a user (by id): whoever has found a session open gets as many guesses as anybody. */
export function countWrongPassword(id: string, address: string): Proposal {
  return (view, { now }) => {
    const user = view.get('User', id);
    return user && !isLocked(user, address, now) ? [failedSignIn(view, user, { address, now })] : [];
  };
}

/** What is said of a wrong password, and of any password while the account is locked. */
export function wrongPassword(): Declined {
  return new Declined(
    'forbidden',
    'the password cannot be changed, because the current one is another: several wrong ones lock the account for a while',
  );
}

/** The hash of the password that a user may change. Declines (`conflict`) where there is none, or no use for it. */
export function localPassword(view: View, user: Resource<'User'>): string {
  const sso = bindingSso(view, user);
  if (sso)
    throw new Declined(
      'conflict',
      `the password cannot be changed here, because ${sso.spec.emailDomain} signs in through single sign-on (${sso.name}): change it there`,
    );
  if (user.spec.passwordHash === undefined)
    throw new Declined(
      'conflict',
      'the password cannot be changed, because this account has none: ask an administrator to set one',
    );
  return user.spec.passwordHash;
}
