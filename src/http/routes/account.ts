// Signing in and out with a local password or that of a directory, and the way in for an address.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { submit } from '../../control/submit.ts';
import { emailAddress } from '../../core/kinds/scalars.ts';
import { type Change, changesOf } from '../../core/model/change.ts';
import type { Actor, AuditEvent, Context } from '../../core/model/proposal.ts';
import type { DeclaredResource, Resource } from '../../core/model/resource.ts';
import { activeSsoOf, directoryFor } from '../../core/model/sso.ts';
import { userCalled } from '../../core/model/user-called.ts';
import { singleton, type View } from '../../core/model/view.ts';
import { deleteSession } from '../../core/proposals/delete-session.ts';
import { judgeSignIn, type SignInAttempt, type SignInVerdict } from '../../core/proposals/sign-in.ts';
import { mailVerification } from '../account-mails.ts';
import { signInByDirectory } from '../directory-sign-in.ts';
import { Problem } from '../errors.ts';
import type { Taken } from '../quota.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { doneView, shownOwner, signInWayView, ssoRedirect } from '../views/account.ts';
import { exampleUser, userView } from '../views/user.ts';
import { contextOf } from '../write.ts';

const tag = 'account';

const credentials = z.strictObject({
  username: z.string().trim().min(1).max(254).describe('The username or the email address.'),
  password: z.string().min(1).max(1024).describe('The password.'),
});
type Credentials = z.output<typeof credentials>;

const login = defineRoute({
  method: 'POST',
  url: '/account/login',
  action: 'sign-in',
  operationId: 'signIn',
  tag,
  summary: 'Sign in',
  description:
    'By username or email address, and password. Answers the user, and sets the cookie of a new session; the session that came along ends. Five wrong passwords in a row lock an account for 15 minutes; a locked account, an unknown one, a suspended one and a wrong password get the same answer. Where the domain of an address signs in by SAML the answer is `sso_required` with `redirect`; where it signs in by LDAP its directory is asked, and while that does not answer nobody of the domain gets in but an admin with the right local password. A username that nobody has is asked of the only active directory, where there is just one. Whoever registered and never verified the address is told so once the password is right, and gets another mail.',
  body: credentials,
  bodyExample: () => ({ username: 'ann', password: 'correct horse battery' }),
  answers: { 200: { description: 'The user.', schema: userView, example: () => exampleUser } },
  handle: async (call) => {
    const { wrongPasswords, door, clock } = call.services;
    const { signInPerMinute } = singleton(door.store.read(), 'Platform').spec.api.rateLimit;
    const taken = wrongPasswords.take(call.address, signInPerMinute, clock());
    try {
      const reply = await signIn(call, taken);
      taken.giveBack();
      return reply;
    } catch (error) {
      if (!isWrongPassword(error)) taken.giveBack();
      throw error;
    }
  },
});

/** The answer to whoever may come in. Throws the problem of everybody else. */
async function signIn(call: Call & { readonly body: Credentials }, taken: Taken): Promise<Reply> {
  const { username: typed, password } = call.body;
  const [cookie, link] = [mintSecret(), mintSecret()];
  const known = userCalled(call.services.door.store.read(), typed);
  const compared = known?.spec.passwordHash;
  // Where there is nothing to compare with, this takes as long as where there is.
  const right = await call.services.passwords.verify(password, compared);
  const session = sessionOf(call, cookie.hash);
  const config = directoryFor(call.services.door.store.read(), typed, known);
  // An admin gets in while the directory does not answer; everybody else has no password but that of the directory.
  if (config && !(right && known?.spec.admin)) {
    const verdict = await signInByDirectory(call, { config, typed, password, known, session });
    if (verdict.outcome === 'signed-in') return signedIn(call, verdict.changes, cookie.secret);
    throw refused();
  }
  const attempt: SignInAttempt = {
    typed,
    right,
    session,
    ...(known ? { user: known.id } : {}),
    ...(compared === undefined ? {} : { compared }),
    ...(call.services.mailer.configured() ? { link: link.hash } : {}),
  };
  const verdict = await judged(call, attempt, known);
  if (verdict.outcome === 'signed-in') return signedIn(call, verdict.changes, cookie.secret);
  if (verdict.outcome === 'unverified') mailVerification(call.services, verdict.changes, link.secret);
  // Most people of such a domain have no password here that could be guessed.
  if (verdict.outcome === 'elsewhere' && !known?.spec.admin) taken.giveBack();
  throw refusal(verdict, call.services);
}

/** Who has the right one, but never verified the address, is told so; an admin who is sent elsewhere had a wrong one. */
function isWrongPassword(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'sso_required' || error.extras.detail === wrong);
}

function sessionOf({ address, agent, caller }: Call, hash: string): SignInAttempt['session'] {
  const replaced = caller.kind === 'user' && caller.by === 'session' ? { replaced: caller.session.id } : {};
  return { hash, address, agent, ...replaced };
}

