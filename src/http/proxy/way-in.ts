// The way in: requests for instances, taken before anything of Weir's own looks at them, and passed on to whom they are for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { singleton } from '../../core/model/view.ts';
import { Problem } from '../errors.ts';
import type { LastUse } from '../last-use.ts';
import type { ServerOptions } from '../services.ts';
import { type Arrival, arrive, type Gate, nothingHere, type Passage, shutOut } from './arrive.ts';
import { createCapacity } from './capacity.ts';
import { createEntrance, unauthorized } from './enter.ts';
import { type Failure, forward } from './forward.ts';
import { createTickets } from './hand-over.ts';
import { type AnsweredTo, answerHeaders, headerIn, requestHeaders, type Said } from './heads.ts';
import { createHostNames } from './host-names.ts';
import { usualPatience } from './patience.ts';
import { createPools } from './pools.ts';
import { createRefusing } from './refuse.ts';
import { leadsAstray, sharedPolicy } from './shared-origin.ts';
import { createStandings } from './standing.ts';
import { serveFile, staticPathIn } from './static-files.ts';
import { isWebSocket, type Target, targetOf } from './target.ts';
import { openTunnel } from './tunnel.ts';

/** The way in to instances. */
export interface WayIn {
  /** Whether a request is for an instance; then it is for nothing else. */
  isFor(request: IncomingMessage): boolean;
  /** Whether a request is for an instance, and its connection is to become a WebSocket. Any other wish to upgrade it is ignored (RFC 9110, 7.8). */
  upgrades(request: IncomingMessage): boolean;
  /** Answers a request for an instance. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Answers one that wants its connection upgraded. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Cuts open connections, lets requests end that are under way, and after a while cuts them, too. */
  close(): void;
}

