// The way in: requests for instances, taken before anything of Weir's own looks at them, and passed on to whom they are for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { instancePath } from '../../core/instances/address.ts';
import { usualGateway } from '../../core/kinds/platform.ts';
import { networkOf } from '../../core/model/network.ts';
import { singleton } from '../../core/model/view.ts';
import { Problem } from '../errors.ts';
import type { LastUse } from '../last-use.ts';
import { noRoom } from '../plugins/reserved-part.ts';
import type { ServerOptions } from '../services.ts';
import { type Arrival, arrive, type Gate, nothingHere, type Passage, shutOut } from './arrive.ts';
import { createCapacity, type ReachedLimit } from './capacity.ts';
import { attempt, containedPool, failedLater, traceOf } from './contained.ts';
import { createEntrance, unauthorized } from './enter.ts';
import { type Failure, forward, waitLonger } from './forward.ts';
import { guarded } from './guarded.ts';
import { createTickets } from './hand-over.ts';
import { type AnsweredTo, answerHeaders, requestHeaders, type Said, valuesIn, without } from './heads.ts';
import { createHostNames } from './host-names.ts';
import { longHeadMs, usualPatience } from './patience.ts';
import { createPools } from './pools.ts';
import { createRefusing } from './refuse.ts';
import { createPolicies, leadsAstray, relocated } from './shared-origin.ts';
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
  /** Answers one that wants its connection upgraded; with a refusal where its connection is of the reserved part. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, isReserved: boolean): void;
  /** Cuts open connections, lets requests end that are under way, and after a while cuts them, too. */
  close(): void;
  /** How many requests and tunnels are under way, and how many connections to runtimes are open for them. */
  counts(): { readonly requests: number; readonly tunnels: number; readonly upstreams: number };
}

