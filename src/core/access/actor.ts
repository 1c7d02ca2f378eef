// The caller: who asks for something, and by what credential.
import type { Actor } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';

/** Nobody known, or a user who is not suspended, by an access token that has not expired or by a session. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: Resource<'User'>; readonly by: 'session' }
  | { readonly kind: 'user'; readonly user: Resource<'User'>; readonly by: 'token'; readonly token: Resource<'Token'> };

/** Nobody known. */
export const anonymous: Caller = { kind: 'anonymous' };

/** How the caller is named in what is kept: a token by its own id and its user's name. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === 'anonymous') return { kind: 'user' };
  const { user } = caller;
  return caller.by === 'token'
    ? { kind: 'token', id: caller.token.id, name: user.name }
    : { kind: 'user', id: user.id, name: user.name };
}
