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

/** Nobody known, a user, whoever holds the statistics token, a device, or a machine that may become one. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | UserCaller
  | { readonly kind: 'scraper'; readonly token: Resource<'StatisticsToken'> }
  | { readonly kind: 'device'; readonly device: Resource<'Device'> }
  | { readonly kind: 'machine'; readonly token: Resource<'ProvisioningToken'> };

/** Nobody known. */
export const anonymous: Caller = { kind: 'anonymous' };

/** How the caller is named in what is kept: a token by its own id and its user's name, a device by its own. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === 'anonymous') return { kind: 'user' };
  if (caller.kind === 'device') return { kind: 'token', id: caller.device.id, name: caller.device.name };
  if (caller.kind !== 'user') return { kind: 'token', id: caller.token.id, name: caller.token.name };
  const { user } = caller;
  return caller.by === 'token'
    ? { kind: 'token', id: caller.token.id, name: user.name }
    : { kind: 'user', id: user.id, name: user.name };
}

/** The same caller as the state knows them at a time (RFC 3339); `anonymous` where the credential or its user is gone, or its end has come. */
export function callerNow(caller: Caller, view: View, now: string): Caller {
  if (caller.kind === 'anonymous') return caller;
  if (caller.kind === 'scraper') return view.get('StatisticsToken', caller.token.id) ? caller : anonymous;
  if (caller.kind === 'device') return deviceNow(caller.device, view);
  if (caller.kind === 'machine') {
    const token = view.get('ProvisioningToken', caller.token.id);
    return token && !hasEnded(token.spec.expiresAt, now) ? { ...caller, token } : anonymous;
  }
  const user = view.get('User', caller.user.id);
  if (!user || user.spec.suspended) return anonymous;
  const credential =
    caller.by === 'token' ? view.get('Token', caller.token.id) : view.get('Session', caller.session.id);
  return credential && !hasEnded(credential.spec.expiresAt, now) ? { ...caller, user } : anonymous;
}

/** A device that got another token since is not known by the old one. */
function deviceNow({ id, spec }: Resource<'Device'>, view: View): Caller {
  const device = view.get('Device', id);
  return device?.spec.hash === spec.hash ? { kind: 'device', device } : anonymous;
}

/** Whether an end has come; null is none. */
export function hasEnded(end: string | null, now: string): boolean {
  return end !== null && Date.parse(end) <= Date.parse(now);
}
