// Sets a new password by the link that was mailed: the account is unlocked, and signed out everywhere.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { bindingSso } from '../model/sso.ts';
import { settled } from '../model/unsettled-email.ts';
import { Declined } from './declined.ts';
import { forgiven } from './failed-sign-in.ts';
import { goodLink } from './issue-action-token.ts';
import { requireResetOffered } from './request-password-reset.ts';
import { changedUser, endedSessions } from './update-user.ts';

/** `hash` is that of the link's token. */
export interface LinkReset {
  readonly hash: string;
  readonly passwordHash: string;
}

/**
 * Whoever opens the link reads the mail of the account, so its address is verified, too. Declines (`invalid_request` for a link that is not good;
 * `forbidden` where the platform does not offer it, or where the user signs in elsewhere by now).
 */
export function resetPasswordByLink({ hash, passwordHash }: LinkReset): Proposal {
  return (view, context) => {
    requireResetOffered(view);
    const link = goodLink(view, 'reset-password', hash, context.now);
    const user = view.get('User', link.spec.user);
    if (!user) return [deleted(link)];
    const sso = bindingSso(view, user);
    if (sso)
      throw new Declined(
        'forbidden',
        `no password can be set here, because ${sso.spec.emailDomain} signs in through single sign-on (${sso.name})`,
      );
    // A link that went to an address from before proves nothing of the one that they have now.
    const proved = link.spec.email === user.spec.email ? { emailVerified: true, ...settled(user) } : {};
    const spec = { passwordHash, ...proved, ...forgiven(user) };
    return [...changedUser(user, { spec }, context), ...endedSessions(view, user), deleted(link)];
  };
}
