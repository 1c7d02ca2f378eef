// Who calls: the token in the header. A header that is there counts, and nothing else is looked at.
import type { FastifyRequest } from 'fastify';
import { hashToken, isWellFormedToken } from '../auth/token.ts';
import { submit } from '../control/submit.ts';
import { anonymous, type Caller } from '../core/access/actor.ts';
import type { Resource } from '../core/model/resource.ts';
import { first } from '../core/model/state.ts';
import { deleteToken } from '../core/proposals/delete-token.ts';
import type { ServerOptions } from './services.ts';

/** Notes the use of a token (its id, and when). */
export type Touch = (tokenId: string, at: string) => void;

/** The caller of a request; `anonymous` where the credential opens nothing. An expired token is deleted when it is shown. */
export async function callerOf(request: FastifyRequest, options: ServerOptions, touch: Touch): Promise<Caller> {
  const { authorization } = request.headers;
  return authorization === undefined ? anonymous : byToken(authorization, options, touch);
}

async function byToken(authorization: string, options: ServerOptions, touch: Touch): Promise<Caller> {
  const [, text = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!isWellFormedToken(text)) return anonymous;
  const view = options.door.store.read();
  const token = first(view.having('Token', `hash=${hashToken(text)}`));
  if (!token) return anonymous;
  const now = options.clock();
  if (isExpired(token, now)) {
    await forget(token, now, options);
    return anonymous;
  }
  const user = view.get('User', token.spec.user);
  if (!user || user.spec.suspended) return anonymous;
  touch(token.id, now);
  return { kind: 'user', user, by: 'token', token };
}

function isExpired({ spec }: Resource<'Token'>, now: string): boolean {
  return spec.expiresAt !== null && Date.parse(spec.expiresAt) <= Date.parse(now);
}

/** The token opens nothing whether or not it can be deleted now. */
async function forget(token: Resource<'Token'>, now: string, { door, newId, log }: ServerOptions): Promise<void> {
  const context = { now, newId, actor: { kind: 'job', name: 'expire-tokens' }, origin: 'api' } as const;
  try {
    await submit(door, deleteToken(token.id), context);
  } catch (error) {
    log(
      `the expired token ${token.id} could not be deleted: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
