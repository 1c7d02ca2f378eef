// The noun ActionToken: what a link in a mail proves, once. Its name is its id.
import { z } from 'zod';
import { defineKind, refId, sha256 } from './kind.ts';
import { emailAddress, instant } from './scalars.ts';

/** A single-use proof that somebody reads mail at an address: it verifies the address, lets a new password be set, or takes an address back. */
export const actionToken = defineKind({
  kind: 'ActionToken',
  plural: 'actionTokens',
  path: 'action-tokens',
  declared: false,
  summary: 'What a link in a mail proves, once.',
  spec: z.strictObject({
    user: refId('User').describe('The user whom the mail went to.'),
    purpose: z.enum(['verify-email', 'reset-password', 'restore-email']).describe('What it may be used for.'),
    email: emailAddress().describe('The address that the mail went to; the one that is verified, or taken back.'),
    session: z
      .string()
      .optional()
      .describe('The id of the session that asked for another address: the link is good only as long as that is.'),
    hash: sha256().describe('The SHA-256 of the token, in hexadecimal.'),
    expiresAt: instant().describe('When it ends.'),
  }),
  keys: (spec) => [`hash=${spec.hash}`],
});
