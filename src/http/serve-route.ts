// From a route to what Fastify serves: its request checked, its handler called, its answer written.
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { jsonSteps } from '../lib/json-steps.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import { sessionCookie } from './authentication.ts';
import { longBody, longestBody } from './body-room.ts';
import { clientAddress } from './client-address.ts';
import { hostCookie } from './cookies.ts';
import { Problem } from './errors.ts';
import { requireRemovable } from './merge-patch.ts';
import type { PlanPlace } from './plan-turns.ts';
import { checked } from './plugins/bodies.ts';
import { bodyLimitOf, type Call, placeOf, type Reply, type Route } from './route.ts';
import { serializerOf } from './serializers.ts';
import type { Services } from './services.ts';
import { planView } from './views/config.ts';
import { inTime, maxWaitMs } from './waiting.ts';
import { requireAllowed } from './write.ts';

const nothing = z.strictObject({});

/** Adds a route to the server. */
export function serveRoute(app: FastifyInstance, route: Route, services: Services): void {
  app.route({
    ...placeOf(route),
    bodyLimit: bodyLimitOf(route),
    ...takenFirst(route, services),
    handler: async (request, reply) => {
      const { place } = request;
      const answer = place
        ? await inTime(
            place.run(() => handled(route, request, reply, services)),
            'this plan or export cannot be made',
            services.maxWaitMs ?? maxWaitMs,
          )
        : await handled(route, request, reply, services);
      return send(reply, inWriting(route, answer), services);
    },
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The place in the queue of a route that takes turns. */
    place: PlanPlace | undefined;
  }
}

/** Taken before the body is read: those who wait, or send slowly, take up memory, too. Places of turns bound it themselves. */
function takenFirst(route: Route, services: Services): { readonly preParsing?: preParsingAsyncHookHandler } {
  if (route.takesTurns) return { preParsing: takePlace(services) };
  return bodyLimitOf(route) > longBody ? { preParsing: takeRoom(services, bodyLimitOf(route)) } : {};
}

function takeRoom({ bodyRoom }: Services, limit: number): preParsingAsyncHookHandler {
  return async (request, reply, payload) => {
    const bytes = longestBody(request.headers, limit);
    if (bytes > longBody) reply.raw.once('close', bodyRoom(request.caller, bytes));
    return payload;
  };
}

function takePlace({ planTurns }: Services): preParsingAsyncHookHandler {
  return async (request, reply, payload) => {
    const place = planTurns(request.caller);
    request.place = place;
    reply.raw.once('close', () => place.leave());
    return payload;
  };
}

async function handled(route: Route, request: FastifyRequest, reply: FastifyReply, services: Services): Promise<Reply> {
  // A large body was read just now: it is checked in a turn of its own.
  if (route.bodyLimit !== undefined) await setImmediate();
  const { door, clock } = services;
  const { caller, params } = request;
  const requireStill = () => requireAllowed({ caller, route, params }, door.store.read(), clock());
  // While its body was on its way, or it waited for its turn, rights may have been taken away.
  requireStill();
  const call = callOf(route, request, reply, services);
  try {
    return await written(route, await route.handle(call));
  } finally {
    // Whether a change was allowed was decided when it was made; what is only told is for those who may know it as the answer leaves.
    if (isRead(call)) requireStill();
  }
}

/** Whether nothing was kept: it is read, planned, or tried. */
function isRead({ route, query }: Call): boolean {
  return route.method === 'GET' || route.readsOnly === true || Object(query).dryRun === true;
}

async function written(route: Route, answer: Reply): Promise<Reply> {
  const { body } = answer;
  // What may be long is written a piece at a time, so that others are answered in between.
  if (!route.verbatim || typeof body !== 'object' || body === null) return answer;
  const type = 'application/json; charset=utf-8';
  return { type, ...answer, body: await inSlices(jsonSteps(body), createSlicer()) };
}

/** What a route says of its answer is what it is written by: a write's as a GET writes it, the fields in the same order, so that both have the same ETag. */
function inWriting(route: Route, answer: Reply): Reply {
  const { body, type } = answer;
  const schema = schemaOf(route, answer);
  return schema === undefined || type !== undefined ? answer : { ...answer, body: serializerOf(schema)(Object(body)) };
}

/** That of a read, or of what a write shows: the plan of a dry run is written as it is. */
function schemaOf(
  { method, verbatim, answers }: Route,
  { status = 200, version, body }: Reply,
): z.core.$ZodType | undefined {
  const schema = answers[status]?.schema;
  if (method === 'GET') return status === 200 && !verbatim && isData(body) ? schema : undefined;
  if (version === undefined) return undefined;
  return schema instanceof z.ZodUnion ? schema.options.find((one) => one !== planView) : schema;
}

/** No text, and no bytes: those are written already. */
function isData(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body);
}

