// What every answer has: its request's id, headers for browsers, and an ETag: on GET, and on writes that show what has a version.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, isNotModified } from '../etag.ts';
import { loggedPath } from '../logged-path.ts';
import type { ServerOptions } from '../services.ts';
import { fixedHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The version of what is answered, for its ETag. */
    version: string | undefined;
    /** The digest of what is answered, where it was made already. */
    digest: string | undefined;
  }
}

/** Adds them to every answer. */
export function answers(app: FastifyInstance, { baseUrl, trace }: Pick<ServerOptions, 'baseUrl' | 'trace'>): void {
  const fixed = fixedHeaders(baseUrl);
  app.decorateReply('version', undefined);
  app.decorateReply('digest', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixed).header('x-request-id', request.id);
    done();
  });
  if (trace)
    app.addHook('onResponse', (request, reply, done) => {
      const { method, id: requestId } = request;
      const details = { requestId, status: reply.statusCode, durationMs: Math.round(reply.elapsedTime) };
      trace(`${method} ${loggedPath(request)} was answered`, details);
      done();
    });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead) return reply.statusCode === 200 ? withEtag(payload, request, reply) : payload;
    // What was written has the ETag that a GET of it has: the next If-Match needs no GET.
    if (reply.version !== undefined && reply.statusCode < 300)
      reply.header('etag', etagOf(payload, reply.version, reply.digest));
    return payload;
  });
}

function withEtag(
  payload: string | Buffer,
  { method, headers: { 'if-none-match': ifNoneMatch } }: FastifyRequest,
  reply: FastifyReply,
): string | Buffer | null {
  const etag = etagOf(payload, reply.version, reply.digest);
  reply.header('etag', etag);
  if (ifNoneMatch === undefined || !isNotModified(ifNoneMatch, etag)) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  // The body of a HEAD is measured before it is dropped.
  return method === 'HEAD' ? payload : null;
}
