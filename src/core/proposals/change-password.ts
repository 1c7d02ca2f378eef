// Changes the own password of a user, who knows the old one.
import type { Proposal } from '../model/proposal.ts';
import { requireCurrentPassword } from './current-password.ts';
import { forgiven } from './failed-sign-in.ts';
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
 * Ends the other sessions. Declines (`not_found`, `precondition_failed`, and as `requireCurrentPassword` does).
 */
export function changePassword({ verified, passwordHash, session, address, ...target }: PasswordChange): Proposal {
  return (view, context) => {
    const user = targetIn(view, 'User', target);
    requireCurrentPassword(view, user, { verified, guarded: 'password', address, now: context.now });
    const spec = { passwordHash, ...forgiven(user) };
    return [...changedUser(user, { spec }, context), ...endedSessions(view, user, session)];
  };
}
