// The server: Fastify with every route, guarded, checked and described. It is built here, and listens elsewhere.
import type { Duplex } from 'node:stream';
import cookie from '@fastify/cookie';
import {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { singleton } from '../core/model/view.ts';
import { lockMs, mostFailures } from '../core/proposals/failed-sign-in.ts';
import { hangUp } from '../lib/hang-up.ts';
import { followAccounts } from './account-notices.ts';
import { createAgents } from './agents.ts';
import { createBodyRoom } from './body-room.ts';
import { createContentWork } from './content-work.ts';
import { createDeviceWaiters } from './device-waiters.ts';
import { Problem, problemBody } from './errors.ts';
import { createInstalledTurns } from './installed.ts';
import { createLastUse, type LastUse } from './last-use.ts';
import { instancesRoute, listenerFor } from './listener.ts';
import { createMergedRefusals } from './merged-refusals.ts';
import { describe } from './openapi.ts';
import { createPlanTurns } from './plan-turns.ts';
import { answers } from './plugins/answers.ts';
import { bodies, formBodies } from './plugins/bodies.ts';
import { callers } from './plugins/callers.ts';
import { guard } from './plugins/guard.ts';
import { limits } from './plugins/limits.ts';
import { inScope, problemAnswer, problems } from './plugins/problems.ts';
import { reservedPart } from './plugins/reserved-part.ts';
import { fixedHeaders } from './plugins/security-headers.ts';
import { unaskedConnections } from './plugins/unasked-connections.ts';
import { createWayIn, type WayIn } from './proxy/way-in.ts';
import { createInvitationQuotas, createQuota } from './quota.ts';
import { rawAnswer } from './raw-answer.ts';
import { createRecordTurns } from './record-page.ts';
import { problemOfHead } from './request-head.ts';
import { routes } from './routes/index.ts';
import { serveRoute } from './serve-route.ts';
import type { ServerOptions, Services } from './services.ts';
import { followSockets, type Sockets } from './sockets.ts';
import { createTries } from './tries.ts';
import { createWrongPasswords } from './wrong-passwords.ts';

export { createMetrics, type Metrics } from './metrics/metrics.ts';
export { openApiDocument } from './openapi.ts';
export type { ExportedDocument, ExportFilter, ServerOptions } from './services.ts';

/** Builds the server. `close()` lets requests that are under way finish, and keeps what it has remembered; the store stays open. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const lastUse = createLastUse(options);
  const refusals = createMergedRefusals(options);
  const deviceWaiters = createDeviceWaiters(options.door.store);
  const wayIn = createWayIn(options, lastUse, () => sockets.hasRoom());
  const app = newApp(options, wayIn, (socket) => sockets.isReserved(socket));
  const sockets = followSockets(app.server, {
    limit: options.maxSockets ?? Number.MAX_SAFE_INTEGER,
    upstreams: () => wayIn.counts().upstreams,
    trustsProxy: () => singleton(options.door.store.read(), 'Platform').spec.api.trustProxy,
    onCut: options.metrics.gateway.refused,
  });
  options.metrics.gateway.countedBy(() => ({ ...sockets.counts(), ...wayIn.counts() }));
  let closing = false;
  const services: Services = {
    ...options,
    closing: () => closing,
    lastUsed: lastUse.of,
    recordTurns: createRecordTurns(),
    planTurns: createPlanTurns(),
    bodyRoom: createBodyRoom(),
    contentWork: createContentWork(),
    installedTurns: createInstalledTurns(),
    invitationQuotas: createInvitationQuotas(),
    addressMails: createQuota({ max: 1, spanMs: 86_400_000 }),
    deviceWaiters,
    agents: createAgents(),
    wrongPasswords: createWrongPasswords(),
    tries: createTries({ most: mostFailures, closedMs: lockMs, names: 10_000 }),
    refusals,
    description: () => app.swagger(),
  };
  const stops = [lastUse.start(), refusals.start()];
  const stopNotices = followAccounts(options);
  app.addHook('onResponse', ({ method, routeOptions, isForInstance }, { raw, elapsedTime }, done) => {
    const route = isForInstance ? instancesRoute : routeOptions.url;
    options.metrics.answered({ method, route, status: raw.statusCode, seconds: elapsedTime / 1000 });
    done();
  });
  app.addHook('preClose', async () => {
    closing = true;
    for (const stop of stops) stop();
    stopNotices();
    deviceWaiters.close();
    wayIn.close();
  });
  app.server.on('upgrade', (request, socket, head) => {
    const isReserved = sockets.isReserved(request.socket);
    if (isReserved) options.metrics.gateway.refused('reserved');
    wayIn.upgrade(request, socket, head, isReserved);
  });
  unaskedConnections(app);
  const keepCounts = async (): Promise<void> => {
    await Promise.all([lastUse.flush(), refusals.flush('all')]);
  };
  // Who is under way was mostly seen by now, and one that never ends would have what is kept at the very end given up.
  app.addHook('preClose', keepCounts);
  app.addHook('onClose', keepCounts);
  app.register(hooks(options, services, { lastUse, wayIn, sockets }));
  describe(app, options.baseUrl);
  // After the description is loaded: it sees what is registered from then on.
  inScope(app, (api) => {
    for (const route of routes) if (!route.takesForm) serveRoute(api, route, services);
  });
  inScope(app, (forms) => {
    formBodies(forms);
    for (const route of routes) if (route.takesForm) serveRoute(forms, route, services);
  });
  return app;
}

/** What happens to every request before its route does, in this order; for the whole server, not for a part of it. */
function hooks(
  options: ServerOptions,
  services: Services,
  { lastUse, wayIn, sockets }: { readonly lastUse: LastUse; readonly wayIn: WayIn; readonly sockets: Sockets },
): FastifyPluginAsync {
  const all: FastifyPluginAsync = async (app) => {
    answers(app, options);
    reservedPart(app, { sockets, isForInstance: wayIn.isFor, refused: options.metrics.gateway.refused });
    toInstances(app, wayIn);
    app.decorateRequest('place');
    // Read where a session is looked for, and not from every request.
    await app.register(cookie, { hook: false });
    refuseWhileClosing(app, services);
    callers(app, options, lastUse);
    // Before anything is found to be nowhere, or unreadable: whoever asks for that asks as well.
    await limits(app, options);
    app.addHook('onRequest', async ({ raw }) => {
      const problem = problemOfHead(raw);
      if (problem) throw problem;
    });
    problems(app, options);
    bodies(app);
    guard(app, options);
  };
  return Object.assign(all, { [Symbol.for('skip-override')]: true });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is passed on to an instance. */
    isForInstance: boolean;
  }
}

