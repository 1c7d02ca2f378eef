// Begins a session: what every way of signing in ends with.
import { kinds } from '../kinds/index.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { knownNetworks } from './failed-sign-in.ts';

/** A session to begin. `hash` is the SHA-256 of its cookie's value; `replaced` the id of the session that the browser had until now. */
export interface NewSession {
  readonly hash: string;
  readonly address: string;
  readonly agent: string;
  readonly replaced?: string;
  /** The id of the configuration of single sign-on that opens it; absent where a local password does. */
  readonly sso?: string;
  /** How long it lasts, and how long unused, in hours; what is absent is as the Platform says. */
  readonly expiryHours?: number;
  readonly idleHours?: number;
  /** RFC 3339: when it ends at the latest, whatever else is said. */
  readonly endsAt?: string;
}

/** How many sessions a user may have: a new one ends the oldest. */
export const mostSessions = 100;

/** The session, the end of those that it replaces, and the note that the user signed in, which forgives wrong passwords. */
export function begunSession(view: View, user: Resource<'User'>, session: NewSession, context: Context): Change[] {
  const own = newSession(view, user, session, context);
  return [updated(user, signedIn(user, session, context)), ...replacedBy(view, user, session), created(own)];
}

const noFailures = { failedSignIns: 0, lockedUntil: null } as const;

/** The user, who signs in now. What is counted for other networks stays: it is not they who signed in. */
export function signedIn(
  user: Resource<'User'>,
  { address }: Pick<NewSession, 'address'>,
  { now }: Context,
): Resource<'User'> {
  const spec = { ...user.spec, ...noFailures, lastSignInAt: now, signInNetworks: knownNetworks(user, address) };
  return { ...user, spec };
}

/** The end of the session that a new one replaces, and of the oldest where there are too many. */
export function replacedBy(view: View, user: Resource<'User'>, { replaced }: NewSession): Change[] {
  const had = replaced === undefined ? undefined : view.get('Session', replaced);
  const others = [...referrers(view, 'Session', user)].filter(({ id }) => id !== replaced);
  const tooMany = Math.max(0, others.length + 1 - mostSessions);
  const oldest = others.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)).slice(0, tooMany);
  return [...(had ? [had] : []), ...oldest].map(deleted);
}

/** The session. */
export function newSession(
  view: View,
  user: Resource<'User'>,
  { hash, address, agent, sso, endsAt, ...own }: NewSession,
  { now, newId }: Context,
): Resource<'Session'> {
  const id = newId();
  const { expiryHours, idleHours } = { ...singleton(view, 'Platform').spec.sessions, ...own };
  const ends = Math.min(Date.parse(now) + expiryHours * 3_600_000, Date.parse(endsAt ?? forever));
  const expiresAt = new Date(ends).toISOString();
  const from = { address: address.slice(0, 64), agent: agent.slice(0, 512) };
  const opened = sso === undefined ? {} : { sso };
  const until = { expiresAt, idleHours, lastSeenAt: now };
  const spec = kinds.Session.spec.parse({ user: user.id, hash, ...opened, ...until, ...from });
  return { kind: 'Session', id, name: id, spec, generation: 1, createdAt: now, updatedAt: now };
}

const forever = '9999-12-31T23:59:59.999Z';
