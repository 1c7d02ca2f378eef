// Creates an access token of a user.
import type { z } from 'zod';
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';

/** What a new token is given: the label that its owner chose, whose it is, the hash of its text, scope and end. */
export interface NewToken {
  readonly name: string;
  readonly spec: z.input<typeof kinds.Token.spec>;
}

/** Throws a ZodError for values that no token can have. */
export function createToken(token: NewToken): Proposal {
  return (_view, context) => [created(newToken(token, context))];
}

/** The resource of a new token. */
export function newToken({ name, spec }: NewToken, { now, newId }: Context): Resource<'Token'> {
  const checked = kinds.Token.spec.parse(spec);
  return { kind: 'Token', id: newId(), name, spec: checked, generation: 1, createdAt: now, updatedAt: now };
}
