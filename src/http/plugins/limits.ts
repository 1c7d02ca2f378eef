// Limits: how often an address or a credential may ask, how often passwords may be tried, and no more work than the process can do.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/access/actor.ts';
import { singleton } from '../../core/model/view.ts';
import { clientAddress } from '../client-address.ts';
import { Problem } from '../errors.ts';
import type { ServerOptions } from '../services.ts';
import { type Bucket, badCredentialsPerSignIn, bucketOf, isOfAddress } from './buckets.ts';
import { credentialOf } from './guard.ts';
import { watchPressure } from './pressure.ts';

/** A machine that is busy with something else for a moment is no reason to turn anybody away. */
const mostPressure: NonNullable<ServerOptions['pressure']> = { delayMs: 1000, seconds: 5 };

/**
 * Adds the limits of `Platform.api.rateLimit`, in windows of a minute, counted by this process. What comes with a good credential is counted by that, and
 * all else by address (of IPv6 the first 64 bits, because whoever has one has all of them): that of the connection, or where `trustProxy` says so
 * the one that the proxy saw. `buckets.ts` says what is counted where.
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
  const buckets = bucketsOf(app, {
    requests: () => settings().requestsPerMinute,
    'sign-in': () => settings().signInPerMinute,
    'ways-in': () => settings().signInPerMinute,
    'own-password': () => settings().signInPerMinute,
    'bad-credential': () => settings().signInPerMinute * badCredentialsPerSignIn,
  });
  app.decorate('countRequest', (request, reply) => buckets.requests(request, reply));
  app.addHook('onRequest', async (request, reply) => {
    const { action } = request.routeOptions.config;
    if (action === 'probe') return;
    await buckets.requests(request, reply);
    const bucket = action === undefined ? undefined : bucketOf(action, showsBadCredential(request));
    if (bucket !== undefined) await buckets[bucket](request, reply);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request that reaches no route. Rejects with `rate_limited`. */
    countRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

/** Counts a request in a bucket. Rejects with `rate_limited`. */
type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Each with two counts that know nothing of each other: by address, and by credential. A maximum of 0 is none. */
function bucketsOf(
  app: FastifyInstance,
  most: Readonly<Record<Bucket, () => number>>,
): Readonly<Record<Bucket, Count>> {
  const bucket = (name: Bucket): Count => {
    const window = { timeWindow: 60_000, ipv6Subnet: 64, max: most[name] } as const;
    const byAddress = app.createRateLimit(window);
    const byCredential = app.createRateLimit({ ...window, keyGenerator: ({ caller }) => credentialKey(caller) ?? '' });
    return async (request, reply) => {
      if (most[name]() === 0) return;
      const isKnown = !isOfAddress(name) && credentialKey(request.caller) !== undefined;
      // What it is counted by is made from the address alone.
      const counted = await (isKnown
        ? byCredential(request)
        : byAddress(Object.create(request, { ip: { value: clientAddress(request) } })));
      if (!counted.isAllowed) judge(counted, isKnown ? 'credential' : 'address', reply);
    };
  };
  return {
    requests: bucket('requests'),
    'sign-in': bucket('sign-in'),
    'ways-in': bucket('ways-in'),
    'own-password': bucket('own-password'),
    'bad-credential': bucket('bad-credential'),
  };
}

/** What a good credential is counted by. A request that no hook saw has no caller. */
function credentialKey(caller: Caller | undefined): string | undefined {
  if (caller === undefined || caller.kind === 'anonymous') return undefined;
  if (caller.kind === 'device') return caller.device.id;
  return caller.kind === 'user' && caller.by === 'session' ? caller.session.id : caller.token.id;
}

function showsBadCredential(request: FastifyRequest): boolean {
  return request.caller.kind === 'anonymous' && credentialOf(request) !== 'none';
}

interface Counted {
  readonly max: number;
  readonly remaining: number;
  readonly ttlInSeconds: number;
  readonly isExceeded: boolean;
}

function judge(counted: Counted, by: 'credential' | 'address', reply: FastifyReply): void {
  showLeft(counted, reply);
  if (!counted.isExceeded) return;
  const seconds = Math.max(1, counted.ttlInSeconds);
  throw new Problem('rate_limited', {
    detail: `This ${by} asked ${counted.max} times within a minute, which is the limit: try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}

/** How much is left (draft-ietf-httpapi-ratelimit-headers), of the limit that ends first where two count. */
function showLeft({ max, remaining, ttlInSeconds }: Counted, reply: FastifyReply): void {
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
