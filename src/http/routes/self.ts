// The user who asks: who they are, their name and address, their password.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import type { Caller, UserCaller } from '../../core/access/actor.ts';
import type { View } from '../../core/model/view.ts';
import { changePassword } from '../../core/proposals/change-password.ts';
import { deleteSelf } from '../../core/proposals/delete-user.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { updateSelf } from '../../core/proposals/update-self.ts';
import { mailVerification } from '../account-mails.ts';
import { comparedPassword } from '../current-password.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { component } from '../json-schema.ts';
import { fieldFinding, hashOfNew, passwordOwner } from '../new-password.ts';
import { type Call, defineRoute, type Reply, type Route, writtenHeaders } from '../route.ts';
import { tellOfAddressWanted } from '../tell-of-address.ts';
import { emailField, givenPasswordField, nameField, newPasswordField, usernameField } from '../user-fields.ts';
import { planView } from '../views/config.ts';
import { exampleUser, selfView, shownSelf, userVersion } from '../views/user.ts';
import { emptyAnswer, requireAllowed, write } from '../write.ts';

const url = '/api/v1/user';
const tag = 'self';
const example = () => ({
  ...exampleUser,
  emailVerified: true,
  pendingEmail: null,
  can: ['update-self', 'change-address', 'delete-self', 'change-password', 'create-token'],
});
const written = {
  200: {
    description: 'The user, or what a dry run would change.',
    schema: z.union([selfView, planView]),
    example,
    headers: writtenHeaders,
  },
};

const get = defineRoute({
  method: 'GET',
  url,
  action: 'read-self',
  operationId: 'getSelf',
  tag,
  summary: 'Read who you are',
  description: 'You, and in `can` what you may do by the credential that you sent.',
  answers: { 200: { description: 'You.', schema: selfView, example } },
  handle: (call) => shown(call, call.services.door.store.read()),
});

const update = defineRoute({
  method: 'PUT',
  url,
  action: 'update-self',
  changesGiven: true,
  operationId: 'updateSelf',
  tag,
  summary: 'Change your name, username or address',
  description:
    'What is left out stays as it is. A new address needs a session and `currentPassword`, whose wrong ones are counted as at sign-in. It is yours once you have opened the link that is mailed to it, signed in: until then it is `pendingEmail`, giving your present address again takes it back, and it is given up when the session that asked for it ends or the password changes. A changed address ends your other sessions, and for 72 hours the old one has a link that takes it back. Where it is somebody’s already the answer is the same, its owner is told by mail, and nothing changes. Where the platform sends no mail it is taken at once, and is not verified; one that is somebody’s is refused then. Where your domain signs in through single sign-on the address cannot change here, nor become one of such a domain.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'SelfUpdate',
    z.strictObject({
      name: nameField().optional(),
      username: usernameField().optional(),
      email: emailField().optional(),
      currentPassword: givenPasswordField('The password that you have: a new address needs it.').optional(),
    }),
  ),
  bodyExample: () => ({ name: 'Ann Example' }),
  answers: written,
  handle: async (call) => {
    const { secret, hash } = mintSecret();
    const { name: displayName, username, email } = call.body;
    const { id } = userOf(call.caller).user;
    const proof = await proofFor(call, call.body);
    const change = { displayName, username, email, linkHash: hash, ...proof };
    const outcome = await write(call, updateSelf({ id, address: call.address, ...change, ...unmoved(call) }));
    if ('plan' in outcome) return { body: outcome.plan };
    const isTaken = email !== undefined && tellOfAddressWanted(email, id, call.services);
    if (!isTaken) mailVerification(call.services, outcome.changes, secret);
    return shown(call, outcome.view);
  },
});

const password = defineRoute({
  method: 'PUT',
  url: `${url}/password`,
  action: 'change-password',
  operationId: 'changePassword',
  tag,
  summary: 'Change your password',
  description:
    'Ends your other sessions; your tokens stay. Wrong ones are counted as at sign-in, also in a dry run. Where your domain signs in through single sign-on there is no password to change here.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'PasswordChange',
    z.strictObject({
      current: givenPasswordField('The password that you have.'),
      new: newPasswordField('The password that you want.'),
    }),
  ),
  bodyExample: () => ({ current: 'copper kettle drum', new: 'seven grey herons' }),
  answers: written,
  handle: async (call) => {
    const { services, body } = call;
    const caller = userOf(call.caller);
    const verified = await comparedPassword(call, caller, body.current, 'password');
    const passwordHash = await hashOfNew(
      body.new,
      services,
      passwordOwner(services.door.store.read().get('User', caller.user.id)),
      'new',
    );
    const change = { id: caller.user.id, verified, passwordHash, session: sessionOf(caller), address: call.address };
    const outcome = await write(call, changePassword({ ...change, ...unmoved(call) }));
    if ('plan' in outcome) return { body: outcome.plan };
    return shown(call, outcome.view);
  },
});

const remove = defineRoute({
  method: 'POST',
  url: `${url}/actions/delete`,
  action: 'delete-self',
  operationId: 'deleteSelf',
  tag,
  summary: 'Delete your account',
  description:
    'With your tokens, sessions, memberships, the invitations to and from you, and the only team that you are in, where it is yours alone and has neither instances nor devices. It cannot be undone. Refused where you are the only admin, or the only owner of a team. Wrong passwords are counted as at sign-in, also in a dry run.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'SelfDeletion',
    z.strictObject({ currentPassword: givenPasswordField('The password that you have.') }),
  ),
  bodyExample: () => ({ currentPassword: 'copper kettle drum' }),
  answers: { 200: tried, 204: { description: 'The account is gone.' } },
  handle: async (call) => {
    const caller = userOf(call.caller);
    const verified = await comparedPassword(call, caller, call.body.currentPassword, 'account');
    const outcome = await write(call, deleteSelf({ id: caller.user.id, verified, address: call.address }));
    return 'plan' in outcome ? emptyAnswer(outcome) : { status: 204, session: null };
  },
});

/** What a new address needs; nothing where the address stays. Throws `session_required`, `invalid_request`, and `Declined` for a wrong password. */
async function proofFor(
  call: Call,
  { email, currentPassword }: { readonly email?: string | undefined; readonly currentPassword?: string | undefined },
): Promise<{ readonly session?: string; readonly verified?: string }> {
  const { services } = call;
  const caller = userOf(call.caller);
  const view = services.door.store.read();
  if (email === undefined || email === view.get('User', caller.user.id)?.spec.email) return {};
  requireAllowed(call, view, services.clock(), 'change-address');
  if (currentPassword === undefined) {
    const missing = 'currentPassword is missing, because a new email address needs it: give the password that you have';
    throw invalidRequest([fieldFinding('currentPassword', missing)]);
  }
  const verified = await comparedPassword(call, caller, currentPassword, 'address');
  return { verified, session: sessionOf(caller) };
}

/** The id of the session that asks: the policy lets no token this far. */
function sessionOf(caller: UserCaller): string {
  return caller.by === 'session' ? caller.session.id : '';
}

/** The user who asks: the policy has let nobody else in. */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind !== 'user') throw new Problem('unauthorized');
  return caller;
}

function shown({ caller, services }: Call, view: View): Reply {
  const user = targetIn(view, 'User', { id: userOf(caller).user.id });
  return { body: shownSelf(user, caller, view, services.clock()), version: userVersion(user) };
}

export const selfRoutes: readonly Route[] = [get, update, password, remove];
