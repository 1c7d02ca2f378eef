// Getting back in: a link by mail to set a new password.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { hashToken } from '../../auth/token.ts';
import { submit } from '../../control/submit.ts';
import { emailAddress } from '../../core/kinds/scalars.ts';
import { changesOf } from '../../core/model/change.ts';
import { withEvents } from '../../core/model/proposal.ts';
import { goodLink } from '../../core/proposals/issue-action-token.ts';
import { requestPasswordReset, requireResetOffered } from '../../core/proposals/request-password-reset.ts';
import { resetPasswordByLink } from '../../core/proposals/reset-password-by-link.ts';
import { restoreEmail } from '../../core/proposals/restore-email.ts';
import { mailReset } from '../account-mails.ts';
import { hashOfNew, passwordOwner } from '../new-password.ts';
import { defineRoute, type Route } from '../route.ts';
import { doneView, shownOwner } from '../views/account.ts';
import { exampleUser, userView } from '../views/user.ts';
import { contextOf } from '../write.ts';

const tag = 'account';

const forgotPassword = defineRoute({
  method: 'POST',
  url: '/account/forgot-password',
  action: 'recover-account',
  operationId: 'requestPasswordReset',
  tag,
  summary: 'Ask for a link to set a new password',
  description:
    'The answer is the same whether or not the address is somebody’s. A mail goes out at most once a minute; none to whoever signs in through single sign-on, nor to an address that a token gave less than 72 hours ago. Only where the settings allow it.',
  body: z.strictObject({ email: emailAddress().describe('The email address of the account.') }),
  bodyExample: () => ({ email: 'ann@example.com' }),
  answers: { 200: { description: 'Done.', schema: doneView, example: () => asked } },
  handle: async (call) => {
    const { body, services } = call;
    const link = mintSecret();
    const proposal = requestPasswordReset({ email: body.email, hash: link.hash });
    // Something is kept in any case, so that the answer takes as long.
    const ignored = { event: 'password-reset.ignored', target: { kind: 'User' } };
    const noted = withEvents(proposal, (changed) => (changed.length > 0 ? [] : [ignored]));
    const { changes } = await submit(services.door, noted, contextOf(call));
    mailReset(services, changes, link.secret);
    return { body: asked };
  },
});

const asked = { detail: 'If there is an account with this address, a mail is on its way to it.' };

const resetLink = defineRoute({
  method: 'GET',
  url: '/account/reset-link',
  action: 'recover-account',
  operationId: 'getResetLink',
  tag,
  summary: 'Whether a link to set a new password is good',
  description: 'By the token in the link that was mailed. Asking does not use it up.',
  query: z.strictObject({ token: z.string().min(1).max(255).describe('The token in the link.') }),
  answers: {
    200: {
      description: 'It is good, for so long.',
      schema: z.strictObject({ expiresAt: z.iso.datetime().describe('When it ends.') }),
      example: () => ({ expiresAt: '2026-11-21T10:30:00.000Z' }),
    },
  },
  handle: ({ services, query }) => {
    const view = services.door.store.read();
    requireResetOffered(view);
    const link = goodLink(view, 'reset-password', hashToken(query.token), services.clock());
    return { body: { expiresAt: link.spec.expiresAt } };
  },
});

const resetPassword = defineRoute({
  method: 'POST',
  url: '/account/reset-password',
  action: 'recover-account',
  operationId: 'resetPassword',
  tag,
  summary: 'Set a new password by a link',
  description:
    'By the token in the link that was mailed, which works once, for 30 minutes. Ends all sessions of the user, and unlocks the account. It does not sign in.',
  body: z.strictObject({
    token: z.string().min(1).max(255).describe('The token in the link.'),
    password: z
      .string()
      .min(1)
      .max(1024)
      .describe(
        'The password: 8 to 256 characters, none that many people use, and not made of the username or address.',
      ),
  }),
  bodyExample: () => ({ token: 'Xn5cT0wq7RzL1kYb8Vm2JdG4sH6fP9aQe3uW0iOx', password: 'correct horse battery' }),
  answers: { 200: { description: 'The user.', schema: userView, example: () => exampleUser } },
  handle: async (call) => {
    const { body, services } = call;
    const hash = hashToken(body.token);
    const view = services.door.store.read();
    // Asked before there is work to do, and again when it is done.
    requireResetOffered(view);
    const { user } = goodLink(view, 'reset-password', hash, services.clock()).spec;
    const passwordHash = await hashOfNew(body.password, services, passwordOwner(view.get('User', user)));
    const { changes } = await submit(services.door, resetPasswordByLink({ hash, passwordHash }), contextOf(call));
    return { body: shownOwner(changes, services) };
  },
});

const restoreAddress = defineRoute({
  method: 'POST',
  url: '/account/restore-email',
  action: 'recover-account',
  operationId: 'restoreEmail',
  tag,
  summary: 'Take an address back by a link',
  description:
    'By the token in the mail that told the old address of a change, which works once, for 72 hours. The user has the old address again; all sessions end, and every other link that was mailed to the account meanwhile. Whoever changed the address knew the password: where the settings allow to set a new one by mail the old one is gone, and a link for it is on its way to the address. It does not sign in.',
  body: z.strictObject({ token: z.string().min(1).max(255).describe('The token in the link.') }),
  bodyExample: () => ({ token: 'Xn5cT0wq7RzL1kYb8Vm2JdG4sH6fP9aQe3uW0iOx' }),
  answers: { 200: { description: 'Done, and what to do next.', schema: doneView, example: () => restored(true) } },
  handle: async (call) => {
    const { body, services } = call;
    const reset = mintSecret();
    const proposal = restoreEmail({ hash: hashToken(body.token), resetHash: reset.hash });
    const { changes } = await submit(services.door, proposal, contextOf(call));
    mailReset(services, changes, reset.secret);
    const isMailed = changesOf(changes, 'ActionToken').some(({ after }) => after !== undefined);
    return { body: restored(isMailed) };
  },
});

function restored(isMailed: boolean): { detail: string } {
  const next = isMailed
    ? 'The old password opens nothing any more: set a new one by the link that is on its way to you.'
    : 'Sign in and change your password at once.';
  return {
    detail: `The account has this address again, and everybody is signed out. ${next} Then revoke the tokens that you do not know, and tell an administrator.`,
  };
}

export const recoveryRoutes: readonly Route[] = [forgotPassword, resetLink, resetPassword, restoreAddress];
