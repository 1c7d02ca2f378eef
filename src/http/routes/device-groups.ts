// Groups of devices: made in a team, read, changed and deleted.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { createDeviceGroup, deleteDeviceGroup, updateDeviceGroup } from '../../core/proposals/device-groups.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { resourceVersion, unmoved } from '../expectation.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, madeHeaders, type Reply, type Route, writtenHeaders } from '../route.ts';
import { deviceGroupSubject, teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { deviceGroupView, exampleDeviceGroup, shownDeviceGroup } from '../views/device.ts';
import { deviceGroupUpdate, newDeviceGroupBody } from '../views/device-written.ts';
import { emptyAnswer, write } from '../write.ts';

const tag = 'devices';
const ofTeam = { params: z.strictObject({ id: z.string().describe('The id of the team.') }), subject: teamSubject };
const ofGroup = {
  params: z.strictObject({ id: z.string().describe('The id of the group.') }),
  subject: deviceGroupSubject,
};
const example = () => exampleDeviceGroup;

const list = defineRoute({
  ...ofTeam,
  method: 'GET',
  url: '/api/v1/teams/:id/device-groups',
  action: 'read-devices',
  operationId: 'listDeviceGroups',
  tag,
  summary: 'List the device groups of a team',
  description: 'All groups of the team, in the order in which they were made, unless `sort` says otherwise.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['name', 'createdAt']) }),
  answers: {
    200: {
      description: 'A page of groups.',
      schema: listView('deviceGroups', deviceGroupView),
      example: () => ({ meta: {}, count: 1, deviceGroups: [exampleDeviceGroup] }),
    },
  },
  handle: ({ services, params, query: { q, ...query } }) => {
    const view = services.door.store.read();
    const text = q?.toLowerCase();
    const matches = text === undefined ? undefined : ({ name }: Resource) => name.toLowerCase().includes(text);
    const keyOf = (group: Resource) => (query.sort?.endsWith('name') ? group.name : group.createdAt);
    const page = pageOfMany(view, 'DeviceGroup', { ...query, keyOf, matches, of: view.get('Team', params.id) });
    return { body: listBody('deviceGroups', page, (group) => shownDeviceGroup(group, view)) };
  },
});

const create = defineRoute({
  ...ofTeam,
  method: 'POST',
  url: '/api/v1/teams/:id/device-groups',
  action: 'manage-device-groups',
  creates: 'DeviceGroup',
  operationId: 'createDeviceGroup',
  tag,
  summary: 'Make a device group',
  description: 'Takes the feature `deviceGroups` of the type of the team.',
  query: z.strictObject(dryRunQuery),
  body: newDeviceGroupBody,
  bodyExample: () => ({ name: 'Gateways', description: 'One a hall.' }),
  answers: {
    200: tried,
    201: {
      description: 'The group that was made.',
      schema: deviceGroupView,
      example,
      headers: madeHeaders,
    },
  },
  handle: async (call) => {
    const outcome = await write(call, createDeviceGroup({ ...call.body, team: call.params.id }));
    if ('plan' in outcome) return { body: outcome.plan };
    const headers = { location: `/api/v1/device-groups/${outcome.made}` };
    return { status: 201, headers, ...shownIn(outcome.view, outcome.made) };
  },
});

const get = defineRoute({
  ...ofGroup,
  method: 'GET',
  url: '/api/v1/device-groups/:id',
  action: 'read-devices',
  operationId: 'getDeviceGroup',
  tag,
  summary: 'Read a device group',
  description: 'The devices in it are found by `GET /api/v1/teams/:id/devices?group=`.',
  answers: { 200: { description: 'The group.', schema: deviceGroupView, example } },
  handle: ({ params, services }) => shownIn(services.door.store.read(), params.id),
});

const update = defineRoute({
  ...ofGroup,
  method: 'PUT',
  url: '/api/v1/device-groups/:id',
  action: 'manage-device-groups',
  changesGiven: true,
  operationId: 'updateDeviceGroup',
  tag,
  summary: 'Change a device group',
  description: 'Only what is given changes.',
  query: z.strictObject(dryRunQuery),
  body: deviceGroupUpdate,
  bodyExample: () => ({ name: 'Gateways, north' }),
  answers: {
    200: {
      description: 'The group, or what a dry run would change.',
      schema: z.union([deviceGroupView, planView]),
      headers: writtenHeaders,
      example,
    },
  },
  handle: async (call) => {
    const outcome = await write(call, updateDeviceGroup({ ...call.body, id: call.params.id, ...unmoved(call) }));
    return 'plan' in outcome ? { body: outcome.plan } : shownIn(outcome.view, call.params.id);
  },
});

const remove = defineRoute({
  ...ofGroup,
  method: 'DELETE',
  url: '/api/v1/device-groups/:id',
  action: 'manage-device-groups',
  operationId: 'deleteDeviceGroup',
  tag,
  summary: 'Delete a device group',
  description: 'Its devices are taken out of it first, so that nobody changes what they run by accident.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => emptyAnswer(await write(call, deleteDeviceGroup({ id: call.params.id, ...unmoved(call) }))),
});

function shownIn(view: View, id: string): Reply {
  const group = targetIn(view, 'DeviceGroup', { id });
  return { body: shownDeviceGroup(group, view), version: resourceVersion(group) };
}

export const deviceGroupRoutes: readonly Route[] = [list, create, get, update, remove];
