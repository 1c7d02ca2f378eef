// The user who asks: who they are, their name and address, their password.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { submit } from '../../control/submit.ts';
import type { Caller, UserCaller } from '../../core/access/actor.ts';
import type { View } from '../../core/model/view.ts';
import {
  changePassword,
  countWrongPassword,
  localPassword,
  wrongPassword,
} from '../../core/proposals/change-password.ts';
import { isLocked } from '../../core/proposals/failed-sign-in.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { updateSelf } from '../../core/proposals/update-self.ts';
import { mailVerification } from '../account-mails.ts';
import { dryRunQuery } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { component } from '../json-schema.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { tellOfAccount } from '../tell-of-account.ts';
import { emailField, givenPasswordField, nameField, newPasswordField, usernameField } from '../user-fields.ts';
import { planView } from '../views/config.ts';
import { exampleUser, selfView, shownSelf, userVersion } from '../views/user.ts';
import { contextOf, whileAllowed, write } from '../write.ts';

const url = '/api/v1/user';
const tag = 'self';
const example = () => ({
  ...exampleUser,
  emailVerified: true,
  pendingEmail: null,
  can: ['update-self', 'change-password', 'create-token'],
});
const written = {
  200: { description: 'The user, or what a dry run would change.', schema: z.union([selfView, planView]), example },
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
  operationId: 'updateSelf',
  tag,
  summary: 'Change your name, username or address',
  description:
    'What is left out stays as it is. A new address is yours once you have opened the link that is mailed to it: until then it is `pendingEmail`, and giving your present address again takes it back. Where the platform sends no mail it is taken at once, and is not verified. Where your domain signs in through single sign-on the address cannot change here, nor become one of such a domain.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'SelfUpdate',
    z.strictObject({
      name: nameField().optional(),
      username: usernameField().optional(),
      email: emailField().optional(),
    }),
  ),
  bodyExample: () => ({ name: 'Ann Example' }),
  answers: written,
  handle: async (call) => {
    const { secret, hash } = mintSecret();
    const { name: displayName, username, email } = call.body;
    const { id } = userOf(call.caller).user;
    const change = { displayName, username, email, linkHash: hash };
    const outcome = await write(call, updateSelf({ id, ...change, ...unmoved(call) }));
    if ('plan' in outcome) return { body: outcome.plan };
    mailVerification(call.services, outcome.changes, secret);
    tellOfAccount(outcome.changes, call.services);
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
    const verified = await compared(call, caller, body.current);
    const passwordHash = await services.passwords.hash(body.new);
    const session = caller.by === 'session' ? caller.session.id : '';
    const change = { id: caller.user.id, verified, passwordHash, session, address: call.address };
    const outcome = await write(call, changePassword({ ...change, ...unmoved(call) }));
    if ('plan' in outcome) return { body: outcome.plan };
    tellOfAccount(outcome.changes, services);
    return shown(call, outcome.view);
  },
});

/** The hash that the current password fits. Counts a wrong one, and throws `Declined`: the same while the account is locked. */
async function compared(call: Call, { user }: UserCaller, current: string): Promise<string> {
  const { door, passwords, clock } = call.services;
  const view = door.store.read();
  const known = targetIn(view, 'User', { id: user.id });
  const hash = localPassword(view, known);
  const isRight = await passwords.verify(current, hash);
  if (isRight && !isLocked(known, call.address, clock())) return hash;
  await submit(door, whileAllowed(call, countWrongPassword(user.id, call.address)), contextOf(call));
  throw wrongPassword();
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

export const selfRoutes: readonly Route[] = [get, update, password];