/** `hasRoom` says whether the server may open one more connection: a runtime gets one for each request and each tunnel. */
export function createWayIn(options: ServerOptions, lastUse: LastUse, hasRoom: () => boolean): WayIn {
  const { door, baseUrl, wayIn: bounds } = options;
  const { store } = door;
  const patience = { ...usualPatience, ...bounds };
  const limits = () => ({ ...usualGateway, ...platform().gateway });
  const [requests, tunnels] = [createCapacity({ limits, hasRoom }), createCapacity({ limits, hasRoom })];
  const pools = createPools({ ...patience, log: options.log });
  const hostNames = createHostNames(store);
  const base = new URL(baseUrl);
  const beforeId = instancePath(baseUrl, '');
  const gate: Gate = {
    ...{ options, idOf: hostNames.idOf, standingOf: createStandings(door.facts) },
    ...{ origin: base.origin, pathOf: (id) => beforeId + id },
  };
  const refusing = createRefusing(baseUrl);
  const entrance = createEntrance(gate, refusing, createTickets(), lastUse);
  const policyAt = createPolicies(baseUrl);
  const scheme = base.protocol.slice(0, -1);
  const [running, open] = [new Set<ServerResponse>(), new Map<() => void, () => boolean>()];
  let closing = false;

  const unforeseen = (error: unknown) => options.log(`looking after open connections failed: ${traceOf(error)}`);
  const platform = () => singleton(store.read(), 'Platform').spec;
  const tooMany = (reached: ReachedLimit, of: 'requests' | 'tunnels') => {
    options.metrics.gateway.refused(reached);
    return overLimit(reached, of, limits());
  };
  const find = (request: IncomingMessage) =>
    targetOf(request, { domain: platform().customHostnames?.domain?.toLowerCase(), ownHost: base.hostname });
  const unfollow = store.subscribe((entry) => {
    if (entry === 'reset') return;
    for (const { kind, id } of entry.changes)
      if (kind === 'Instance' && options.instanceDoor?.(id) === undefined) pools.drop(id);
  });
  // Rights that were taken away end what is open, too. Looking is no use of a session.
  const looking = setInterval(() => {
    // Who cannot be looked at is not allowed.
    for (const [end, isStillAllowed] of open)
      if (!attempt(isStillAllowed, unforeseen, false)) attempt(end, unforeseen, undefined);
  }, patience.lookMs);
  looking.unref();

  const said = (request: IncomingMessage, { entry, caller, door: to, isOurToken, path, mount }: Passage): Said => {
    const trusts = platform().api.trustProxy;
    const name = caller.kind === 'user' ? caller.user.name : '';
    return {
      host: request.headers.host ?? '',
      clientAddress: addressOf(request, trusts),
      scheme: (trusts && lastOf(request.headers['x-forwarded-proto'])) || scheme,
      prefix: mount + to.path,
      version: request.httpVersion,
      isOurToken,
      principal: to.principal({
        method: request.method ?? '',
        path,
        editor: entry.editor && { name, mayWrite: entry.editor === 'write' },
      }),
    };
  };
  const answeredTo = (request: IncomingMessage, { by, door: to, standing, mount }: Passage): AnsweredTo => {
    if (by === 'host') return { sharedPath: undefined, policy: undefined };
    const here = { host: request.headers.host ?? '', path: `${mount}${to.path}/` };
    const moved = mount === '' ? undefined : (location: string) => relocated(location, { ...here, baseUrl });
    return { sharedPath: here.path, policy: policyAt({ ...here, catalogues: standing.catalogues }), moved };
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
    const giveBack = requests.take(id, networkOf(about.clientAddress));
    if (typeof giveBack === 'string') return refusing.refuse(request, response, tooMany(giveBack, 'requests'));
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      giveBack();
    });
    const rules = answeredTo(request, passage);
    const file = filePathIn(request, passage);
    if (file !== undefined) return void serve(request, response, passage, { path: file, policy: rules.policy });
    const longMs = longHeadMs(patience, {
      ...{ method: request.method, path, editorPath: to.editorPath },
      mayEdit: passage.entry.editor === 'write',
    });
    if (longMs !== undefined) waitLonger(request, longMs);
    return forward({
      request,
      response,
      pool: containedPool(pools.to(id, to.origin), failedLater(options.log, id, response)),
      headMs: longMs ?? patience.headMs,
      path,
      maxBody: passage.standing.maxBody,
      headers: requestHeaders(request.rawHeaders, request.headers.connection, about),
      answered: (status, raw) => {
        // RFC 9110, 8.6: there is none, whatever the runtime says.
        const headers = answerHeaders(status === 204 ? without(raw, 'content-length') : raw, rules);
        const here = { host: about.host, baseUrl, path: rules.sharedPath ?? '' };
        const isRedirect = by === 'path' && status >= 300 && status < 400;
        // Of several, a browser may follow any.
        if (isRedirect && valuesIn(headers, 'location').some((location) => leadsAstray(location, here))) return astray;
        if (closing) headers.push('connection', 'close');
        return headers;
      },
      instead: (why) => {
        if (why !== 'nothing') return refusing.refuse(request, response, failed(why));
        if (passage.entry.isShutOut) return refusing.refuse(request, response, shutOut());
        if (passage.caller.kind !== 'anonymous' || passage.mayCall)
          return refusing.refuse(request, response, nothingHere());
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

  const wayIn: WayIn = {
    isFor: (request) => find(request) !== undefined,
    upgrades: (request) => isWebSocket(request) && find(request) !== undefined,
    handle: (request, response) => {
      const target = find(request);
      if (!target) return;
      response.on('error', () => {});
      if (closing) {
        response.setHeader('connection', 'close');
        return refusing.refuse(request, response, new Problem('unavailable', { detail: 'The server is closing.' }));
      }
      if (entrance.answers(request, response, target)) return;
      const arrival = arrive(gate, request, target, lastUse);
      if (arrival.outcome === 'pass') return pass(request, response, target, arrival.passage);
      if (arrival.outcome === 'redirect') return refusing.redirect(request, response, arrival.location);
      if (arrival.outcome === 'refuse') return refusing.refuse(request, response, arrival.problem);
      return entrance.signIn(request, response, target, arrival.id, arrival.visitor);
    },
    upgrade: (request, socket, head, isReserved) => {
      const target = find(request);
      socket.on('error', () => socket.destroy());
      const refuse = (problem: Problem) => refusing.hangUp(socket, problem);
      if (closing || !target) return refuse(new Problem('unavailable', { detail: 'The server is closing.' }));
      if (isReserved) return refuse(noRoom());
      const arrival = arrive(gate, request, target, lastUse);
      if (arrival.outcome !== 'pass') return refuse(problemOfUpgrade(arrival));
      const { passage } = arrival;
      const about = said(request, passage);
      const giveBack = tunnels.take(passage.id, networkOf(about.clientAddress));
      if (typeof giveBack === 'string') return refuse(tooMany(giveBack, 'tunnels'));
      socket.once('close', giveBack);
      const end = openTunnel({
        ...{ request, socket, head, patience, refuse, failed: giveBack },
        log: (error) => options.log(`the tunnel to the instance ${passage.id} failed: ${traceOf(error)}`),
        ...{ origin: passage.door.origin, path: passage.path },
        headers: requestHeaders(request.rawHeaders, request.headers.connection, about),
        answeredTo: answeredTo(request, passage),
      });
      const unseen = { of: lastUse.of, touch: () => {} };
      open.set(end, () => isSame(arrive(gate, request, target, unseen), passage));
      socket.once('close', () => open.delete(end));
    },
    counts: () => ({
      requests: requests.count(),
      tunnels: tunnels.count(),
      upstreams: Math.max(requests.count(), pools.open()) + tunnels.count(),
    }),
    close: () => {
      closing = true;
      clearInterval(looking);
      unfollow();
      hostNames.close();
      for (const end of open.keys()) attempt(end, unforeseen, undefined);
      setTimeout(() => {
        for (const response of running) attempt(() => response.destroy(), unforeseen, undefined);
        attempt(pools.close, unforeseen, undefined);
      }, patience.closeMs).unref();
    },
  };
  return guarded(wayIn, refusing, options.log);
}

const astray: Failure = {
  code: 'bad_gateway',
  detail:
    'The instance answers with an address outside its own path. Below a path of Weir it can lead to its own pages and to other hosts only.',
};

function failed({ code, detail }: Failure): Problem {
  return new Problem(code, { detail });
}

function overLimit(
  reached: ReachedLimit,
  of: 'requests' | 'tunnels',
  { perInstance, perClient }: { readonly perInstance: number; readonly perClient: number },
): Problem {
  const what = of === 'requests' ? 'requests under way' : 'open WebSockets';
  const detail = {
    instance: `The instance has as many ${what} as it may (spec.gateway.perInstance of Platform/platform: ${perInstance})`,
    client: `This address has as many ${what} as it may (spec.gateway.perClient of Platform/platform: ${perClient}; behind a proxy set spec.api.trustProxy)`,
    all: 'The server has as many connections open as it may (the limit of open files of its process)',
  }[reached];
  return new Problem('unavailable', { detail: `${detail}: try again later.`, headers: { 'retry-after': '2' } });
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
