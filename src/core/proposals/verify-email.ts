// Verifies an address by the link that was mailed to it. Where it is a new address, it becomes that of the user now.
import { because, type Change, deleted, updated } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { activeSsoOf, bindingSso } from '../model/sso.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { goodLink } from './issue-action-token.ts';
import { isUnproven } from './sign-in.ts';
import { changedUser } from './update-user.ts';

/** `hash` is that of the link's token. Declines (`invalid_request` for a link that is not good; `forbidden` where single sign-on gives the address). */
export function verifyEmail(hash: string): Proposal {
  return (view, context) => {
    const link = goodLink(view, 'verify-email', hash, context.now);
    const user = view.get('User', link.spec.user);
    if (!user) return [deleted(link)];
    refuseForeign(view, user, link.spec.email);
    return [...verified(view, user, link.spec.email, context), deleted(link)];
  };
}

/**
 * An address that was never proved, of a domain with single sign-on, has a password that anybody may have given who registered with it: it goes, so
 * that it opens nothing on the day on which its owner becomes an admin, or the domain signs in here again.
 */
function verified(view: View, user: Resource<'User'>, email: string, context: Context): Change[] {
  const proved = { email, emailVerified: true };
  const sso = isUnproven(user) ? bindingSso(view, user) : undefined;
  if (!sso || user.spec.passwordHash === undefined) return changedUser(user, { spec: proved }, context);
  const { passwordHash: _, ...spec } = user.spec;
  const after = { ...user, spec: { ...spec, ...proved }, generation: user.generation + 1, updatedAt: context.now };
  const why = `${sso.spec.emailDomain} signs in through ${addressOf(sso)}, so the password that was given at registration is gone`;
  return [because(updated(user, after), why)];
}

/**
 * Users of a domain with single sign-on keep the address that it knows them by (specification 2.8). And nobody brings an account there by a link
 * that its addressee may open without a thought: whoever signs in with that address would be given the account, and somebody else holds its tokens.
 */
function refuseForeign(view: View, user: Resource<'User'>, email: string): void {
  if (email === user.spec.email) return;
  const sso = bindingSso(view, user) ?? (user.spec.admin ? undefined : activeSsoOf(view, email));
  if (sso)
    throw new Declined(
      'forbidden',
      `the address cannot be changed, because ${sso.spec.emailDomain} signs in through single sign-on (${sso.name}): ask an administrator`,
    );
}