function callOf(route: Route, request: FastifyRequest, reply: FastifyReply, services: Services): Call {
  const { accept, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const idempotencyKey = route.creates ? keyIn(request.headers['idempotency-key']) : undefined;
  return {
    params: checked(route.params ?? nothing, request.params, 'params'),
    query: checked(route.query ?? nothing, queryOf(request), 'querystring'),
    body: bodyOf(route, request.body),
    caller: request.caller,
    requestId: request.id,
    route,
    address: clientAddress(request),
    agent: (request.headers['user-agent'] ?? '').slice(0, 512),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    onEnd: (listener) => void reply.raw.once('close', listener),
    ...(accept === undefined ? {} : { accept }),
    cookies: () => request.server.parseCookie(request.headers.cookie ?? ''),
    services,
  };
}

/** What is no UTF-8 would be looked for, and kept, as something else. Throws `invalid_request`. */
function queryOf({ url, query }: FastifyRequest): unknown {
  try {
    if (url.includes('%')) decodeURIComponent(url);
    return query;
  } catch {
    throw new Problem('invalid_request', { detail: 'The query holds an escape that stands for nothing.' });
  }
}

function bodyOf({ method, body, takesBytes }: Route, given: unknown): unknown {
  if (body && method === 'PATCH') requireRemovable(body, given);
  if (body) return checked(body, takesBytes ? (given ?? new Uint8Array()) : given, 'body');
  return given === undefined ? undefined : checked(nothing, given, 'body');
}

/** 1 to 255 visible characters. Throws `invalid_request`. */
function keyIn(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && /^[!-~]{1,255}$/.test(header))) return header;
  throw new Problem('invalid_request', {
    detail: 'The Idempotency-Key cannot be used: send 1 to 255 visible characters.',
  });
}

function send(reply: FastifyReply, answer: Reply, { baseUrl }: Services): FastifyReply {
  const { status = 200, body, type = 'application/json', version, headers, session, cookies = [] } = answer;
  const hidden = { httpOnly: true, secure: baseUrl.startsWith('https:') } as const;
  const cookie = { ...hidden, path: '/', sameSite: 'lax' } as const;
  // By TLS under a second name, too, which no other host can set: programs know the first.
  for (const name of new Set([sessionCookie, hostCookie(sessionCookie, baseUrl)]))
    if (session) reply.setCookie(name, session.value, { ...cookie, expires: new Date(session.expiresAt) });
    else if (session === null) reply.clearCookie(name, cookie);
  for (const { name, value, expiresAt, ...place } of cookies) {
    if (value === undefined) reply.clearCookie(name, { ...hidden, ...place });
    else reply.setCookie(name, value, { ...hidden, ...place, ...(expiresAt ? { expires: new Date(expiresAt) } : {}) });
  }
  reply.version = version;
  reply.digest = answer.digest;
  reply.code(status).headers({ ...headers });
  return body === undefined ? reply.send() : reply.type(type).send(body);
}
