// Signing in at the host name of an instance: to Weir, which knows the session, and back with a ticket that becomes a cookie of that host.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashToken } from '../../auth/token.ts';
import { instanceOrigin } from '../../core/instances/address.ts';
import { singleton } from '../../core/model/view.ts';
import { cookiesIn, hostCookie } from '../cookies.ts';
import { Problem } from '../errors.ts';
import type { LastUse } from '../last-use.ts';
import { doorstepOf, type Gate, nothingHere, pathToReturnTo } from './arrive.ts';
import { entryFor } from './entry.ts';
import { enteringCookie, instanceCookie, instanceCookieValue, newSecret, type Tickets } from './hand-over.ts';
import { type Refusing, wantsPage } from './refuse.ts';
import type { Target } from './target.ts';
import { type Visitor, visitorOf } from './visitor.ts';

/** Below each instance, and never passed on. */
const reserved = '/.weir/';

/** The doors that Weir itself has below an instance. */
export interface Entrance {
  /** Answers what is for Weir below an instance; false where it is not. */
  answers(request: IncomingMessage, response: ServerResponse, target: Target): boolean;
  /** Has somebody sign in who must: leads a browser there, and tells a program. */
  signIn(request: IncomingMessage, response: ServerResponse, target: Target, id: string, visitor: Visitor): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly id: string;
}

export function createEntrance(
  gate: Gate,
  { refuse, redirect }: Refusing,
  tickets: Tickets,
  lastUse: Pick<LastUse, 'touch' | 'of'>,
): Entrance {
  const { baseUrl, door, clock } = gate.options;
  const platform = () => singleton(door.store.read(), 'Platform').spec;
  const names = { entering: hostCookie(enteringCookie, baseUrl), instance: hostCookie(instanceCookie, baseUrl) };
  const flags = `Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`;
  const toLogin = ({ request, response }: Exchange, next: string) =>
    redirect(request, response, `${baseUrl}/account/login?next=${encodeURIComponent(next)}`);

  /** At Weir: makes a ticket for who is signed in. */
  const atWeir = (exchange: Exchange, query: URLSearchParams) => {
    const { request, response, target, id } = exchange;
    const view = door.store.read();
    const visitor = visitorOf(request, doorstepOf(gate, target, id), { options: gate.options, lastUse, view });
    const [standing, origin] = [gate.standingOf(view, id), instanceOrigin({ baseUrl, platform: platform() }, id)];
    const { caller } = visitor;
    if (caller.kind !== 'user' || caller.by !== 'session') return toLogin(exchange, gate.pathOf(id) + target.rest);
    const entry = standing && entryFor(caller, standing, view);
    if (!origin || !entry || !(entry.endpoints || entry.editor || entry.isShutOut))
      return refuse(request, response, nothingHere());
    const ticket = tickets.mint(caller.session.id, id, query.get('for') ?? '', Date.parse(clock()));
    const back = new URLSearchParams({ ticket, to: pathToReturnTo(query.get('to')) });
    return redirect(request, response, `${origin}${reserved}session?${back}`);
  };

  /** At the host: makes a cookie of a ticket. A browser that keeps no cookies has lost the first one already, and goes no further. */
  const atHost = ({ request, response, id }: Exchange, query: URLSearchParams) => {
    const entering = cookiesIn(request.headers.cookie, names.entering);
    if (entering.length === 0) return refuse(request, response, new Problem('forbidden', { detail: noCookies }));
    const session = tickets.take(query.get('ticket') ?? '', id, entering, Date.parse(clock()));
    const found = session === undefined ? undefined : door.store.read().get('Session', session);
    if (!found) return refuse(request, response, new Problem('forbidden', { detail: usedTicket }));
    const expires = found.spec.expiresAt === null ? '' : `; Expires=${new Date(found.spec.expiresAt).toUTCString()}`;
    response.appendHeader('set-cookie', `${names.instance}=${instanceCookieValue(found, id)}; ${flags}${expires}`);
    response.appendHeader('set-cookie', `${names.entering}=; ${flags}; Max-Age=0`);
    return redirect(request, response, pathToReturnTo(query.get('to')));
  };

  const leadToWeir = ({ request, response, target, id }: Exchange) => {
    const entering = newSecret();
    const query = new URLSearchParams({ for: hashToken(entering), to: pathToReturnTo(target.rest) });
    response.appendHeader('set-cookie', `${names.entering}=${entering}; ${flags}; Max-Age=600`);
    redirect(request, response, `${gate.origin}${gate.pathOf(id)}${reserved}enter?${query}`);
  };

  return {
    answers: (request, response, target) => {
      if (!target.rest.startsWith(reserved)) return false;
      const id = target.by === 'host' ? (gate.idOf(target.name) ?? '') : target.name;
      const [place = '', query = ''] = target.rest.slice(reserved.length).split('?', 2);
      const ours = request.method === 'GET' && place === (target.by === 'host' ? 'session' : 'enter');
      if (!ours) refuse(request, response, nothingHere());
      else (target.by === 'host' ? atHost : atWeir)({ request, response, target, id }, new URLSearchParams(query));
      return true;
    },
    signIn: (request, response, target, id, visitor) => {
      const exchange = { request, response, target, id };
      if (!wantsPage(request)) return refuse(request, response, unauthorized(visitor));
      if (target.by === 'host') return leadToWeir(exchange);
      return toLogin(exchange, gate.pathOf(id) + target.rest);
    },
  };
}

const noCookies =
  'Your browser keeps no cookies for this host, so it cannot be remembered that you are signed in: allow them, and open the instance again.';
const usedTicket = 'This way in was used before, or is too old: open the instance again.';

/** Who is nobody, to a program. */
export function unauthorized({ isOurToken }: Visitor): Problem {
  const detail = isOurToken
    ? 'This token opens nothing here: it is wrong, revoked or expired, its user is suspended, or it is for something else (one for HTTP endpoints opens those of one instance).'
    : 'Send a token (Authorization: Bearer weirp_…), or sign in with a browser.';
  return new Problem('unauthorized', { detail, headers: { 'www-authenticate': 'Bearer realm="weir"' } });
}
