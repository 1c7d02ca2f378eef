// Registering, and verifying the address that was given.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { hashToken } from '../../auth/token.ts';
import { submit } from '../../control/submit.ts';
import { emailAddress } from '../../core/kinds/scalars.ts';
import type { Finding } from '../../core/model/finding.ts';
import { singleton } from '../../core/model/view.ts';
import { username } from '../../core/proposals/create-user.ts';
import { countWrongPassword, wrongPassword } from '../../core/proposals/current-password.ts';
import { goodLink } from '../../core/proposals/issue-action-token.ts';
import { typeProblem } from '../../core/proposals/personal-team.ts';
import { admit, register as registration } from '../../core/proposals/register.ts';
import { verifyEmail as verification } from '../../core/proposals/verify-email.ts';
import { slugOf } from '../../lib/slug.ts';
import { mailUndo, mailVerification } from '../account-mails.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { fieldFinding, hashOfNew, passwordFindings } from '../new-password.ts';
import { type Call, defineRoute, type Route } from '../route.ts';
import { tellOfAddressInUse } from '../tell-of-address.ts';
import { nameField } from '../user-fields.ts';
import { exampleRegistration, registrationView, shownOwner, shownRegistration } from '../views/account.ts';
import { exampleUser, userView } from '../views/user.ts';
import { contextOf } from '../write.ts';

const tag = 'account';

const offer = defineRoute({
  method: 'GET',
  url: '/account/registration',
  action: 'see-ways-in',
  operationId: 'getRegistration',
  tag,
  summary: 'What visitors may do',
  description:
    'Whether they may register, the team types that they may choose from, and whether a lost password can be set anew.',
  answers: { 200: { description: 'What is on offer.', schema: registrationView, example: () => exampleRegistration } },
  handle: ({ services }) => {
    const view = services.door.store.read();
    const { personalTeamOnRegistration } = singleton(view, 'AdminSettings').spec;
    return { body: shownRegistration(view, personalTeamOnRegistration, services) };
  },
});

const form = z.strictObject({
  username: username().describe('What to sign in as: letters, digits, ".", "_" and "-".'),
  email: emailAddress().describe('The email address.'),
  password: z
    .string()
    .min(1)
    .max(1024)
    .describe('The password: 8 to 256 characters, none that many people use, and not made of the username or address.'),
  name: nameField().trim().optional(),
  teamType: z
    .string()
    .max(63)
    .optional()
    .describe(
      'The type of the team that is made for you; needed where several are on offer and you come without an invitation.',
    ),
  invitation: z.string().min(1).max(255).optional().describe('The token in the link of an invitation to this address.'),
});

const register = defineRoute({
  method: 'POST',
  url: '/account/register',
  action: 'register',
  operationId: 'register',
  tag,
  summary: 'Register',
  description:
    'Makes a user where the settings allow it, or with an invitation to the address that is given. Who is invited is in that team at once; everybody else gets a mail with a link, and signs in by the username once the address is verified. It does not sign in. Where the address is somebody’s already the answer is the same, its owner is told by mail, and the account is never a way in.',
  body: form,
  bodyExample: () => ({ username: 'ann', email: 'ann@example.com', password: 'correct horse battery', name: 'Ann' }),
  answers: { 201: { description: 'The user.', schema: userView, example: () => exampleUser } },
  handle: async (call) => {
    const { body, services } = call;
    const applicant = { email: body.email, invitation: body.invitation && hashToken(body.invitation) };
    // Asked before there is work to do, and again when it is done.
    const view = services.door.store.read();
    const invitation = admit(view, applicant, services.clock());
    if (!invitation && !services.mailer.configured())
      throw new Problem('unavailable', { detail: 'Nobody can register now, because no mail can be sent.' });
    const findings = findingsIn(body, typeProblem(view, { type: body.teamType, optional: invitation !== undefined }));
    if (findings.length > 0) throw invalidRequest(findings);
    const link = mintSecret();
    const passwordHash = await hashOfNew(body.password, services, body);
    const proposal = registration({ ...applicant, ...wanted(body), passwordHash, link: link.hash });
    const { changes } = await submit(services.door, proposal, contextOf(call));
    mailVerification(services, changes, link.secret);
    const shown = shownOwner(changes, services);
    if (shown.email !== body.email) tellOfAddressInUse(body.email, services);
    return { status: 201, body: { ...shown, email: body.email } };
  },
});

/** All that is wrong with a form, at once: the proposal would look at the type only when the password is hashed. */
function findingsIn({ password, ...owner }: z.output<typeof form>, typeProblem: string | undefined): Finding[] {
  const found = passwordFindings(password, owner);
  return typeProblem === undefined ? found : [...found, fieldFinding('teamType', typeProblem)];
}

function wanted({ username, name = '', teamType }: z.output<typeof form>) {
  const displayName = `Team ${name || username}`;
  return { username, displayName: name, team: { type: teamType, displayName, slug: slugOf(displayName, 'team') } };
}

const verifyEmail = defineRoute({
  method: 'POST',
  url: '/account/verify-email',
  action: 'recover-account',
  operationId: 'verifyEmail',
  tag,
  summary: 'Verify an address',
  description:
    'By the token in the link that was mailed to it, which works once, for a day. The address that an account was registered with takes the password of that account, or its session, too: without either the answer is 401, and a wrong password (403) counts as at sign-in. Where the address is a new one it takes its owner, signed in: to others the answer is 401 or 403, and nothing is confirmed. It becomes that of the user then, their other sessions end, and the old address gets a link that takes it back for 72 hours. Where its domain signs in through single sign-on the password that was given at registration goes with it: anybody may have given it.',
  body: z.strictObject({
    token: z.string().min(1).max(255).describe('The token in the link.'),
    password: z.string().min(1).max(1024).optional().describe('The password of the account.'),
  }),
  bodyExample: () => ({ token: 'Xn5cT0wq7RzL1kYb8Vm2JdG4sH6fP9aQe3uW0iOx', password: 'correct horse battery' }),
  answers: { 200: { description: 'The user.', schema: userView, example: () => exampleUser } },
  handle: async (call) => {
    const { body, services, caller } = call;
    if (caller.kind === 'user' && caller.by === 'token')
      throw new Problem('session_required', {
        detail: 'A token may not confirm an address: leave it out, or sign in.',
      });
    const undo = mintSecret();
    const by = caller.kind === 'user' ? { user: caller.user.id, session: caller.session.id } : undefined;
    const hash = hashToken(body.token);
    const verified = body.password === undefined ? undefined : await registrantsPassword(call, hash, body.password);
    const proposal = verification({ hash, undoHash: undo.hash, by, verified, address: call.address });
    const { changes } = await submit(services.door, proposal, contextOf(call));
    mailUndo(services, changes, undo.secret);
    return { body: shownOwner(changes, services) };
  },
});

/** The hash that the password fits of whoever registered. Counts a wrong one, and throws `Declined`; `invalid_request` for a link that is not good. */
async function registrantsPassword(call: Call, hash: string, given: string): Promise<string> {
  const { door, clock, passwords } = call.services;
  const view = door.store.read();
  const user = view.get('User', goodLink(view, 'verify-email', hash, clock()).spec.user);
  const kept = user?.spec.passwordHash;
  const isRight = await passwords.verify(given, kept);
  if (isRight && kept !== undefined) return kept;
  if (user) await submit(door, countWrongPassword(user.id, call.address), contextOf(call));
  throw wrongPassword('confirmation');
}

export const registrationRoutes: readonly Route[] = [offer, register, verifyEmail];
