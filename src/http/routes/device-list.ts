// The devices of a team: filtered, sorted, in pages.
import { z } from 'zod';
import { deviceConditions, deviceModes } from '../../core/kinds/device.ts';
import type { Resource } from '../../core/model/resource.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute } from '../route.ts';
import { teamSubject } from '../subjects.ts';
import { deviceView, exampleDevice, shownDevice } from '../views/device.ts';

export const deviceList = defineRoute({
  params: z.strictObject({ id: z.string().describe('The id of the team.') }),
  subject: teamSubject,
  method: 'GET',
  url: '/api/v1/teams/:id/devices',
  action: 'read-devices',
  operationId: 'listDevices',
  tag: 'devices',
  summary: 'List the devices of a team',
  description: 'All devices of the team, in the order in which they were made, unless `sort` says otherwise.',
  query: z.strictObject({
    ...pageQuery,
    ...searchQuery,
    ...sortQuery(['name', 'createdAt']),
    mode: z.enum(deviceModes).optional().describe('Only those in this mode.'),
    group: z.string().max(64).optional().describe('Only those in this group, by its id.'),
    condition: z.enum(deviceConditions).optional().describe('Only those that this is wrong with.'),
  }),
  answers: {
    200: {
      description: 'A page of devices.',
      schema: listView('devices', deviceView),
      example: () => ({ meta: {}, count: 1, devices: [exampleDevice] }),
    },
  },
  handle: ({ services, params, query }) => {
    const view = services.door.store.read();
    const { limit, cursor, sort } = query;
    const keyOf = (device: Resource<'Device'>) => (sort?.endsWith('name') ? device.name : device.createdAt);
    const wanted = { limit, cursor, sort, keyOf, matches: filterOf(query), of: view.get('Team', params.id) };
    return { body: listBody('devices', pageOfMany(view, 'Device', wanted), (one) => shownDevice(one, view, services)) };
  },
});

interface Filter {
  readonly q?: string | undefined;
  readonly mode?: string | undefined;
  readonly group?: string | undefined;
  readonly condition?: string | undefined;
}

/** Nothing where all are asked for, so that the index knows how many there are. */
function filterOf({ q, mode, group, condition }: Filter): ((device: Resource<'Device'>) => boolean) | undefined {
  if (q === undefined && mode === undefined && group === undefined && condition === undefined) return undefined;
  const text = q?.toLowerCase();
  return ({ name, spec }) =>
    (text === undefined || name.toLowerCase().includes(text)) &&
    (mode === undefined || spec.mode === mode) &&
    (group === undefined || spec.group === group) &&
    (condition === undefined || (spec.conditions ?? []).some(({ type }) => type === condition));
}
