// What no token may change, by whatever route: with it somebody who found the token would get in after the token has ended.
import { activeAdmin, suspendedAdmin } from '../kinds/user.ts';
import { type Change, changesOf } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { View } from '../model/view.ts';
import type { UserCaller } from './actor.ts';

type TokenCaller = Extract<UserCaller, { by: 'token' }>;

/**
 * Looked at in every write over the API, as it is about to be kept: the first change that takes a session, in words that follow "A token may
 * not". Whatever else a route does with a token is decided in the policy, as `lasting`.
 */
export function refusedByToken(
  changes: readonly Change[],
  view: View,
  { user, token }: TokenCaller,
): string | undefined {
  for (const change of changesOf(changes, 'User')) {
    const refused = refusedOfUser(change, user.id);
    if (refused !== undefined) return refused;
  }
  if (changesOf(changes, 'Token').some(isMade)) return 'make a token: sign in for that';
  if (changesOf(changes, 'Session').some(isMade)) return 'begin a session: sign in for that';
  if (changesOf(changes, 'SsoConfig').some((change) => letsAdminsIn(change, view)))
    return 'change single sign-on that is in force for admins, or put it into force, because that says who may sign in as an admin: sign in for that, leave it inactive, or name no `adminGroup`';
  return tooLong(changes, token.spec.expiresAt);
}

function refusedOfUser({ before, after, reason }: Change<'User'>, caller: string): string | undefined {
  if (!after) return undefined;
  if (after.spec.admin && !before?.spec.admin) return 'make an admin: sign in for that';
  // Programs add people with a password.
  if (!before) return undefined;
  if (after.spec.admin && before.spec.suspended && !after.spec.suspended)
    return 'let an admin in again: sign in for that';
  if (after.spec.passwordHash !== before.spec.passwordHash)
    return 'give a user a new password: sign in for that, or leave the password out';
  if ((after.spec.ssoBindings?.length ?? 0) < (before.spec.ssoBindings?.length ?? 0))
    return 'bind an account to another person at a provider of single sign-on: sign in for that';
  if (after.spec.email === before.spec.email) return undefined;
  if (after.id === caller) return 'change the email address of its own user: sign in for that';
  if (before.spec.admin) return 'change the email address of an admin: sign in for that';
  return reason === undefined
    ? 'change the email address of a user without a reason: give one in `reason`, which stands in the audit log, or sign in'
    : undefined;
}

function isMade({ before }: Change): boolean {
  return before === undefined;
}

/** By its groups, or because an admin has an address of its domain, also one who is shut out: a token may have done that. What it is called is nobody's way in. */
function letsAdminsIn({ before, after }: Change<'SsoConfig'>, view: View): boolean {
  if (!after?.spec.active) return false;
  const isSame = before?.spec.active && sameValue({ ...before.spec, label: '' }, { ...after.spec, label: '' });
  if (isSame) return false;
  if (after.spec.groups.adminGroup !== undefined) return true;
  const domain = `@${after.spec.emailDomain}`;
  const admins = [...view.having('User', activeAdmin), ...view.having('User', suspendedAdmin)];
  return admins.some(({ spec }) => spec.email.endsWith(domain));
}

/** What a token makes ends with it at the latest. */
function tooLong(changes: readonly Change[], end: string | null): string | undefined {
  if (end === null) return undefined;
  const made = [...changesOf(changes, 'HttpToken'), ...changesOf(changes, 'ProvisioningToken')].filter(isMade);
  if (!made.some(({ after }) => after && Date.parse(after.spec.expiresAt) > Date.parse(end))) return undefined;
  return `make a token that ends later than itself: give \`expiresAt\` ${end} at the latest, or sign in`;
}
