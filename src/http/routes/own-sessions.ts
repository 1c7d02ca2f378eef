// The sessions of the user who asks: where they are signed in, and the end of that.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import { referrers } from '../../core/model/view.ts';
import { revokeCredential } from '../../core/proposals/revoke-credential.ts';
import { isOver } from '../authentication.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { unmoved } from '../expectation.ts';
import { pageOfLong } from '../long-list.ts';
import { listBody, listView, pageQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { exampleSession, sessionView, shownSession } from '../views/session.ts';
import { write } from '../write.ts';
import { userOf } from './self.ts';

const url = '/api/v1/user/sessions';
const tag = 'self';

const list = defineRoute({
  method: 'GET',
  url,
  action: 'read-own-sessions',
  operationId: 'listOwnSessions',
  tag,
  summary: 'List your sessions',
  description: 'The browsers in which you are signed in.',
  query: z.strictObject({ ...pageQuery, ...sortQuery(['createdAt', 'lastSeenAt']) }),
  answers: {
    200: {
      description: 'A page of your sessions.',
      schema: listView('sessions', sessionView),
      example: () => ({ meta: {}, count: 1, sessions: [exampleSession] }),
    },
  },
  handle: ({ services, caller, query }) => {
    const { door, clock, lastUsed } = services;
    const now = clock();
    const { limit, cursor, sort } = query;
    const keyOf = ({ id, createdAt, spec }: Resource<'Session'>) =>
      sort?.endsWith('createdAt') ? createdAt : (lastUsed(id) ?? spec.lastSeenAt);
    const matches = (session: Resource<'Session'>) => !isOver(session, now, { of: lastUsed });
    const own = referrers(door.store.read(), 'Session', userOf(caller).user);
    const page = pageOfLong(own, 0, { limit, cursor, sort, keyOf, matches });
    return { body: listBody('sessions', page, (session) => shownSession(session, caller, services)) };
  },
});

const end = defineRoute({
  method: 'DELETE',
  url: `${url}/:id`,
  action: 'end-own-session',
  operationId: 'endOwnSession',
  tag,
  summary: 'End one of your sessions',
  description: 'That browser is signed out. Your own session may be the one.',
  params: z.strictObject({ id: z.string().min(1).max(64).describe('The id of the session.') }),
  query: z.strictObject(dryRunQuery),
  answers: {
    200: tried,
    204: { description: 'It has ended.' },
  },
  handle: async (call) => {
    const caller = userOf(call.caller);
    const { id } = call.params;
    const outcome = await write(
      call,
      revokeCredential({ kind: 'Session', id, user: caller.user.id, ...unmoved(call) }),
    );
    if ('plan' in outcome) return { body: outcome.plan };
    const isCurrent = caller.by === 'session' && caller.session.id === id;
    return { status: 204, ...(isCurrent ? { session: null } : {}) };
  },
});

export const ownSessionRoutes: readonly Route[] = [list, end];
