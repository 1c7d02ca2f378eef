// The guard: no route without an action, and no request past what the policy says, before its body is looked at.
import type { FastifyInstance } from 'fastify';
import { anonymous, type Caller } from '../../core/access/actor.ts';
import { type Action, decide, policy } from '../../core/access/policy.ts';
import { callerOf, type Touch } from '../authentication.ts';
import { Problem } from '../errors.ts';
import type { ServerOptions } from '../services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** What the route does, in the words of the policy. */
    readonly action?: Action;
  }
}

/** Guards every route that is registered afterwards. A route without an action of the policy cannot be registered: this throws. */
export function guard(app: FastifyInstance, options: ServerOptions, touch: Touch): void {
  app.decorateRequest('caller');
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.action === undefined || !Object.hasOwn(policy, config.action))
      throw new Error(`${String(method)} ${url} cannot be served, because it names no action of the policy`);
  });
  app.addHook('onRequest', async (request) => {
    request.caller = anonymous;
    const { action } = request.routeOptions.config;
    // What is not a route has its own answer, the same for everybody.
    if (action === undefined) return;
    request.caller = await callerOf(request, options, touch);
    refuse(
      decide(action, request.caller, options.door.store.read()),
      request.headers.authorization !== undefined,
      action,
    );
  });
}

function refuse(decision: ReturnType<typeof decide>, hasCredential: boolean, action: Action): void {
  if (decision === 'allowed') return;
  if (decision === 'forbidden') throw new Problem('forbidden', { detail: `You may not ${policy[action].may}.` });
  const detail = hasCredential
    ? 'This token opens nothing: it is wrong, revoked or expired, or its user is suspended.'
    : 'Send a token: Authorization: Bearer weirp_….';
  throw new Problem('unauthorized', { detail, headers: { 'www-authenticate': 'Bearer realm="weir"' } });
}