/** Takes out what is for instances and came through Fastify all the same, before anything else looks at it. */
function toInstances(app: FastifyInstance, wayIn: WayIn): void {
  app.decorateRequest('isForInstance', false);
  app.addHook('onRequest', (request, reply, done) => {
    if (!wayIn.isFor(request.raw) || problemOfHead(request.raw)) return done();
    request.isForInstance = true;
    reply.hijack();
    return wayIn.handle(request.raw, reply.raw);
  });
}

function newApp(options: ServerOptions, wayIn: WayIn, isReserved: Sockets['isReserved']): FastifyInstance {
  const { door, newId } = options;
  const http = {
    // What wants to become another connection, and is no WebSocket of an instance, is answered as what it is without that.
    shouldUpgradeCallback: wayIn.upgrades,
    // Ours says why, and to whom it is said besides.
    requireHostHeader: false,
    headersTimeout: 30_000,
    // How often it is looked for who is too late.
    connectionsCheckingInterval: 5000,
  };
  const waits = { requestTimeout: 60_000, connectionTimeout: 150_000, keepAliveTimeout: 65_000 };
  const listener = listenerFor(options, wayIn, isReserved);
  const nextId = countingFrom(newId().slice(0, 10));
  const trusts = () => singleton(door.store.read(), 'Platform').spec.api.trustProxy;
  return fastify({
    logger: false,
    serverFactory: (handler) => listener(handler, { http, ...waits }),
    // Each route has its own: this is for what is none.
    bodyLimit: 64 * 1024,
    ...waits,
    // Ours answers 503 as a problem, and lets the probes be asked to the end.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The last address in X-Forwarded-For is the one that our proxy saw; those before it anybody can write.
    trustProxy: (_address, hop) => hop === 0 && trusts(),
    routerOptions: { maxParamLength: 256 },
    schemaController: { compilersFactory: { buildValidator: uncompiled, buildSerializer: uncompiled } },
    genReqId: (request) => saneId(request.headers['x-request-id']) ?? nextId(),
    frameworkErrors: answerUnrouted(options),
    clientErrorHandler: answerUnreadable(options.baseUrl),
  });
}

/** What is sent is checked by zod, and answers are written by `serializers.ts`: Fastify's own compilers, which take time and memory to load, are never asked. */
function uncompiled(): never {
  throw new Error('a route has a schema for Fastify: it belongs in its `Route`');
}

/** Ids that only have to differ: a random one for each request would cost more than what it guards. */
function countingFrom(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** An id that somebody else gave is taken where it can do no harm in a log. */
function saneId(given: string | readonly string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : undefined;
}

function refuseWhileClosing(app: FastifyInstance, { closing }: Services): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!closing()) return;
    reply.header('connection', 'close');
    if (request.routeOptions.config.action !== 'probe')
      throw new Problem('unavailable', { detail: 'The server is closing.' });
  });
  // What began before it was closing is answered; its connection would stay open for the next request.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** What Fastify has no route for sees none of the hooks: it is counted, and gets the headers of every answer, here. */
function answerUnrouted(options: ServerOptions) {
  const answer = problemAnswer(options);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    request.server.countRequest(request, reply).then(
      () => answer(error, request, reply),
      (over: unknown) => answer(over, request, reply),
    );
  };
}

/** What is not HTTP never reaches a route. */
function answerUnreadable(baseUrl: string): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const fixed = fixedHeaders(baseUrl);
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = statuses[error.code ?? ''] ?? 400;
    const body = { ...problemBody(new Problem('invalid_request', { detail: 'The request cannot be read.' })), status };
    hangUp(socket, rawAnswer(status, fixed, JSON.stringify(body)));
  };
}

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};
