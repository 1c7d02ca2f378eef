// Opens what needs the current password of a user: a new password or address, and the end of the account.
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { failedSignIn, isLocked } from './failed-sign-in.ts';

/** What a session alone does not open. */
export type Guarded = 'password' | 'address' | 'account' | 'confirmation';

const words: Readonly<Record<Guarded, string>> = {
  password: 'the password cannot be changed',
  address: 'the email address cannot be changed',
  account: 'the account cannot be deleted',
  confirmation: 'the address cannot be confirmed',
};

/**
 * Declines unless the password that was compared is still that of the user: `conflict` as `localPassword` does, and where it is another one by now;
 * `forbidden` in the words for a wrong one where too many wrong ones were given. `verified` is the hash that it was compared
 * with, `address` where it was asked from.
 */
export function requireCurrentPassword(
  view: View,
  user: Resource<'User'>,
  {
    verified,
    guarded,
    address,
    now,
  }: {
    readonly verified: string | undefined;
    readonly guarded: Guarded;
    readonly address: string;
    readonly now: string;
  },
): void {
  if (localPassword(view, user, guarded) !== verified)
    throw new Declined('conflict', `${words[guarded]}, because the password was changed in the meantime`);
  if (isLocked(user, address, now)) throw wrongPassword(guarded);
}

/** Counts a wrong password of a user (by id): whoever has found a session open gets as many guesses as anybody. */
export function countWrongPassword(id: string, address: string): Proposal {
  return (view, { now }) => {
    const user = view.get('User', id);
    return user && !isLocked(user, address, now) ? [failedSignIn(view, user, { address, now })] : [];
  };
}

/** What is said of a wrong password, and of any password while the account is locked. */
export function wrongPassword(guarded: Guarded): Declined {
  // Who opens a link is not signed in, and changes no password: there is no other one beside it.
  const asked = guarded === 'confirmation' ? 'the password of the account' : 'the current password';
  return new Declined(
    'forbidden',
    `${words[guarded]}, because ${asked} is another: several wrong ones lock the account for a while`,
  );
}

/** The hash of the password that opens it. Declines (`conflict`) where there is none, or no use for it. */
export function localPassword(view: View, user: Resource<'User'>, guarded: Guarded): string {
  const sso = bindingSso(view, user);
  if (sso)
    throw new Declined(
      'conflict',
      `${words[guarded]} here, because ${sso.spec.emailDomain} signs in through single sign-on (${sso.name}), and there is no password here to ask for: ask an administrator`,
    );
  if (user.spec.passwordHash === undefined)
    throw new Declined(
      'conflict',
      `${words[guarded]}, because this account has no password: ask an administrator to set one`,
    );
  return user.spec.passwordHash;
}
