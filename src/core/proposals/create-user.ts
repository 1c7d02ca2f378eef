// Creates a user.
import type { z } from 'zod';
import { kinds } from '../kinds/index.ts';
import { matching } from '../kinds/kind.ts';
import { created } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';

/** A username: 1 to 63 characters, never an email address, so that either can be typed at sign-in. */
export function username(): z.ZodString {
  return matching(
    63,
    /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    'it must be letters, digits, ".", "_" and "-", with a letter or digit at both ends',
  );
}

/** What a new user is given; what is absent has its default. */
export interface NewUser {
  readonly username: string;
  readonly spec: z.input<typeof kinds.User.spec>;
}

/**
 * `byToken`: a token makes it, so its address is kept as one that nobody has shown to be theirs, although it opens what addresses open. Throws a
 * ZodError for values that no user can have.
 */
export function createUser(
  { username, spec }: NewUser,
  { byToken = false }: { readonly byToken?: boolean } = {},
): Proposal {
  return (_view, context) => {
    const given = byToken ? { emailUnsettledUntil: context.now } : {};
    return [created(newUser({ username, spec: { ...spec, ...given } }, context))];
  };
}

/** The resource of a new user. */
export function newUser({ username: name, spec }: NewUser, { now, newId }: Context): Resource<'User'> {
  const checked = kinds.User.spec.parse(spec);
  return {
    kind: 'User',
    id: newId(),
    name: username().parse(name),
    spec: checked,
    generation: 1,
    createdAt: now,
    updatedAt: now,
  };
}
