// Issues a link to set a new password, to whoever reads the mail of an account.
import type { Proposal } from '../model/proposal.ts';
import { bindingSso } from '../model/sso.ts';
import { isEmailUnsettled } from '../model/unsettled-email.ts';
import { userCalled } from '../model/user-called.ts';
import { singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { issuedLink, wasMailedLately } from './issue-action-token.ts';

/**
 * `email` as it was typed, and the hash for the link. Changes nothing where no mail is due: nobody has the address, they are suspended or sign in
 * elsewhere, a token gave them the address lately, or a mail went to them less than a minute ago. Declines (`forbidden`) where the platform does not offer it.
 */
export function requestPasswordReset({ email, hash }: { readonly email: string; readonly hash: string }): Proposal {
  return (view, context) => {
    requireResetOffered(view);
    const user = userCalled(view, email);
    if (!user || user.spec.suspended || bindingSso(view, user)) return [];
    if (isEmailUnsettled(user, context.now)) return [];
    if (wasMailedLately(view, user, 'reset-password', context.now)) return [];
    return issuedLink(view, user, { purpose: 'reset-password', email: user.spec.email, hash }, context);
  };
}

/** Whether passwords can be set anew by mail (specification 2.7). */
export function isResetOffered(view: View): boolean {
  return singleton(view, 'AdminSettings').spec.passwordReset && singleton(view, 'Platform').spec.email !== undefined;
}

/** Declines (`forbidden`) where the platform does not offer it. */
export function requireResetOffered(view: View): void {
  if (!isResetOffered(view))
    throw new Declined(
      'forbidden',
      'passwords cannot be set anew by mail, because this platform does not offer that: ask an administrator',
    );
}
