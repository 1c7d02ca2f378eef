// The noun User: someone who can sign in. Its name is the username.
import { z } from 'zod';
import { bookkeeping, defineKind, hashed } from './kind.ts';
import { count, emailAddress, flag, instant, optionalName } from './scalars.ts';

/** A network from which somebody tried to sign in: whether the right password ever came from there, and what is counted there alone. */
const signInNetwork = z.strictObject({
  network: z.string().max(64),
  known: z.boolean(),
  failed: z.int().min(0),
  lockedUntil: z.iso.datetime().nullable(),
});

/** Who somebody is at the provider of a single sign-on configuration, by an id that no one else ever gets. */
const ssoBinding = z.strictObject({
  config: z.string().max(64).describe('The id of the configuration.'),
  attribute: z.string().max(255).describe('What holds the id at the provider: `entryUUID`.'),
  id: z.string().max(1024).describe('The id at the provider.'),
});

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
    emailUnsettledUntil: bookkeeping(instant())
      .nullable()
      .optional()
      .describe(
        'Until when nothing that is mailed to the address, or proved by it, opens the account, because a token gave it; null once somebody has shown that it is theirs.',
      ),
    displayName: optionalName().default('').describe('The name that people read.'),
    admin: flag(false, 'Whether the user has full access to the platform.'),
    suspended: flag(false, 'Whether the user is shut out.'),
    passwordHash: hashed(z.string().max(1024))
      .optional()
      .describe('The hash of the local password; absent where there is none.'),
    registered: bookkeeping(z.literal(true))
      .optional()
      .describe(
        'That somebody registered the account themselves; absent where an admin, single sign-on or an invitation made it.',
      ),
    ssoBindings: z
      .array(ssoBinding)
      .max(24)
      .optional()
      .describe(
        'Who the user is at providers of single sign-on, since the first sign-in through each; nobody else gets in.',
      ),
    lastSignInAt: bookkeeping(instant())
      .nullable()
      .default(null)
      .describe('When the user last signed in; null for never.'),
    failedSignIns: bookkeeping(count(1_000_000))
      .default(0)
      .describe('How many wrong passwords were given in a row from networks that nobody had signed in from.'),
    lockedUntil: bookkeeping(instant())
      .nullable()
      .default(null)
      .describe('Until when no password is taken from such networks; null where any is.'),
    signInNetworks: bookkeeping(z.array(signInNetwork).max(24))
      .optional()
      .describe('The networks from which the user signed in, or wrong passwords came, the last one first.'),
  }),
  keys: ({ email, emailVerified, admin, suspended, registered, lastSignInAt }) => [
    `email=${email}`,
    ...(admin ? [suspended ? suspendedAdmin : activeAdmin] : []),
    ...(suspended ? [suspendedUser] : []),
    ...(registered && !emailVerified && lastSignInAt === null ? [unverifiedRegistration] : []),
  ],
});

/** The index key of admins who can sign in. */
export const activeAdmin = 'admin=active';

/** The index key of admins who are shut out. */
export const suspendedAdmin = 'admin=suspended';

/** The index key of users who are shut out, admins and others. */
export const suspendedUser = 'suspended';

/** The index key of accounts that somebody registered, whose address was never verified and to which nobody ever signed in. */
export const unverifiedRegistration = 'registered=unverified';
