// The access tokens of all users, for admins: who has which, and their end.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { revokeCredential } from '../../core/proposals/revoke-credential.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { unmoved } from '../expectation.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { exampleToken, ownedTokenView, shownOwnedToken } from '../views/token.ts';
import { emptyAnswer, write } from '../write.ts';

const url = '/api/v1/admin/tokens';

/** What revoking a token takes and answers, whosever it is. */
export const ofRevocation = {
  params: z.strictObject({ id: z.string().min(1).max(64).describe('The id of the token.') }),
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
};

const list = defineRoute({
  method: 'GET',
  url,
  action: 'manage-tokens',
  operationId: 'listTokens',
  tag: 'administration',
  summary: 'List the tokens of all users',
  description: 'In the order in which they were made, unless `sort` says otherwise. `q` looks at names and usernames.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['name', 'createdAt']) }),
  answers: {
    200: {
      description: 'A page of tokens.',
      schema: listView('tokens', ownedTokenView),
      example: () => ({ meta: {}, count: 1, tokens: [{ ...exampleToken, user: exampleOwner }] }),
    },
  },
  handle: ({ services, query: { q, ...query } }) => {
    const view = services.door.store.read();
    const matches = q === undefined ? undefined : holds(view, q.toLowerCase());
    const keyOf = (token: Resource<'Token'>) => (query.sort?.endsWith('name') ? token.name : token.createdAt);
    const page = pageOfMany(view, 'Token', { ...query, keyOf, matches });
    return { body: listBody('tokens', page, (token) => shownOwnedToken(token, view, services)) };
  },
});

const revoke = defineRoute({
  method: 'DELETE',
  url: `${url}/:id`,
  action: 'manage-tokens',
  operationId: 'revokeToken',
  tag: 'administration',
  summary: 'Revoke a token of any user',
  description: 'It opens nothing from then on.',
  ...ofRevocation,
  handle: async (call) => {
    const outcome = await write(call, revokeCredential({ kind: 'Token', id: call.params.id, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

function holds(view: View, q: string): (token: Resource<'Token'>) => boolean {
  return ({ name, spec }) =>
    name.toLowerCase().includes(q) || view.get('User', spec.user)?.name.toLowerCase().includes(q) === true;
}

const exampleOwner = { id: '4fVh2cQ8zT1mXr9LkPw3Ns', username: 'ann' };

export const tokenRoutes: readonly Route[] = [list, revoke];
