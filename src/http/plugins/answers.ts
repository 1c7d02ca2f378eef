// What every answer has: its request's id, headers that keep browsers from guessing, and on GET an ETag.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, isNotModified } from '../etag.ts';
import type { ServerOptions } from '../services.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The version of what is answered, for its ETag. */
    version: string | undefined;
  }
}

/** Adds them to every answer. */
export function answers(app: FastifyInstance, { baseUrl }: ServerOptions): void {
  const secure = baseUrl.startsWith('https:');
  app.decorateReply('version', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      ...fixed,
      'x-request-id': request.id,
      ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    });
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
      return payload;
    return withEtag(payload, request, reply);
  });
}

const fixed = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

function withEtag(
  payload: string | Buffer,
  { method, headers: { 'if-none-match': ifNoneMatch } }: FastifyRequest,
  reply: FastifyReply,
): string | Buffer | null {
  const etag = etagOf(payload, reply.version);
  reply.header('etag', etag);
  if (ifNoneMatch === undefined || !isNotModified(ifNoneMatch, etag)) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  // The body of a HEAD is measured before it is dropped.
  return method === 'HEAD' ? payload : null;
}
