// Tokens for the HTTP endpoints of an instance: for machines that call them where they are for its team.
import { z } from 'zod';
import { mintToken } from '../../auth/token.ts';
import type { Resource } from '../../core/model/resource.ts';
import { createHttpToken, mostHttpTokens } from '../../core/proposals/create-http-token.ts';
import { deleteHttpToken } from '../../core/proposals/delete-http-token.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { instanceSubject } from '../subjects.ts';
import {
  exampleHttpToken,
  httpTokenView,
  newHttpTokenBody,
  newHttpTokenView,
  shownHttpToken,
} from '../views/http-token.ts';
import { emptyAnswer, write } from '../write.ts';

const url = '/api/v1/instances/:id/http-tokens';
const instance = { id: z.string().describe('The id of the instance.') };
const shared = { action: 'manage-http-tokens', tag: 'instances', subject: instanceSubject } as const;

const list = defineRoute({
  ...shared,
  params: z.strictObject(instance),
  method: 'GET',
  url,
  operationId: 'listHttpTokens',
  summary: 'List the HTTP tokens of an instance',
  description: 'Those that have not ended, without their texts.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['name', 'createdAt']) }),
  answers: {
    200: {
      description: 'A page of HTTP tokens.',
      schema: listView('httpTokens', httpTokenView),
      example: () => ({ meta: {}, count: 1, httpTokens: [exampleHttpToken] }),
    },
  },
  handle: ({ services, params, query: { q, ...query } }) => {
    const view = services.door.store.read();
    const text = q?.toLowerCase();
    const matches = text === undefined ? undefined : ({ name }: Resource) => name.toLowerCase().includes(text);
    const keyOf = (token: Resource) => (query.sort?.endsWith('name') ? token.name : token.createdAt);
    const page = pageOfMany(view, 'HttpToken', { ...query, keyOf, matches, of: view.get('Instance', params.id) });
    return { body: listBody('httpTokens', page, shownHttpToken) };
  },
});

const create = defineRoute({
  ...shared,
  params: z.strictObject(instance),
  method: 'POST',
  url,
  creates: 'HttpToken',
  operationId: 'createHttpToken',
  summary: 'Make an HTTP token of an instance',
  description: `A machine that sends it as \`Authorization: Bearer\` may call the HTTP endpoints of this instance, also where they are for the team alone, and nothing else: neither the API nor the editor, nor another instance. The answer is the only one that ever holds its text. An instance may have ${mostHttpTokens} at a time.`,
  query: z.strictObject(dryRunQuery),
  body: newHttpTokenBody,
  bodyExample: () => ({ name: 'scale 7' }),
  answers: {
    200: tried,
    201: {
      description: 'The token that was made, with its text.',
      schema: newHttpTokenView,
      example: () => ({ ...exampleHttpToken, token: 'weirhttp_…' }),
    },
  },
  handle: async (call) => {
    const { params, body, services } = call;
    const { token, hash } = mintToken('http');
    const expiresAt = endOf(body.expiresAt, services.clock());
    const outcome = await write(call, createHttpToken({ name: body.name, instance: params.id, hash, expiresAt }));
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) throw shownBefore();
    const made = targetIn(outcome.view, 'HttpToken', { id: outcome.made });
    return { status: 201, body: { ...shownHttpToken(made), token } };
  },
});

const revoke = defineRoute({
  ...shared,
  params: z.strictObject({ ...instance, tokenId: z.string().min(1).max(64).describe('The id of the token.') }),
  method: 'DELETE',
  url: `${url}/:tokenId`,
  operationId: 'revokeHttpToken',
  summary: 'Revoke an HTTP token of an instance',
  description: 'It opens nothing from then on.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const { id: ofInstance, tokenId: id } = call.params;
    return emptyAnswer(await write(call, deleteHttpToken(ofInstance, { id, ...unmoved(call) })));
  },
});

/** In milliseconds. */
const yearMs = 365 * 86_400_000;

/** The end as it is kept, in UTC. Throws `invalid_request` for one that is past. */
function endOf(expiresAt: string | undefined, now: string): string {
  const at = Date.parse(now);
  const end = expiresAt === undefined ? at + yearMs : Date.parse(expiresAt);
  if (end > at) return new Date(end).toISOString();
  const message = `expiresAt cannot be ${expiresAt}, because that is past: it is ${now} now`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path: '/expiresAt' }]);
}

/** Only the hash was kept: there is nothing to show again. */
function shownBefore(): Problem {
  return new Problem('idempotency_conflict', {
    detail:
      'The first request with this Idempotency-Key made the HTTP token, and its answer held the text, which cannot be shown again: if that answer was lost, revoke the token, and make another with a fresh key.',
  });
}

export const httpTokenRoutes: readonly Route[] = [list, create, revoke];
