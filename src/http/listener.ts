// The HTTP server under Fastify: what is for instances goes to the way in before Fastify has anything to do with it, which would cost as much as passing it on.
import {
  createServer,
  type ServerOptions as HttpOptions,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { WayIn } from './proxy/way-in.ts';
import { problemOfHead } from './request-head.ts';
import type { ServerOptions } from './services.ts';
import type { Sockets } from './sockets.ts';

/** What Node is told of connections, in milliseconds. */
export interface ListenerOptions {
  readonly http: HttpOptions;
  /** How long a request may take to arrive. */
  readonly requestTimeout: number;
  /** How long a connection may be silent, within a request and between two. */
  readonly connectionTimeout: number;
  readonly keepAliveTimeout: number;
}

/** The route under which requests to instances are counted. */
export const instancesRoute = '/i/:id/*';

/**
 * Makes servers for Fastify, whose handler gets everything else: also what comes on reserved connections, which it turns away. Where somebody wants to be
 * told of every answer, it gets all.
 */
export function listenerFor(
  { metrics, trace }: Pick<ServerOptions, 'metrics' | 'trace'>,
  wayIn: WayIn,
  isReserved: Sockets['isReserved'],
) {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const began = performance.now();
    response.once('finish', () => {
      const seconds = (performance.now() - began) / 1000;
      metrics.answered({ method: request.method ?? '', route: instancesRoute, status: response.statusCode, seconds });
    });
    wayIn.handle(request, response);
  };
  return (
    handler: (request: IncomingMessage, response: ServerResponse) => void,
    { http, requestTimeout, connectionTimeout, keepAliveTimeout }: ListenerOptions,
  ): Server => {
    const server = createServer({ ...http, requestTimeout, keepAliveTimeout }, (request, response) => {
      const isOurs = trace !== undefined || !wayIn.isFor(request) || isReserved(request.socket);
      if (isOurs || problemOfHead(request)) handler(request, response);
      else take(request, response);
    });
    // Node's own answer to what it does not know would be an empty one.
    server.on('checkExpectation', handler);
    return server.setTimeout(connectionTimeout);
  };
}
