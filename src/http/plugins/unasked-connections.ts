// What a server that closes hangs up on: connections on which nobody has asked for anything. Node counts only some of them as idle, and would wait for the others.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Cuts connections on which no request is under way when the server closes: nothing was sent (browsers open some in advance), or only a part of a head.
 * So it does with requests of strangers whose body has not come: nothing was done for them, and anybody could have a stop wait. Those of callers who are
 * known are waited for.
 */
export function unaskedConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  const asked = new Map<Socket, IncomingMessage>();
  const known = new WeakMap<IncomingMessage, FastifyRequest>();
  let closing = false;
  app.server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    asked.set(request.socket, request);
    response.once('close', () => {
      if (asked.get(request.socket) === request) asked.delete(request.socket);
    });
  });
  // Who closes those is the way in to instances.
  app.server.prependListener('upgrade', ({ socket }: IncomingMessage) => open.delete(socket));
  app.addHook('onRequest', (request, _reply, done) => {
    known.set(request.raw, request);
    done();
  });
  const isStrangers = (raw: IncomingMessage): boolean => {
    const request = known.get(raw);
    return !raw.complete && request?.caller?.kind === 'anonymous' && !request.isForInstance;
  };
  app.addHook('preClose', async () => {
    closing = true;
    for (const socket of open) {
      const request = asked.get(socket);
      if (!request || isStrangers(request)) socket.destroy();
    }
  });
}
