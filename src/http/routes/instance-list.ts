// The instances of a team: filtered, sorted, in pages.
import { z } from 'zod';
import { type InstanceState, instanceStates } from '../../core/kinds/instance.ts';
import { keysOf } from '../../core/kinds/kind.ts';
import type { Resource } from '../../core/model/resource.ts';
import { referrers, type View } from '../../core/model/view.ts';
import { listBody, listView, pageOf, pageQuery, type SortKey, searchQuery, sortedBy, sortQuery } from '../paging.ts';
import { defineRoute } from '../route.ts';
import { teamSubject } from '../subjects.ts';
import { exampleInstance, instanceView, shownInstance } from '../views/instance.ts';

const sorts = ['name', 'createdAt', 'state'] as const;

export const instanceList = defineRoute({
  params: z.strictObject({ id: z.string().describe('The id of the team.') }),
  subject: teamSubject,
  method: 'GET',
  url: '/api/v1/teams/:id/instances',
  action: 'read-instances',
  operationId: 'listInstances',
  tag: 'instances',
  summary: 'List the instances of a team',
  description: 'All instances of the team.',
  query: z.strictObject({
    ...pageQuery,
    ...searchQuery,
    ...sortQuery(sorts),
    state: z.enum(instanceStates).optional().describe('Only those in this state.'),
    type: z.string().max(63).optional().describe('Only those of this instance type, by its name.'),
    stack: z.string().max(63).optional().describe('Only those on this stack, by its name.'),
  }),
  answers: {
    200: {
      description: 'A page of instances.',
      schema: listView('instances', instanceView),
      example: () => ({ meta: {}, count: 1, instances: [exampleInstance] }),
    },
  },
  handle: ({ services, params, query }) => {
    const { door } = services;
    const view = door.store.read();
    const known = door.facts();
    const order = query.sort ?? 'name';
    const key = (instance: Resource<'Instance'>) => keyOf(instance, order.replace('-', ''));
    const page = pageOf(sortedBy(found(view, params.id, query), key), query, order, key);
    return { body: listBody('instances', page, (instance) => shownInstance(instance, view, known)) };
  },
});

interface Filter {
  readonly q?: string | undefined;
  readonly state?: InstanceState | undefined;
  readonly type?: string | undefined;
  readonly stack?: string | undefined;
}

/** Of what is not there, there are no instances. */
function* found(view: View, teamId: string, filter: Filter): Iterable<Resource<'Instance'>> {
  const team = view.get('Team', teamId);
  const fits = fitting(view, filter);
  for (const instance of team ? referrers(view, 'Instance', team) : []) if (fits(instance)) yield instance;
}

function fitting(view: View, { q, state, type, stack }: Filter): (instance: Resource<'Instance'>) => boolean {
  const text = q?.toLowerCase();
  const wanted = {
    state,
    instanceType: type === undefined ? undefined : (view.named('InstanceType', type)?.id ?? ''),
    stack: stack === undefined ? undefined : (view.named('Stack', stack)?.id ?? ''),
  };
  return ({ name, spec }) =>
    (text === undefined || name.toLowerCase().includes(text)) &&
    keysOf(wanted).every((field) => wanted[field] === undefined || wanted[field] === spec[field]);
}

/** What is in one state comes by name. */
function keyOf({ id, name, createdAt, spec }: Resource<'Instance'>, order: string): SortKey {
  if (order === 'createdAt') return [createdAt, id];
  return [order === 'state' ? `${spec.state} ${name.toLowerCase()}` : name.toLowerCase(), id];
}
