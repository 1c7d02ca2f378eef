// Connections on which nothing was ever sent: browsers open some in advance. Node does not count them as idle, so a server that closes would wait for them.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Hangs up on them when the server closes; nobody waits for an answer there. */
export function silentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  let closing = false;
  app.server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    closing = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}
