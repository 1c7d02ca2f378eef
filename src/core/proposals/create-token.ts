// Creates an access token of a user.
import type { z } from 'zod';
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import { referenceKey } from '../model/references.ts';
import type { Resource } from '../model/resource.ts';
import { Declined } from './declined.ts';

/** What a new token is given: the label that its owner chose, whose it is, the hash of its text, scope and end. */
export interface NewToken {
  readonly name: string;
  readonly spec: z.input<typeof kinds.Token.spec>;
}

/** How many tokens a user may have: a program that makes one for each of its runs is told so. */
export const mostTokens = 1000;

/** Declines (`conflict`) where the user has as many as anybody may have; throws a ZodError for values that no token can have. */
export function createToken(token: NewToken): Proposal {
  return (view, context) => {
    const own = view.countHaving('Token', referenceKey({ kind: 'User', by: 'id', to: token.spec.user }));
    if (own >= mostTokens)
      throw new Declined(
        'conflict',
        `no token can be made, because you have ${own} already, and nobody may have more than ${mostTokens}: revoke some`,
      );
    return [created(newToken(token, context))];
  };
}

/** The resource of a new token. */
export function newToken({ name, spec }: NewToken, { now, newId }: Context): Resource<'Token'> {
  const checked = kinds.Token.spec.parse(spec);
  return { kind: 'Token', id: newId(), name, spec: checked, generation: 1, createdAt: now, updatedAt: now };
}
