// The noun Session: a user signed in with a browser. Its name is its id.
import { z } from 'zod';
import { bookkeeping, defineKind, refId, sha256 } from './kind.ts';
import { hours, instant } from './scalars.ts';

/** A session (specification 5.6). Its cookie's value is kept as a hash; it ends at `expiresAt`, or after `idleHours` without a request. */
export const session = defineKind({
  kind: 'Session',
  plural: 'sessions',
  path: 'sessions',
  declared: false,
  summary: 'A user signed in with a browser.',
  spec: z.strictObject({
    user: refId('User').describe('The user who signed in.'),
    sso: refId('SsoConfig')
      .optional()
      .describe('The configuration of single sign-on that opened it; absent: a password.'),
    hash: sha256().describe('The SHA-256 of the value of its cookie, in hexadecimal.'),
    expiresAt: instant().describe('When it ends at the latest.'),
    idleHours: hours().describe('After how many hours without a request it ends.'),
    lastSeenAt: bookkeeping(instant()).describe('When it was last used, to the minute.'),
    address: z.string().max(64).describe('The network address that signed in.'),
    agent: z.string().max(512).describe('The browser, as it called itself.'),
  }),
  keys: (spec) => [`hash=${spec.hash}`],
});
