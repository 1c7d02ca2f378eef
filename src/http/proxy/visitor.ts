// Who comes in: by a token of Weir, or by a cookie, which counts only for what pages of the same origin asked.
import type { IncomingMessage } from 'node:http';
import { hashToken, useOfToken } from '../../auth/token.ts';
import { anonymous, type Caller, hasEnded } from '../../core/access/actor.ts';
import { first } from '../../core/model/state.ts';
import type { PositionedView } from '../../store/store.ts';
import { callerBySession, callerByToken, callerIn, type FoundCaller, sessionIn } from '../authentication.ts';
import { cookiesIn, hostCookie } from '../cookies.ts';
import type { LastUse } from '../last-use.ts';
import type { ServerOptions } from '../services.ts';
import { instanceCookie, sessionBehind } from './hand-over.ts';

/** Somebody at the door. */
export interface Visitor {
  readonly caller: Caller;
  /** Whether the header Authorization was for Weir. */
  readonly isOurToken: boolean;
  /** Whether it is a token for the HTTP endpoints of this instance: that opens them, and nothing else. */
  readonly mayCall: boolean;
  /** Whether there was a cookie that did not count, because a page elsewhere asked. */
  readonly isFromElsewhere: boolean;
}

/** What it takes to know them. */
export interface Known {
  readonly options: Pick<ServerOptions, 'door' | 'clock' | 'baseUrl'>;
  readonly lastUse: Pick<LastUse, 'touch' | 'of'>;
  readonly view: PositionedView;
}

/** Where they stand. */
export interface Doorstep {
  readonly by: 'path' | 'host';
  /** The id of the instance. */
  readonly id: string;
  /** The origin of pages that may ask with the cookie. */
  readonly origin: string;
  /** The path below which pages of this instance are, where they share an origin with others: only those may ask with the cookie. */
  readonly path: string;
}

/** Who sends a request. */
export function visitorOf(request: IncomingMessage, step: Doorstep, known: Known): Visitor {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined && /^bearer +weir[a-z]+_/i.test(authorization))
    return {
      ...alone,
      caller: stillThere(callerByToken(authorization, known.options, known.lastUse)),
      isOurToken: true,
      mayCall: isForEndpoints(authorization, step.id, known),
    };
  if (cookie === undefined) return alone;
  const caller = stillThere(
    step.by === 'path'
      ? callerBySession(sessionIn(cookie, known.view), known.options, known.lastUse)
      : atHost(cookie, step.id, known),
  );
  if (caller === anonymous) return alone;
  return isFromElsewhere(request, step) ? { ...alone, isFromElsewhere: true } : { ...alone, caller };
}

const alone: Visitor = { caller: anonymous, isOurToken: false, mayCall: false, isFromElsewhere: false };

/** What has ended opens nothing; it is deleted when it is shown to the API, or by the job for that. */
function stillThere(found: FoundCaller): Caller {
  return 'ended' in found ? anonymous : found;
}

function isForEndpoints(authorization: string, instance: string, { view, options }: Known): boolean {
  const [, text = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (useOfToken(text) !== 'http') return false;
  const token = first(view.having('HttpToken', `hash=${hashToken(text)}`));
  return token?.spec.instance === instance && !hasEnded(token.spec.expiresAt, options.clock());
}

/** Of several cookies that one counts which Weir made for this instance. */
function atHost(cookie: string, instance: string, { view, options, lastUse }: Known): FoundCaller {
  for (const value of cookiesIn(cookie, hostCookie(instanceCookie, options.baseUrl))) {
    const session = sessionBehind(value, instance, view);
    if (session) return callerIn(session, view, options.clock(), lastUse);
  }
  return anonymous;
}

/**
 * A browser sends a cookie whoever makes it ask. So what changes something, and a connection that stays, must come from a page of the same origin, which
 * the browser says in `Origin`; and no page elsewhere may read. Where the browser says which page it was, that of another instance is elsewhere, too.
 */
function isFromElsewhere({ method = '', headers }: IncomingMessage, { by, origin, path }: Doorstep): boolean {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method) && headers.upgrade === undefined;
  if (!isRead && headers.origin !== origin) return true;
  if (headers['sec-fetch-mode'] === 'navigate') return false;
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return true;
  return by === 'path' && isOfAnotherInstance(headers.referer, origin, path);
}

function isOfAnotherInstance(referer: string | undefined, origin: string, path: string): boolean {
  if (referer === undefined || !URL.canParse(referer)) return false;
  const url = new URL(referer);
  const instances = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
  return url.origin === origin && url.pathname.startsWith(instances) && !url.pathname.startsWith(path);
}