/** `mostConnections` is how many connections the server takes: a runtime gets a connection for each. */
export function createWayIn(options: ServerOptions, lastUse: LastUse, mostConnections: () => number): WayIn {
  const { door, baseUrl, wayIn: bounds } = options;
  const { store } = door;
  const patience = { ...usualPatience, ...bounds };
  const { perInstance = 256, perClient = 128 } = bounds ?? {};
  const most = { perInstance, perClient, inAll: () => Math.max(1, Math.floor(mostConnections() / 2)) };
  const [requests, tunnels] = [createCapacity(most), createCapacity(most)];
  const pools = createPools(patience, perInstance);
  const hostNames = createHostNames(store);
  const gate: Gate = { options, idOf: hostNames.idOf, standingOf: createStandings(door.facts) };
  const refusing = createRefusing(baseUrl);
  const entrance = createEntrance(gate, refusing, createTickets(), lastUse);
  const base = new URL(baseUrl);
  const scheme = base.protocol.slice(0, -1);
  const [running, open] = [new Set<ServerResponse>(), new Map<() => void, () => boolean>()];
  let closing = false;

  const platform = () => singleton(store.read(), 'Platform').spec;
  const find = (request: IncomingMessage) =>
    targetOf(request, { domain: platform().customHostnames?.domain?.toLowerCase(), ownHost: base.hostname });
  const unfollow = store.subscribe((entry) => {
    if (entry === 'reset') return;
    for (const { kind, id } of entry.changes)
      if (kind === 'Instance' && options.instanceDoor?.(id) === undefined) pools.drop(id);
  });
  // Rights that were taken away end what is open, too. Looking is no use of a session.
  const looking = setInterval(() => {
    for (const [end, isStillAllowed] of open) if (!isStillAllowed()) end();
  }, patience.lookMs);
  looking.unref();

  const said = (request: IncomingMessage, { entry, caller, door: to, isOurToken, path }: Passage): Said => {
    const trusts = platform().api.trustProxy;
    const name = caller.kind === 'user' ? caller.user.name : '';
    return {
      host: request.headers.host ?? '',
      clientAddress: addressOf(request, trusts),
      scheme: (trusts && lastOf(request.headers['x-forwarded-proto'])) || scheme,
      prefix: to.path,
      version: request.httpVersion,
      isOurToken,
      principal: to.principal({
        method: request.method ?? '',
        path,
        editor: entry.editor && { name, mayWrite: entry.editor === 'write' },
      }),
    };
  };
  const answeredTo = (request: IncomingMessage, { by, door: to, standing }: Passage): AnsweredTo => {
    if (by === 'host') return { sharedPath: undefined, policy: undefined };
    const path = `${to.path}/`;
    const place = { host: request.headers.host ?? '', baseUrl, path, catalogues: standing.catalogues };
    return { sharedPath: path, policy: sharedPolicy(place) };
  };

  const filePathIn = ({ method }: IncomingMessage, { standing, path, door: to }: Passage) =>
    standing.servesFiles && options.instanceFiles ? staticPathIn(method, path, to.path) : undefined;
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    { id, standing: { isForTeam } }: Passage,
    about: { readonly path: string; readonly policy: string | undefined },
  ) => {
    const { instanceFiles: files } = options;
    try {
      if (files && (await serveFile(request, response, { files, id, isForTeam, closing, ...about }))) return;
      refusing.refuse(request, response, nothingHere());
    } catch (error) {
      options.log(`a static file of the instance ${id} cannot be read: ${error}`);
      if (response.headersSent) response.destroy();
      else refusing.refuse(request, response, new Problem('unavailable', { detail: 'The file cannot be read now.' }));
    }
  };

  const pass = (request: IncomingMessage, response: ServerResponse, target: Target, passage: Passage) => {
    const { id, door: to, path, by } = passage;
    const about = said(request, passage);
    const giveBack = requests.take(id, about.clientAddress);
    if (typeof giveBack === 'string') return refusing.refuse(request, response, tooMany(giveBack));
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      giveBack();
    });
    const rules = answeredTo(request, passage);
    const file = filePathIn(request, passage);
    if (file !== undefined) return void serve(request, response, passage, { path: file, policy: rules.policy });
    return forward({
      request,
      response,
      pool: pools.to(id, to.origin),
      path,
      headers: requestHeaders(request.rawHeaders, request.headers.connection, about),
      answered: (status, raw) => {
        const location = by === 'path' && status >= 300 && status < 400 ? headerIn(raw, 'location') : undefined;
        if (location !== undefined && leadsAstray(location, { host: about.host, baseUrl, path: `${to.path}/` }))
          return astray;
        const headers = answerHeaders(raw, rules);
        if (closing) headers.push('connection', 'close');
        return headers;
      },
      instead: (why) => {
        if (why !== 'nothing') return refusing.refuse(request, response, failed(why));
        if (passage.entry.isShutOut) return refusing.refuse(request, response, shutOut());
        if (passage.caller.kind !== 'anonymous') return refusing.refuse(request, response, nothingHere());
        const visitor = {
          caller: passage.caller,
          isOurToken: passage.isOurToken,
          mayCall: false,
          isFromElsewhere: false,
        };
        return entrance.signIn(request, response, target, id, visitor);
      },
    });
  };

  return {
    isFor: (request) => find(request) !== undefined,
    upgrades: (request) => isWebSocket(request) && find(request) !== undefined,
    handle: (request, response) => {
      const target = find(request);
      if (!target) return;
      response.on('error', () => {});
      if (closing)
        return refusing.refuse(request, response, new Problem('unavailable', { detail: 'The server is closing.' }));
      if (entrance.answers(request, response, target)) return;
      const arrival = arrive(gate, request, target, lastUse);
      if (arrival.outcome === 'pass') return pass(request, response, target, arrival.passage);
      if (arrival.outcome === 'redirect') return refusing.redirect(request, response, arrival.location);
      if (arrival.outcome === 'refuse') return refusing.refuse(request, response, arrival.problem);
      return entrance.signIn(request, response, target, arrival.id, arrival.visitor);
    },
    upgrade: (request, socket, head) => {
      const target = find(request);
      socket.on('error', () => socket.destroy());
      const refuse = (problem: Problem) => refusing.hangUp(socket, problem);
      if (closing || !target) return refuse(new Problem('unavailable', { detail: 'The server is closing.' }));
      const arrival = arrive(gate, request, target, lastUse);
      if (arrival.outcome !== 'pass') return refuse(problemOfUpgrade(arrival));
      const { passage } = arrival;
      const about = said(request, passage);
      const giveBack = tunnels.take(passage.id, about.clientAddress);
      if (typeof giveBack === 'string') return refuse(tooMany(giveBack));
      const end = openTunnel({
        ...{ request, socket, head, patience, refuse },
        ...{ origin: passage.door.origin, path: passage.path },
        headers: requestHeaders(request.rawHeaders, request.headers.connection, about),
        answeredTo: answeredTo(request, passage),
      });
      const unseen = { of: lastUse.of, touch: () => {} };
      open.set(end, () => isSame(arrive(gate, request, target, unseen), passage));
      socket.once('close', () => {
        open.delete(end);
        giveBack();
      });
    },
    close: () => {
      closing = true;
      clearInterval(looking);
      unfollow();
      hostNames.close();
      for (const end of open.keys()) end();
      setTimeout(() => {
        for (const response of running) response.destroy();
        pools.close();
      }, patience.closeMs).unref();
    },
  };
}

const astray: Failure = {
  code: 'bad_gateway',
  detail:
    'The instance answers with an address outside its own path. Below a path of Weir it can lead to its own pages and to other hosts only.',
};

function failed({ code, detail }: Failure): Problem {
  return new Problem(code, { detail });
}

function tooMany(of: 'instance' | 'client' | 'all'): Problem {
  const whose = { instance: 'The instance has', client: 'This address has', all: 'The server has' }[of];
  return new Problem('unavailable', {
    detail: `${whose} as many requests under way as it may: try again later.`,
    headers: { 'retry-after': '2' },
  });
}

function problemOfUpgrade(arrival: Exclude<Arrival, { readonly outcome: 'pass' }>): Problem {
  if (arrival.outcome === 'refuse') return arrival.problem;
  return arrival.outcome === 'sign-in' ? unauthorized(arrival.visitor) : nothingHere();
}

/** Whether somebody may still do what they might when they came, at the same runtime. */
function isSame(arrival: Arrival, { entry, door, caller }: Passage): boolean {
  if (arrival.outcome !== 'pass') return false;
  const { passage: now } = arrival;
  return now.entry.editor === entry.editor && now.door === door && now.caller.kind === caller.kind;
}

/** The address of a client: of the connection, or as a proxy that is trusted saw it. */
function addressOf({ headers, socket }: IncomingMessage, trusts: boolean): string {
  return (trusts && lastOf(headers['x-forwarded-for'])) || (socket.remoteAddress ?? '');
}

/** The last of a list: that which the hop before us wrote. */
function lastOf(value: string | string[] | undefined): string | undefined {
  return (
    String(value ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined
  );
}
