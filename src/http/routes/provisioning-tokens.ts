// Provisioning tokens of a team: each makes one machine a device, once.
import { z } from 'zod';
import { mintToken } from '../../auth/token.ts';
import type { Resource } from '../../core/model/resource.ts';
import { createProvisioningToken, mostProvisioningTokens } from '../../core/proposals/create-provisioning-token.ts';
import { deleteProvisioningToken } from '../../core/proposals/delete-provisioning-token.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { teamSubject } from '../subjects.ts';
import { newProvisioningTokenBody } from '../views/device-written.ts';
import {
  exampleProvisioningToken,
  newProvisioningTokenView,
  provisioningTokenView,
  shownProvisioningToken,
} from '../views/provisioning-token.ts';
import { emptyAnswer, write } from '../write.ts';

const url = '/api/v1/teams/:id/provisioning-tokens';
const team = { id: z.string().describe('The id of the team.') };
const shared = { action: 'manage-provisioning-tokens', tag: 'devices', subject: teamSubject } as const;

const list = defineRoute({
  ...shared,
  params: z.strictObject(team),
  method: 'GET',
  url,
  operationId: 'listProvisioningTokens',
  summary: 'List the provisioning tokens of a team',
  description: 'Those that were neither used nor have ended, without their texts.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['name', 'createdAt']) }),
  answers: {
    200: {
      description: 'A page of provisioning tokens.',
      schema: listView('provisioningTokens', provisioningTokenView),
      example: () => ({ meta: {}, count: 1, provisioningTokens: [exampleProvisioningToken] }),
    },
  },
  handle: ({ services, params, query: { q, ...query } }) => {
    const view = services.door.store.read();
    const text = q?.toLowerCase();
    const matches = text === undefined ? undefined : ({ name }: Resource) => name.toLowerCase().includes(text);
    const keyOf = (token: Resource) => (query.sort?.endsWith('name') ? token.name : token.createdAt);
    const page = pageOfMany(view, 'ProvisioningToken', { ...query, keyOf, matches, of: view.get('Team', params.id) });
    return { body: listBody('provisioningTokens', page, shownProvisioningToken) };
  },
});

const create = defineRoute({
  ...shared,
  params: z.strictObject(team),
  method: 'POST',
  url,
  creates: 'ProvisioningToken',
  operationId: 'createProvisioningToken',
  summary: 'Make a provisioning token',
  description: `A machine that shows it to \`POST /api/v1/device/register\` becomes a device of the team, and the token is gone. The answer is the only one that ever holds its text. A team may have ${mostProvisioningTokens} at a time.`,
  query: z.strictObject(dryRunQuery),
  body: newProvisioningTokenBody,
  bodyExample: () => ({ name: 'hall 7' }),
  answers: {
    200: tried,
    201: {
      description: 'The token that was made, with its text.',
      schema: newProvisioningTokenView,
      example: () => ({ ...exampleProvisioningToken, token: 'weirprov_…' }),
    },
  },
  handle: async (call) => {
    const { params, body, services } = call;
    const { token, hash } = mintToken('provisioning');
    const expiresAt = endOf(body.expiresAt, services.clock());
    const outcome = await write(call, createProvisioningToken({ ...body, team: params.id, hash, expiresAt }));
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) throw shownBefore();
    const made = targetIn(outcome.view, 'ProvisioningToken', { id: outcome.made });
    return { status: 201, body: { ...shownProvisioningToken(made), token } };
  },
});

const revoke = defineRoute({
  ...shared,
  params: z.strictObject({ ...team, tokenId: z.string().min(1).max(64).describe('The id of the token.') }),
  method: 'DELETE',
  url: `${url}/:tokenId`,
  operationId: 'revokeProvisioningToken',
  summary: 'Revoke a provisioning token',
  description: 'It registers nothing from then on. Devices that were registered stay.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const { id: ofTeam, tokenId: id } = call.params;
    return emptyAnswer(await write(call, deleteProvisioningToken(ofTeam, { id, ...unmoved(call) })));
  },
});

const dayMs = 86_400_000;

/** The end as it is kept, in UTC. Throws `invalid_request` for one that is past, or too far away. */
function endOf(expiresAt: string | undefined, now: string): string {
  const at = Date.parse(now);
  const end = expiresAt === undefined ? at + dayMs : Date.parse(expiresAt);
  if (end > at && end <= at + 366 * dayMs) return new Date(end).toISOString();
  const because = end > at ? 'that is more than a year away' : 'that is past';
  const message = `expiresAt cannot be ${expiresAt}, because ${because}: it is ${now} now`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path: '/expiresAt' }]);
}

/** Only the hash was kept: there is nothing to show again. */
function shownBefore(): Problem {
  return new Problem('idempotency_conflict', {
    detail:
      'The first request with this Idempotency-Key made the provisioning token, and its answer held the text, which cannot be shown again: if that answer was lost, revoke the token, and make another with a fresh key.',
  });
}

export const provisioningTokenRoutes: readonly Route[] = [list, create, revoke];
