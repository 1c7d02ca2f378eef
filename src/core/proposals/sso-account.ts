// Whose account a proved identity is: one that is known, one that is made now, or none (specification 2.8).
import type { Explained } from '../groups/explained.ts';
import { optionalName } from '../kinds/scalars.ts';
import type { Identity } from '../model/identity.ts';
import { printable } from '../model/printable.ts';
import type { Context } from '../model/proposal.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { isEmailByToken, isEmailUnsettled, settled } from '../model/unsettled-email.ts';
import { userCalled } from '../model/user-called.ts';
import type { View } from '../model/view.ts';
import { newUser } from './create-user.ts';
import { derivedUsername } from './derived-username.ts';
import { isUnproven } from './sign-in.ts';
import { bindingProblem, bound, isBound } from './sso-binding.ts';

/** The account as it is to be, but for groups; `before` as it was, absent where it is made now. */
export interface SsoAccount {
  readonly before: Resource<'User'> | undefined;
  readonly user: Resource<'User'>;
  readonly isNew: boolean;
  readonly explained: Explained;
}

/** The account of an identity; or why there is none, in words that can follow "nobody signs in, because". */
export function ssoAccount(
  view: View,
  config: DeclaredResource<'SsoConfig'>,
  identity: Identity,
  context: Context,
): SsoAccount | string {
  const account = accountOf(view, config, identity, context);
  return typeof account === 'string' ? account : { ...account, user: bound(account.user, config, identity) };
}

function accountOf(
  view: View,
  config: DeclaredResource<'SsoConfig'>,
  identity: Identity,
  context: Context,
): SsoAccount | string {
  const user = userCalled(view, identity.email);
  const email = printable(identity.email);
  if (!user) return made(view, config, identity, context);
  if (user.spec.suspended) return `User/${user.name} is suspended`;
  const problem = bindingProblem(user, config, identity);
  if (problem !== undefined) return problem;
  if (isEmailUnsettled(user, context.now) && !isBound(user, config, identity))
    return `a token gave User/${user.name} the address ${email}, by which alone nobody gets in before ${user.spec.emailUnsettledUntil}: wait until then, or let an admin who is signed in give it again (PUT /api/v1/users/${user.id} with {"email": …})`;
  if (isEmailByToken(user) && !isBound(user, config, identity) && !user.spec.admin) return proved(user, email);
  if (user.spec.emailVerified) return known(user, 'known', `is User/${user.name}, who has the address ${email}`);
  if (isUnproven(user) && !user.spec.admin) return takenOver(user, email);
  return `User/${user.name} has the address ${email}, but never showed that it is theirs, and uses the account: give that account another address, or delete it`;
}

function known(user: Resource<'User'>, reason: Explained['reason'], message: string): SsoAccount {
  return { before: user, user, isNew: false, explained: { about: 'user', effect: 'none', reason, message } };
}

/** Whoever registered with the address never came in: its owner has it now, and no password of somebody else. */
function takenOver(user: Resource<'User'>, email: string): SsoAccount {
  const { passwordHash: _, ...spec } = user.spec;
  const after = { ...user, spec: { ...spec, emailVerified: true } };
  const message = `gets User/${user.name}, who registered with the address ${email} and never verified it; the password that was given then is gone`;
  return {
    before: user,
    user: after,
    isNew: true,
    explained: { about: 'user', effect: 'update', reason: 'taken-over', message },
  };
}

/** Whoever had the token may have given the password, and made sessions and tokens: its owner shows for the first time that the address is theirs. */
function proved(user: Resource<'User'>, email: string): SsoAccount {
  const { passwordHash: _, ...spec } = user.spec;
  const after = { ...user, spec: { ...spec, emailVerified: true, ...settled(user) } };
  const message = `gets User/${user.name}, to whom a token gave the address ${email}; the password, sessions and tokens from before are gone`;
  return {
    before: user,
    user: after,
    isNew: false,
    explained: { about: 'user', effect: 'update', reason: 'taken-over', message },
  };
}

function made(
  view: View,
  config: DeclaredResource<'SsoConfig'>,
  { email, displayName = '', username }: Identity,
  context: Context,
): SsoAccount | string {
  const address = printable(email);
  if (!config.spec.provisionNewUsers)
    return `no user has the address ${address}, and ${addressOf(config)} makes no new users: make the user first (POST /api/v1/users), have them register, or switch provisionNewUsers on`;
  const called = derivedUsername(view, { email, ...(username === undefined ? {} : { username }) });
  const spec = { email, emailVerified: true, displayName: keptName(displayName) };
  const user = newUser({ username: called, spec }, context);
  const message = `is made as User/${called}, because no user has the address ${address}, and ${addressOf(config)} provisions new users`;
  return {
    before: undefined,
    user,
    isNew: true,
    explained: { about: 'user', effect: 'create', reason: 'provisioned', message },
  };
}

/** The name that a provider gives somebody, where it is one; they may choose another. */
function keptName(name: string): string {
  return optionalName().safeParse(name.slice(0, 255)).success ? name.slice(0, 255) : '';
}
