// Limits: how often an address may ask, how often it may try to sign in, and no more work than the process can do.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '../../core/access/policy.ts';
import { singleton } from '../../core/model/view.ts';
import { clientAddress } from '../client-address.ts';
import { Problem } from '../errors.ts';
import type { ServerOptions } from '../services.ts';
import { watchPressure } from './pressure.ts';

/** The actions at which passwords and links are tried. */
const guessing: ReadonlySet<Action> = new Set(['sign-in', 'register', 'recover-account', 'change-password']);

/** A machine that is busy with something else for a moment is no reason to turn anybody away. */
const mostPressure: NonNullable<ServerOptions['pressure']> = { delayMs: 1000, seconds: 5 };

/**
 * Adds the limits of `Platform.api.rateLimit`: per address (of IPv6 the first 64 bits, because whoever has one has all of them), in windows of a
 * minute, counted by this process. The address is that of the connection, or where `trustProxy` says so the one that the proxy saw.
 */
export async function limits(
  app: FastifyInstance,
  { door, pressure: most = mostPressure }: ServerOptions,
): Promise<void> {
  const pressure = watchPressure(most.seconds);
  app.addHook('onClose', async () => pressure.close());
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (pressure.delayMs() > most.delayMs && routeOptions.config.action !== 'probe') throw overloaded();
  });
  await app.register(rateLimit, { global: false });
  const settings = () => singleton(door.store.read(), 'Platform').spec.api.rateLimit;
  const byWindow = { timeWindow: 60_000, ipv6Subnet: 64 } as const;
  const requests = app.createRateLimit({ ...byWindow, max: () => settings().requestsPerMinute });
  const signIns = app.createRateLimit({ ...byWindow, max: () => settings().signInPerMinute });
  const countRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (settings().requestsPerMinute > 0) await count(requests, request, reply);
  };
  app.decorate('countRequest', countRequest);
  app.addHook('onRequest', async (request, reply) => {
    const { action } = request.routeOptions.config;
    if (action === 'probe') return;
    await countRequest(request, reply);
    if (settings().signInPerMinute > 0 && action !== undefined && guessing.has(action))
      await count(signIns, request, reply);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request that reaches no route. Rejects with `rate_limited`. */
    countRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

async function count(
  limit: ReturnType<FastifyInstance['createRateLimit']>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // What it is counted by is made from the address alone.
  const counted = await limit(Object.create(request, { ip: { value: clientAddress(request) } }));
  if (counted.isAllowed) return;
  tellOf(counted, reply);
  if (!counted.isExceeded) return;
  const seconds = Math.max(1, counted.ttlInSeconds);
  throw new Problem('rate_limited', {
    detail: `This address asked ${counted.max} times within a minute, which is the limit: try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}

/** How much is left (draft-ietf-httpapi-ratelimit-headers), of the limit that ends first where two count. */
function tellOf(
  { max, remaining, ttlInSeconds }: { readonly max: number; readonly remaining: number; readonly ttlInSeconds: number },
  reply: FastifyReply,
): void {
  const told = reply.getHeader('ratelimit-remaining');
  if (told !== undefined && Number(told) < remaining) return;
  reply.headers({ 'ratelimit-limit': max, 'ratelimit-remaining': remaining, 'ratelimit-reset': ttlInSeconds });
}

function overloaded(): Problem {
  return new Problem('unavailable', {
    detail: 'The server has more to do than it can: try again later.',
    headers: { 'retry-after': '5' },
  });
}
