// The noun User: someone who can sign in. Its name is the username.
import { z } from 'zod';
import { defineKind, marked } from './kind.ts';
import { emailAddress, flag } from './scalars.ts';

/** A user (specification 2.7). `passwordHash` is absent where there is no local password. */
export const user = defineKind({
  kind: 'User',
  plural: 'users',
  path: 'users',
  declared: false,
  summary: 'Someone who can sign in.',
  spec: z.strictObject({
    email: emailAddress().describe('The email address, in lower case.'),
    emailVerified: flag(false, 'Whether the address is known to be the user’s.'),
    displayName: z.string().max(255).default('').describe('The name that people read.'),
    admin: flag(false, 'Whether the user has full access to the platform.'),
    suspended: flag(false, 'Whether the user is shut out.'),
    passwordHash: marked(z.string().max(1024), { secret: true })
      .optional()
      .describe('The hash of the local password; absent where there is none.'),
  }),
  keys: (spec) => [`email=${spec.email}`],
});
