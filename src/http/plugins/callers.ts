// Who makes a request, found out before it is counted: what comes with a good credential is counted by that, and not with the strangers at its address.
import type { FastifyInstance } from 'fastify';
import { anonymous, type Caller } from '../../core/access/actor.ts';
import { callerOf } from '../authentication.ts';
import type { LastUse } from '../last-use.ts';
import { problemOfHead } from '../request-head.ts';
import type { ServerOptions } from '../services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Finds the caller of every request, also of one that reaches no route; nobody where the head can be read in two ways. */
export function callers(app: FastifyInstance, options: ServerOptions, lastUse: LastUse): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request) => {
    request.caller = anonymous;
    if (!problemOfHead(request.raw)) request.caller = await callerOf(request, options, lastUse);
  });
}
