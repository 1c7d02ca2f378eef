// The noun Token: an access token of a user. Its name is the label that the user gave.
import { z } from 'zod';
import { bookkeeping, defineKind, refId, sha256 } from './kind.ts';
import { instant } from './scalars.ts';

/** An access token (specification 2.1, 5). Only its hash is kept; times are RFC 3339 in UTC. */
export const token = defineKind({
  kind: 'Token',
  plural: 'tokens',
  path: 'tokens',
  declared: false,
  summary: 'An access token of a user.',
  spec: z.strictObject({
    user: refId('User').describe('The user whose token it is.'),
    hash: sha256().describe('The SHA-256 of the token, in hexadecimal.'),
    scope: z
      .enum(['full', 'plan'])
      .default('full')
      .describe('What it opens: all that the user may do, or reading plans only.'),
    expiresAt: instant().nullable().default(null).describe('When it ends; null for never.'),
    lastUsedAt: bookkeeping(instant())
      .nullable()
      .default(null)
      .describe('When it was last used, to the minute; null for never.'),
  }),
  keys: (spec) => [`hash=${spec.hash}`],
});
