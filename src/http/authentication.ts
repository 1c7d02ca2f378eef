// Who calls: the token in the header, or else the session in the cookie. A header that is there counts, and nothing else is looked at.
import type { FastifyRequest } from 'fastify';
import { isWellFormedSecret } from '../auth/secret.ts';
import { hashToken, useOfToken } from '../auth/token.ts';
import { submit } from '../control/submit.ts';
import { anonymous, type Caller, hasEnded } from '../core/access/actor.ts';
import type { Proposal } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { first } from '../core/model/state.ts';
import type { View } from '../core/model/view.ts';
import { deleteSession } from '../core/proposals/delete-session.ts';
import { deleteToken } from '../core/proposals/delete-token.ts';
import { cookiesIn, hostPrefix } from './cookies.ts';
import { Problem } from './errors.ts';
import type { LastUse } from './last-use.ts';
import type { ServerOptions } from './services.ts';

/** The name of the cookie that holds a session. */
export const sessionCookie = 'weir_session';

/** The caller of a request; `anonymous` where the credential opens nothing. What has expired is deleted when it is shown. */
export async function callerOf(request: FastifyRequest, options: ServerOptions, lastUse: LastUse): Promise<Caller> {
  const { authorization, cookie } = request.headers;
  const found =
    authorization === undefined
      ? callerBySession(sessionIn(cookie, options.door.store.read()), options, lastUse)
      : callerByToken(authorization, options, lastUse);
  if (!('ended' in found)) return found;
  await forget(found.ended, found.what, options);
  return anonymous;
}

/** A caller, or that the credential has ended, and how it is deleted. */
export type FoundCaller = Caller | { readonly ended: Proposal; readonly what: string };

/**
 * The session that the cookies of a request name. One that only this host can have set counts before others. Pages of this origin, and those of hosts
 * beside it, can set a second one: what is no session takes nothing from one that is, and of two that are none counts, or somebody would act as another.
 */
export function sessionIn(cookie: string | undefined, view: View): string | undefined {
  const own = cookiesIn(cookie, `${hostPrefix}${sessionCookie}`);
  const values = own.length > 0 ? own : cookiesIn(cookie, sessionCookie);
  if (values.length < 2) return values[0];
  const real = values.filter((value) => sessionOf(value, view) !== undefined);
  return real.length === 1 ? real[0] : undefined;
}

function sessionOf(value: string, view: View): Resource<'Session'> | undefined {
  return isWellFormedSecret(value) ? first(view.having('Session', `hash=${hashToken(value)}`)) : undefined;
}

/** Whose token stands in the header Authorization. */
export function callerByToken(
  authorization: string,
  { door, clock }: Pick<ServerOptions, 'door' | 'clock'>,
  { touch }: Pick<LastUse, 'touch'>,
): FoundCaller {
  const [, text = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  const use = useOfToken(text);
  // A token for endpoints opens nothing of Weir itself: see `proxy/visitor.ts`.
  if (use === undefined || use === 'http') return anonymous;
  const view = door.store.read();
  const key = `hash=${hashToken(text)}`;
  const now = clock();
  if (use === 'device') return byDeviceToken(first(view.having('Device', key)), now, touch);
  if (use === 'provisioning') return byProvisioningToken(first(view.having('ProvisioningToken', key)), now);
  const token = first(view.having('Token', key));
  if (!token) return byStatisticsToken(first(view.having('StatisticsToken', key)), now, touch);
  if (hasEnded(token.spec.expiresAt, now))
    return { ended: deleteToken(token.id), what: `the expired token ${token.id}` };
  const user = view.get('User', token.spec.user);
  if (!user || user.spec.suspended) return anonymous;
  touch('Token', token.id, now);
  return { kind: 'user', user, by: 'token', token };
}

function byStatisticsToken(
  token: Resource<'StatisticsToken'> | undefined,
  now: string,
  touch: LastUse['touch'],
): Caller {
  if (!token) return anonymous;
  touch('StatisticsToken', token.id, now);
  return { kind: 'scraper', token };
}

function byDeviceToken(device: Resource<'Device'> | undefined, now: string, touch: LastUse['touch']): Caller {
  if (!device) return anonymous;
  touch('Device', device.id, now);
  return { kind: 'device', device };
}

/** One that has ended is swept with all else that has. */
function byProvisioningToken(token: Resource<'ProvisioningToken'> | undefined, now: string): Caller {
  return token && !hasEnded(token.spec.expiresAt, now) ? { kind: 'machine', token } : anonymous;
}

/** Whose session a cookie holds. */
export function callerBySession(
  value: string | undefined,
  { door, clock }: Pick<ServerOptions, 'door' | 'clock'>,
  lastUse: Pick<LastUse, 'touch' | 'of'>,
): FoundCaller {
  if (value === undefined) return anonymous;
  const view = door.store.read();
  const session = sessionOf(value, view);
  return session ? callerIn(session, view, clock(), lastUse) : anonymous;
}

/** Whose session it is, as long as it has not ended. */
export function callerIn(
  session: Resource<'Session'>,
  view: View,
  now: string,
  lastUse: Pick<LastUse, 'touch' | 'of'>,
): FoundCaller {
  if (isOver(session, now, lastUse))
    return { ended: deleteSession(session.id), what: `the ended session ${session.id}` };
  const user = view.get('User', session.spec.user);
  if (!user || user.spec.suspended) return anonymous;
  lastUse.touch('Session', session.id, now);
  return { kind: 'user', user, by: 'session', session };
}

/** Past its end, or unused for too long (specification 5.6). */
export function isOver(session: Resource<'Session'>, now: string, { of }: Pick<LastUse, 'of'>): boolean {
  const { expiresAt, idleHours, lastSeenAt } = session.spec;
  // A use that this process noted while the clock was wrong takes nothing from what was kept.
  const seen = Math.max(Date.parse(of(session.id) ?? lastSeenAt), Date.parse(lastSeenAt));
  return hasEnded(expiresAt, now) || Date.parse(now) >= seen + idleHours * 3_600_000;
}

/** The credential opens nothing whether or not it can be deleted now. */
async function forget(proposal: Proposal, what: string, { door, clock, newId, log }: ServerOptions): Promise<void> {
  try {
    await submit(door, proposal, { now: clock(), newId, actor: { kind: 'job', name: 'expire' }, origin: 'api' });
  } catch (error) {
    log(`${what} could not be deleted: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * A browser sends its cookie whoever makes it ask. So a request that changes something by a cookie must come from our own pages, which the
 * browser says in `Origin` (RFC 6454). Throws `forbidden`.
 */
export function requireOwnOrigin(request: FastifyRequest, { baseUrl }: Pick<ServerOptions, 'baseUrl'>): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return;
  const { origin } = request.headers;
  if (origin === new URL(baseUrl).origin) return;
  const detail =
    origin === undefined
      ? `A change by a session cookie needs the header Origin: ${new URL(baseUrl).origin}.`
      : `This platform is at ${new URL(baseUrl).origin}, and takes no changes by a session cookie from pages elsewhere.`;
  throw new Problem('forbidden', { detail });
}
