// The access tokens of the user who asks: made here, shown once, revoked by deletion (specification 2.1).
import { z } from 'zod';
import { mintToken } from '../../auth/token.ts';
import { displayName } from '../../core/kinds/scalars.ts';
import type { Resource } from '../../core/model/resource.ts';
import { countReferrers, referrers } from '../../core/model/view.ts';
import { createToken, mostTokens } from '../../core/proposals/create-token.ts';
import { revokeCredential } from '../../core/proposals/revoke-credential.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { component } from '../json-schema.ts';
import { pageOfLong } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { exampleToken, newTokenView, shownToken, tokenView } from '../views/token.ts';
import { emptyAnswer, write } from '../write.ts';
import { userOf } from './self.ts';
import { ofRevocation } from './tokens.ts';

const url = '/api/v1/user/tokens';
const tag = 'self';

const list = defineRoute({
  method: 'GET',
  url,
  action: 'read-own-tokens',
  operationId: 'listOwnTokens',
  tag,
  summary: 'List your tokens',
  description: 'Without their texts: those were shown when they were made, and are not known any more.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['name', 'createdAt']) }),
  answers: {
    200: {
      description: 'A page of your tokens.',
      schema: listView('tokens', tokenView),
      example: () => ({ meta: {}, count: 1, tokens: [exampleToken] }),
    },
  },
  handle: ({ services, caller, query }) => {
    const view = services.door.store.read();
    const q = query.q?.toLowerCase();
    const matches = q === undefined ? undefined : ({ name }: Resource) => name.toLowerCase().includes(q);
    const keyOf = ({ name, createdAt }: Resource) => (query.sort?.endsWith('name') ? name : createdAt);
    const { limit, cursor, sort } = query;
    const { user } = userOf(caller);
    const wanted = { limit, cursor, sort, keyOf, matches };
    const page = pageOfLong(referrers(view, 'Token', user), countReferrers(view, 'Token', user), wanted);
    return { body: listBody('tokens', page, (token) => shownToken(token, services)) };
  },
});

const create = defineRoute({
  method: 'POST',
  url,
  action: 'create-token',
  creates: 'Token',
  operationId: 'createOwnToken',
  tag,
  summary: 'Make a token',
  description: `The answer is the only one that ever holds its text: a request that is repeated with its Idempotency-Key is told that it was made. A token opens what its owner may do at the time, and is deleted at its end. Nobody may have more than ${mostTokens}.`,
  query: z.strictObject(dryRunQuery),
  body: component(
    'NewToken',
    z.strictObject({
      name: displayName(100).describe('A label, for people.'),
      expiresAt: z.iso
        .datetime({ offset: true })
        .nullable()
        .optional()
        .describe('When it ends (RFC 3339); absent or null: never.'),
      scope: z
        .enum(['full', 'plan'])
        .optional()
        .describe('What it opens: all that its owner may do (`full`, where nothing is said), or reading plans only.'),
    }),
  ),
  bodyExample: () => ({ name: 'ci', scope: 'plan', expiresAt: '2027-11-21T10:00:00.000Z' }),
  answers: {
    200: tried,
    201: {
      description: 'The token that was made, with its text.',
      schema: newTokenView,
      example: () => ({ ...exampleToken, token: 'weirp_…' }),
    },
  },
  handle: async (call) => {
    const { body, caller, services } = call;
    const { token, hash } = mintToken();
    const { name, scope = 'full' } = body;
    const expiresAt = endOf(body.expiresAt ?? null, services.clock());
    const spec = { user: userOf(caller).user.id, hash, scope, expiresAt };
    const outcome = await write(call, createToken({ name, spec }));
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) throw shownBefore();
    const made = targetIn(outcome.view, 'Token', { id: outcome.made });
    return { status: 201, headers: { 'cache-control': 'no-store' }, body: { ...shownToken(made, services), token } };
  },
});

const revoke = defineRoute({
  method: 'DELETE',
  url: `${url}/:id`,
  action: 'delete-own-token',
  operationId: 'revokeOwnToken',
  tag,
  summary: 'Revoke one of your tokens',
  description: 'It opens nothing from then on. A token may revoke itself.',
  ...ofRevocation,
  handle: async (call) => {
    const user = userOf(call.caller).user.id;
    const outcome = await write(call, revokeCredential({ kind: 'Token', id: call.params.id, user, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

/** The end as it is kept, in UTC. Throws `invalid_request` for one that is past. */
function endOf(expiresAt: string | null, now: string): string | null {
  if (expiresAt === null) return null;
  if (Date.parse(expiresAt) > Date.parse(now)) return new Date(expiresAt).toISOString();
  const message = `expiresAt cannot be ${expiresAt}, because that is past: it is ${now} now`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path: '/expiresAt' }]);
}

/** A token cannot be shown twice, because nobody knows its text any more. */
function shownBefore(): Problem {
  return new Problem('idempotency_conflict', {
    detail:
      'The first request with this Idempotency-Key made the token, and its answer held the text, which cannot be shown again: if that answer was lost, revoke the token, and make another with a fresh key.',
  });
}

export const ownTokenRoutes: readonly Route[] = [list, create, revoke];
