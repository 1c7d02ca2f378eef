// The noun SpentLogin: a single sign-on that an identity provider has answered, so that its answer is taken once.
import { z } from 'zod';
import { defineKind } from './kind.ts';
import { instant } from './scalars.ts';

/** An answered SAML login. Its name is a digest of the assertion's id and of the configuration; it is remembered until `expiresAt`. */
export const spentLogin = defineKind({
  kind: 'SpentLogin',
  plural: 'spentLogins',
  path: 'spent-logins',
  declared: false,
  internal: true,
  summary: 'A single sign-on that was answered, and cannot be answered again.',
  spec: z.strictObject({
    request: z
      .string()
      .describe('The id of the request that was answered; it names its configuration, and nobody can guess it.'),
    expiresAt: instant().describe(
      'Until when it is remembered: neither the request nor the assertion is taken any more by then.',
    ),
  }),
  keys: ({ request }) => [`request=${request}`],
});
