// Changes the own password of a user, who knows the old one.
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { targetIn } from './target.ts';
import { changedUser, endedSessions } from './update-user.ts';

/** `verified` is the hash that the old password was compared with; `session` the id of the one that stays. */
export interface PasswordChange {
  readonly user: string;
  readonly verified: string;
  readonly passwordHash: string;
  readonly session: string;
}

/** Ends the other sessions. Declines (`not_found`; `conflict` as `localPassword` does, and where the password is another one by now). */
export function changePassword({ user: id, verified, passwordHash, session }: PasswordChange): Proposal {
  return (view, context) => {
    const user = targetIn(view, 'User', { id });
    if (localPassword(view, user) !== verified)
      throw new Declined('conflict', 'the password cannot be changed, because it was changed in the meantime');
    const spec = { passwordHash, failedSignIns: 0, lockedUntil: null };
    return [...changedUser(user, { spec }, context), ...endedSessions(view, user, session)];
  };
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