/** Keeps what the verdict says. Who acts is known only where the password was theirs. */
async function judged(call: Call, attempt: SignInAttempt, known: Resource<'User'> | undefined): Promise<SignInVerdict> {
  const who = known && { id: known.id, name: known.name };
  const actor = { kind: 'user', ...(attempt.right ? who : {}) } as const;
  const proposal = (view: View, context: Context) => {
    const verdict = judgeSignIn(attempt, view, context);
    return { changes: verdict.changes, result: verdict };
  };
  const { result } = await submit(call.services.door, proposal, { ...contextOf(call), actor });
  if (!showsIn(result.changes)) await noteFailure(call, who, actor);
  return result;
}

function showsIn(changes: readonly Change[]): boolean {
  return changes.some(({ kind }) => kind === 'User' || kind === 'Session');
}

/** A refused sign-in that shows in no session and no counter. What was typed is not kept where it is nobody: it may be a password. */
async function noteFailure(
  { services, requestId, address }: Call,
  who: { readonly id: string; readonly name: string } | undefined,
  actor: Actor,
): Promise<void> {
  const event: AuditEvent = { event: 'sign-in.failed', target: { kind: 'User', ...who } };
  const like = [`password ${who?.id ?? ''}`, actor.id === undefined ? 'wrong' : 'right'] as const;
  await services.refusals.note({ like, event, actor, requestId, address });
}

function signedIn({ services }: Call, changes: readonly Change[], value: string): Reply {
  const session = [...changesOf(changes, 'Session')].find(({ before }) => !before)?.after;
  if (!session) throw new Error('a sign-in makes a session');
  return { body: shownOwner(changes, services), session: { value, expiresAt: session.spec.expiresAt } };
}

function refusal(verdict: SignInVerdict, services: Services): Problem {
  if (verdict.outcome === 'elsewhere') return elsewhere(verdict.sso, services);
  if (verdict.outcome !== 'unverified') return refused();
  return new Problem('unauthorized', { detail: unverified(services), headers: challenge });
}

function refused(): Problem {
  return new Problem('unauthorized', { detail: wrong, headers: challenge });
}

/** What a 401 has to have (RFC 9110, 15.5.2). */
const challenge = { 'www-authenticate': 'Bearer realm="weir"' };

const wrong =
  'This username and password do not fit, or no password is taken for this account now. If your organisation has single sign-on, sign in with your email address; if you registered lately, sign in with your username; if you are sure of both, ask an administrator.';

function unverified({ mailer }: Services): string {
  return mailer.configured()
    ? 'The address of this account is not verified yet: open the link in the mail that was sent to it, then sign in. A new link is sent at most once a minute.'
    : 'The address of this account is not verified yet, and no mail can be sent now: ask an administrator.';
}

function elsewhere(sso: DeclaredResource<'SsoConfig'>, { baseUrl }: Services): Problem {
  return new Problem('sso_required', {
    detail: `People of ${sso.spec.emailDomain} sign in through single sign-on.`,
    redirect: ssoRedirect(sso, baseUrl),
    headers: challenge,
  });
}

const logout = defineRoute({
  method: 'POST',
  url: '/account/logout',
  action: 'sign-out',
  operationId: 'signOut',
  tag,
  summary: 'Sign out',
  description: 'Ends the session of the cookie, and takes the cookie away. Fine where there is none.',
  answers: { 200: { description: 'Done.', schema: doneView, example: () => signedOut } },
  handle: async (call) => {
    const { caller, services } = call;
    // A token in the header is what counts: it has no session, and a cookie beside it was not looked at.
    if (caller.kind !== 'anonymous' && !(caller.kind === 'user' && caller.by === 'session')) return { body: signedOut };
    if (caller.kind === 'user') await submit(services.door, deleteSession(caller.session.id), contextOf(call));
    return { body: signedOut, session: null };
  },
});

const signedOut = { detail: 'Signed out.' };

const way = defineRoute({
  method: 'GET',
  url: '/account/sso',
  action: 'see-ways-in',
  operationId: 'getSignInWay',
  tag,
  summary: 'How an address signs in',
  description: 'By the domain alone: it says nothing of whether the address is anybody’s.',
  query: z.strictObject({ email: emailAddress().describe('The email address.') }),
  answers: { 200: { description: 'How.', schema: signInWayView, example: () => ({ provider: 'local' }) } },
  handle: ({ query, services }) => {
    const sso = activeSsoOf(services.door.store.read(), query.email);
    if (!sso) return { body: { provider: 'local' } };
    const redirect = sso.spec.provider === 'saml' ? { redirect: ssoRedirect(sso, services.baseUrl) } : {};
    return { body: { provider: sso.spec.provider, ...redirect } };
  },
});

export const accountRoutes: readonly Route[] = [login, logout, way];
