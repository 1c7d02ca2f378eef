// The caller: who asks for something, and by what credential.
import type { Actor } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';

/** A user who is not suspended, by an access token that has not expired or by a session. */
export type UserCaller =
  | {
      readonly kind: 'user';
      readonly user: Resource<'User'>;
      readonly by: 'session';
      readonly session: Resource<'Session'>;
    }
  | { readonly kind: 'user'; readonly user: Resource<'User'>; readonly by: 'token'; readonly token: Resource<'Token'> };

/** Nobody known, a user, or whoever holds the statistics token. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | UserCaller
  | { readonly kind: 'scraper'; readonly token: Resource<'StatisticsToken'> };

/** Nobody known. */
export const anonymous: Caller = { kind: 'anonymous' };

/** How the caller is named in what is kept: a token by its own id and its user's name. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === 'anonymous') return { kind: 'user' };
  if (caller.kind === 'scraper') return { kind: 'token', id: caller.token.id, name: caller.token.name };
  const { user } = caller;
  return caller.by === 'token'
    ? { kind: 'token', id: caller.token.id, name: user.name }
    : { kind: 'user', id: user.id, name: user.name };
}

/** The same caller as the state knows them now; `anonymous` where the credential or its user is gone. */
export function callerNow(caller: Caller, view: View): Caller {
  if (caller.kind === 'anonymous') return caller;
  if (caller.kind === 'scraper') return view.get('StatisticsToken', caller.token.id) ? caller : anonymous;
  const user = view.get('User', caller.user.id);
  if (!user || user.spec.suspended) return anonymous;
  const { by } = caller;
  if (by === 'token') return view.get('Token', caller.token.id) ? { ...caller, user } : anonymous;
  return view.get('Session', caller.session.id) ? { ...caller, user } : anonymous;
}
