// The guard: no route without an action, and no request past what the policy says, before its body is looked at.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/access/actor.ts';
import { type Action, type Decision, decide, policy } from '../../core/access/policy.ts';
import type { View } from '../../core/model/view.ts';
import { requireOwnOrigin, sessionCookie } from '../authentication.ts';
import { Problem } from '../errors.ts';
import type { Route } from '../route.ts';
import type { ServerOptions } from '../services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route does, in the words of the policy. */
    readonly action?: Action;
  }
}

/** Guards every route that is registered afterwards. A route without an action of the policy cannot be registered: this throws. */
export function guard(app: FastifyInstance, options: ServerOptions): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.action === undefined || !Object.hasOwn(policy, config.action))
      throw new Error(`${String(method)} ${url} cannot be served, because it names no action of the policy`);
  });
  app.addHook('onRequest', async (request) => {
    const { action, route } = request.routeOptions.config;
    // What is not a route has its own answer, the same for everybody.
    if (action === undefined) return;
    if (!route?.anyOrigin && isForeign(request, action)) requireOwnOrigin(request, options);
    const decision = decideOn(action, route, request.params, request.caller, options.door.store.read());
    refuse(decision, action, request.caller, credentialOf(request));
  });
}

/** Asked again when a write is made: between its first byte and its last, rights may have been taken away. */
export function decideOn(
  action: Action,
  route: Route | undefined,
  params: unknown,
  caller: Caller,
  view: View,
): Decision {
  return decide(action, caller, view, route?.subject?.(Object(params), view));
}

/** Whether a request may come from a page that is not ours: a session speaks for it, or a page does that says where it is from. */
function isForeign({ caller, headers }: FastifyRequest, action: Action): boolean {
  if (headers.authorization !== undefined) return false;
  if (caller.kind === 'user') return true;
  return policy[action].who === 'anyone' && headers.origin !== undefined && action !== 'probe';
}

type Credential = 'none' | 'token' | 'session';

/** What a request shows to say whose it is, good or not. */
export function credentialOf({ headers }: Pick<FastifyRequest, 'headers'>): Credential {
  if (headers.authorization !== undefined) return 'token';
  return headers.cookie?.includes(`${sessionCookie}=`) ? 'session' : 'none';
}

const opensNothing: Readonly<Record<Credential, string>> = {
  none: 'Send a token (Authorization: Bearer weirp_…), or sign in (POST /account/login) and send the cookie.',
  token:
    'This token opens nothing here: it is wrong, used, revoked or expired, its user is suspended, or it is for something else (one for HTTP endpoints opens those of one instance).',
  session: 'This session has ended, or its user is suspended: sign in again.',
};

/** Throws the problem of a decision that is not `allowed`. */
export function refuse(decision: Decision, action: Action, caller: Caller, credential: Credential = 'token'): void {
  switch (decision) {
    case 'allowed':
      return;
    case 'forbidden':
      throw new Problem('forbidden', { detail: forbidden(action, caller) });
    case 'session_required':
      throw new Problem('session_required', { detail: `A token may not ${policy[action].may}: sign in for that.` });
    case 'not_found':
      throw new Problem('not_found', { detail: 'There is nothing at this address that you may see.' });
    case 'unauthorized':
      throw new Problem('unauthorized', {
        detail: opensNothing[credential],
        headers: { 'www-authenticate': 'Bearer realm="weir"' },
      });
  }
}

function forbidden(action: Action, caller: Caller): string {
  if (caller.kind === 'scraper') return 'This is the token of the statistics, which opens nothing else.';
  if (caller.kind === 'device') return 'This is the token of a device, which opens its own channel and nothing else.';
  if (caller.kind === 'machine')
    return 'This is a provisioning token, which registers one device and opens nothing else.';
  if (caller.kind === 'user' && caller.by === 'token' && caller.token.spec.scope === 'plan')
    return 'This token has the scope "plan": it may plan documents, and read the status of the configuration, the description of the API and whose it is, and nothing else.';
  const { may, who, usersWhile } = policy[action];
  if (who === 'device') return `You may not ${may}: that takes the token of a device.`;
  if (who === 'machine') return `You may not ${may}: that takes a provisioning token.`;
  if (usersWhile) return `You may not ${may}: the administration settings leave that to admins.`;
  if (who === 'admin') return `You may not ${may}: that is for admins.`;
  return typeof who === 'string'
    ? `You may not ${may}.`
    : `You may not ${may}: that takes the role ${who.join(' or ')}.`;
}
