// What may be asked on connections that came when the server had room for little.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Action } from '../../core/access/policy.ts';
import { Problem } from '../errors.ts';
import type { Sockets } from '../sockets.ts';

/** Probes, and signing in with the pages that it takes: so that it can be seen how the server is. */
const answered: ReadonlySet<Action | undefined> = new Set<Action>([
  'probe',
  'sign-in',
  'sign-out',
  'see-ways-in',
  'open-page',
]);

/** Answers these and nothing else on reserved connections, each of which is for one answer. */
export function reservedPart(
  app: FastifyInstance,
  {
    sockets,
    isForInstance,
    refused,
  }: {
    readonly sockets: Pick<Sockets, 'isReserved'>;
    readonly isForInstance: (request: IncomingMessage) => boolean;
    readonly refused: (limit: 'reserved') => void;
  },
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!sockets.isReserved(request.raw.socket)) return done();
    reply.header('connection', 'close');
    if (answered.has(request.routeOptions.config.action) && !isForInstance(request.raw)) return done();
    refused('reserved');
    return done(noRoom());
  });
}

/** Why somebody is turned away there. */
export function noRoom(): Problem {
  return new Problem('unavailable', {
    detail:
      'The server has as many connections open as it may (the limit of open files of its process): try again later.',
    headers: { 'retry-after': '2' },
  });
}
