// Instances: making one in a team, reading, changing and deleting it.
import { z } from 'zod';
import type { Proposal } from '../../core/model/proposal.ts';
import type { View } from '../../core/model/view.ts';
import { createInstance } from '../../core/proposals/create-instance.ts';
import { deleteInstance } from '../../core/proposals/delete-instance.ts';
import { withOwnSecrets } from '../../core/proposals/own-secrets.ts';
import { type InstanceTarget, targeted, updateInstance } from '../../core/proposals/update-instance.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { matchesVersion } from '../etag.ts';
import { replacesLists } from '../merge-patch.ts';
import {
  type Call,
  defineRoute,
  madeHeaders,
  type Reply,
  type Route,
  variablesBodyLimit,
  writtenHeaders,
} from '../route.ts';
import { instanceSubject, teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { exampleInstance, instanceDetailView, instanceVersion, shownInstanceDetail } from '../views/instance.ts';
import { instanceUpdate, newInstance } from '../views/instance-written.ts';
import { emptyAnswer, requireAllowed, write } from '../write.ts';
import { userOf } from './self.ts';

const tag = 'instances';
const ofTeam = { params: z.strictObject({ id: z.string().describe('The id of the team.') }), subject: teamSubject };
/** A route about the instance `:id`. */
export const ofInstance = {
  params: z.strictObject({ id: z.string().describe('The id of the instance.') }),
  subject: instanceSubject,
};
/** The answer of a dry run. */
const exampleDetail = () => ({
  ...exampleInstance,
  can: [
    'read-instance',
    'read-instance-logs',
    'read-instance-resources',
    'read-instance-files',
    'write-instance-files',
    'update-instance',
    'guard-instance',
    'delete-instance',
    'act-on-instance',
    'read-snapshots',
    'create-snapshot',
    'restore-snapshot',
  ],
});
/** The answer that shows an instance. */
export const shownInstanceAnswer = { description: 'The instance.', schema: instanceDetailView, example: exampleDetail };

const create = defineRoute({
  ...ofTeam,
  method: 'POST',
  url: '/api/v1/teams/:id/instances',
  action: 'create-instance',
  creates: 'Instance',
  operationId: 'createInstance',
  tag,
  summary: 'Make an instance',
  description:
    'It starts as soon as it is made. Where the driver of the platform cannot run instances it is made stopped, and the condition `DriverUnavailable` says why.',
  query: z.strictObject(dryRunQuery),
  body: newInstance,
  bodyLimit: variablesBodyLimit,
  bodyExample: () => ({
    name: 'Packing line 1',
    instanceType: 'small',
    template: 'standard',
    options: { theme: 'dark' },
    environment: [{ name: 'LINE', value: '1' }],
  }),
  answers: {
    200: tried,
    201: { ...shownInstanceAnswer, description: 'The instance that was made.', headers: madeHeaders },
  },
  handle: async (call) => {
    const { params, body, services } = call;
    const wanted = { ...body, team: params.id };
    const proposal = createInstance(wanted, services.door.facts().drivers);
    const outcome = await write(call, withOwnSecrets(proposal, userOf(call.caller).user.id));
    if ('plan' in outcome) return { body: outcome.plan };
    const headers = { location: `/api/v1/instances/${outcome.made}` };
    return { status: 201, headers, ...shownIn(outcome.view, outcome.made, call) };
  },
});

const get = defineRoute({
  ...ofInstance,
  method: 'GET',
  url: '/api/v1/instances/:id',
  action: 'read-instance',
  operationId: 'getInstance',
  tag,
  summary: 'Read an instance',
  description: 'With its effective settings: what its template gives, and what it overrides.',
  answers: { 200: shownInstanceAnswer },
  handle: (call) => shownIn(call.services.door.store.read(), call.params.id, call),
});

const update = defineRoute({
  ...ofInstance,
  method: 'PUT',
  url: '/api/v1/instances/:id',
  action: 'update-instance',
  changesGiven: true,
  operationId: 'updateInstance',
  tag,
  summary: 'Change an instance',
  description:
    'Only what is given changes. All but the name acts when the instance next starts; until then `restartRequired` is true.',
  query: z.strictObject(dryRunQuery),
  body: instanceUpdate,
  bodyLimit: variablesBodyLimit,
  bodyExample: () => ({ name: 'Packing line 2', options: { theme: 'light', pageTitle: null } }),
  answers: {
    200: {
      description: 'The instance, or what a dry run would change.',
      schema: z.union([instanceDetailView, planView]),
      headers: writtenHeaders,
      example: exampleDetail,
    },
  },
  handle: async (call) => {
    const proposal = byOwner(
      call,
      updateInstance({ ...call.body, ...targetOf(call), replacesLists: replacesLists(call) }),
    );
    const outcome = await write(call, withOwnSecrets(proposal, userOf(call.caller).user.id));
    return 'plan' in outcome ? { body: outcome.plan } : shownIn(outcome.view, call.params.id, call);
  },
});

const remove = defineRoute({
  ...ofInstance,
  method: 'DELETE',
  url: '/api/v1/instances/:id',
  action: 'delete-instance',
  operationId: 'deleteInstance',
  tag,
  summary: 'Delete an instance',
  description:
    'What its driver holds for it goes first: until then it can be read, in the state `deleting`, and nothing can be done to it. A protected one is not deleted.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone, or going.' } },
  handle: async (call) => {
    const outcome = await write(call, deleteInstance(targetOf(call), call.services.door.facts().drivers));
    return emptyAnswer(outcome);
  },
});

/** Members change what an instance runs; who may come in is for owners to say, as long as they are owners. */
function byOwner(
  call: Call<unknown, unknown, { readonly protected?: boolean | undefined; readonly endpointAccess?: unknown }>,
  proposal: Proposal,
): Proposal {
  if (call.body.protected === undefined && call.body.endpointAccess === undefined) return proposal;
  return (view, context) => {
    requireAllowed(call, view, context.now, 'guard-instance');
    return proposal(view, context);
  };
}

function targetOf({ params, ifMatch }: Call<{ readonly id: string }>): InstanceTarget {
  if (ifMatch === undefined) return { id: params.id };
  return { id: params.id, expected: (current) => matchesVersion(ifMatch, instanceVersion(current)) };
}

/** An instance as an answer. Throws `Declined` where there is none. */
export function shownIn(view: View, id: string, { caller, services }: Call): Reply {
  const instance = targeted(view, { id });
  const body = shownInstanceDetail(instance, caller, view, services.door.facts());
  return { body, version: instanceVersion(instance) };
}

export const instanceRoutes: readonly Route[] = [create, get, update, remove];
