// Teams: making one, reading, changing and deleting it.
import { z } from 'zod';
import { decide } from '../../core/access/policy.ts';
import { name } from '../../core/kinds/kind.ts';
import { displayName } from '../../core/kinds/scalars.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { createTeam } from '../../core/proposals/create-team.ts';
import { deleteTeam } from '../../core/proposals/delete-team.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { slugWarnings, updateTeam } from '../../core/proposals/update-team.ts';
import { slugOf } from '../../lib/slug.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { component } from '../json-schema.ts';
import { type Call, defineRoute, madeHeaders, type Reply, type Route, writtenHeaders } from '../route.ts';
import { slugSubject, teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { changedTeamView, exampleTeamDetail, shownTeamDetail, teamDetailView, teamVersion } from '../views/team.ts';
import { emptyAnswer, write } from '../write.ts';
import { userOf } from './self.ts';

const url = '/api/v1/teams';
const tag = 'teams';
const example = () => exampleTeamDetail;
/** A route about the team `:id`. */
export const ofTeam = {
  params: z.strictObject({ id: z.string().min(1).max(64).describe('The id of the team.') }),
  subject: teamSubject,
};

const fields = {
  name: displayName().describe('The name that people read.'),
  slug: name().describe('What the team is called in addresses and in the names of groups, unique.'),
  type: z.string().min(1).max(63).describe('The name of the team type.'),
};

const create = defineRoute({
  method: 'POST',
  url,
  action: 'create-team',
  creates: 'Team',
  operationId: 'createTeam',
  tag,
  summary: 'Make a team',
  description:
    'You are its owner. Without a slug it gets one from its name, in whatever script that is, with a number behind it where another team has it. A type with `selfService: false` is for admins to give.',
  query: z.strictObject(dryRunQuery),
  body: component('NewTeam', z.strictObject({ ...fields, slug: fields.slug.optional() })),
  bodyExample: () => ({ name: 'Plant One', type: 'starter' }),
  answers: {
    200: tried,
    201: {
      description: 'The team that was made.',
      schema: teamDetailView,
      example,
      headers: madeHeaders,
    },
  },
  handle: async (call) => {
    const { name: displayName, slug, type } = call.body;
    const derived = slugOf(displayName, 'team');
    const outcome = await write(
      call,
      createTeam({ displayName, slug, derived, type, by: userOf(call.caller).user.id }),
    );
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) requireReadable(call, outcome.view, outcome.made);
    const headers = { location: `${url}/${outcome.made}` };
    return { status: 201, headers, ...shown(call, outcome.view, outcome.made) };
  },
});

const get = defineRoute({
  ...ofTeam,
  method: 'GET',
  url: `${url}/:id`,
  action: 'read-team',
  operationId: 'getTeam',
  tag,
  summary: 'Read a team',
  description: 'With what it has and may have, and in `can` what you may do with it.',
  answers: { 200: { description: 'The team.', schema: teamDetailView, example } },
  handle: (call) => shown(call, call.services.door.store.read(), call.params.id),
});

const getBySlug = defineRoute({
  method: 'GET',
  url: `${url}/slug/:slug`,
  action: 'read-team',
  operationId: 'getTeamBySlug',
  tag,
  summary: 'Read a team by its slug',
  description: 'As by its id; the case of the letters does not matter.',
  params: z.strictObject({ slug: z.string().min(1).max(63).describe('The slug of the team.') }),
  subject: slugSubject,
  answers: { 200: { description: 'The team.', schema: teamDetailView, example } },
  handle: (call) => {
    const view = call.services.door.store.read();
    const team = view.named('Team', call.params.slug);
    if (!team) throw new Problem('not_found');
    return shownTeamReply(call, view, team);
  },
});

const update = defineRoute({
  ...ofTeam,
  method: 'PUT',
  url: `${url}/:id`,
  action: 'update-team',
  changesGiven: true,
  operationId: 'updateTeam',
  tag,
  summary: 'Change a team',
  description:
    'Only what is given changes. Owners choose among the types with `selfService`, admins among all; another type has to fit what the team has. Where groups of an identity provider are named after the slug, another slug parts them from the team: `warnings` says so.',
  query: z.strictObject(dryRunQuery),
  body: component('TeamUpdate', z.strictObject(fields).partial()),
  bodyExample: () => ({ name: 'Plant Two' }),
  answers: {
    200: {
      description: 'The team, or what a dry run would change.',
      schema: z.union([changedTeamView, planView]),
      headers: writtenHeaders,
      example,
    },
  },
  handle: async (call) => {
    const { body, params } = call;
    const { name: displayName, slug, type } = body;
    const proposal = updateTeam({
      ...params,
      displayName,
      slug,
      type,
      by: userOf(call.caller).user.id,
      ...unmoved(call),
    });
    const outcome = await write(call, (view, context) => {
      const warnings = slugWarnings(view, params.id, slug);
      const old = view.get('Team', params.id)?.name ?? '';
      const events = warnings.length > 0 ? [partedFromGroups(params.id, old, slug)] : [];
      return { changes: proposal(view, context), result: warnings, events };
    });
    const warnings = outcome.result ?? [];
    if ('plan' in outcome) return { body: { ...outcome.plan, findings: [...outcome.plan.findings, ...warnings] } };
    const reply = shown(call, outcome.view, params.id);
    return warnings.length > 0 ? { ...reply, body: { ...Object(reply.body), warnings } } : reply;
  },
});

/** What the audit log tells beside the change of the slug: groups that decided who is in the team do so no longer. */
function partedFromGroups(id: string, old: string, slug = old) {
  const changes = [{ path: '/groups', before: `svc-${old}-<role>`, after: `svc-${slug}-<role>` }];
  return { event: 'team.parted-from-groups', target: { kind: 'Team', id, name: slug }, team: id, changes };
}

const remove = defineRoute({
  ...ofTeam,
  method: 'DELETE',
  url: `${url}/:id`,
  action: 'delete-team',
  operationId: 'deleteTeam',
  tag,
  summary: 'Delete a team',
  description: 'With its memberships and invitations. Its instances and devices are deleted first, one by one.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const outcome = await write(call, deleteTeam({ ...call.params, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

/** Whoever made a team may have left it since. Throws `idempotency_conflict`. */
function requireReadable({ caller }: Call, view: View, id: string): void {
  if (decide('read-team', caller, view, { team: view.get('Team', id) }) === 'allowed') return;
  throw new Problem('idempotency_conflict', {
    detail: 'You are not in the team any more that this request made: take a fresh Idempotency-Key to make another.',
  });
}

/** A team as an answer. Throws `Declined` where there is none. */
function shown(call: Call, view: View, id: string): Reply {
  return shownTeamReply(call, view, targetIn(view, 'Team', { id }));
}

/** A team as an answer, on its own. */
export function shownTeamReply({ caller }: Call, view: View, team: Resource<'Team'>): Reply {
  return { body: shownTeamDetail(team, caller, view), version: teamVersion(team) };
}

export const teamRoutes: readonly Route[] = [create, getBySlug, get, update, remove];
