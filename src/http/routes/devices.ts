// Devices: making one in a team, reading, changing and deleting it, and giving it another token.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { mintToken } from '../../auth/token.ts';
import type { View } from '../../core/model/view.ts';
import { createDevice } from '../../core/proposals/create-device.ts';
import { deleteDevice } from '../../core/proposals/delete-device.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { renewDeviceToken, updateDevice } from '../../core/proposals/update-device.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { digestOf } from '../etag.ts';
import { resourceVersion, unmoved } from '../expectation.ts';
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
import { deviceSubject, teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { deviceDetailView, deviceWithTokenView, exampleDevice, shownDeviceDetail } from '../views/device.ts';
import { deviceUpdate, newDeviceBody } from '../views/device-written.ts';
import { emptyAnswer, write } from '../write.ts';

const tag = 'devices';
/** A route about the device `:id`. */
export const ofDevice = {
  params: z.strictObject({ id: z.string().describe('The id of the device.') }),
  subject: deviceSubject,
};
const exampleDetail = () => ({
  ...exampleDevice,
  environment: [{ name: 'HALL', value: '7' }],
  can: ['read-device', 'update-device', 'renew-device-token', 'delete-device'],
});
/** The answer that shows a device. */
export const shownDeviceAnswer = { description: 'The device.', schema: deviceDetailView, example: exampleDetail };
const exampleWithToken = () => ({ ...exampleDetail(), token: 'weirdev_…' });

const create = defineRoute({
  params: z.strictObject({ id: z.string().describe('The id of the team.') }),
  subject: teamSubject,
  method: 'POST',
  url: '/api/v1/teams/:id/devices',
  action: 'create-device',
  creates: 'Device',
  operationId: 'createDevice',
  tag,
  summary: 'Make a device',
  description:
    'The answer is the only one that ever holds the token of the device, which opens its own channel and nothing else: give it to the agent. A request that is repeated with its Idempotency-Key is told that it was made. Where a machine should register itself, make a provisioning token instead.',
  query: z.strictObject(dryRunQuery),
  body: newDeviceBody,
  bodyExample: () => ({ name: 'Gateway 7' }),
  answers: {
    200: tried,
    201: {
      description: 'The device that was made, with its token.',
      schema: deviceWithTokenView,
      example: exampleWithToken,
      headers: madeHeaders,
    },
  },
  handle: async (call) => {
    const { token, hash } = mintToken('device');
    const made = { ...call.body, team: call.params.id, hash, credentialSecret: mintSecret().secret };
    const outcome = await write(call, createDevice(made));
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) throw shownBefore();
    const headers = { location: `/api/v1/devices/${outcome.made}` };
    return { status: 201, headers, ...withToken(shownIn(outcome.view, outcome.made, call), token) };
  },
});

const get = defineRoute({
  ...ofDevice,
  method: 'GET',
  url: '/api/v1/devices/:id',
  action: 'read-device',
  operationId: 'getDevice',
  tag,
  summary: 'Read a device',
  description: 'What it should be, and what its agent says that it is.',
  answers: { 200: shownDeviceAnswer },
  handle: (call) => shownIn(call.services.door.store.read(), call.params.id, call),
});

const update = defineRoute({
  ...ofDevice,
  method: 'PUT',
  url: '/api/v1/devices/:id',
  action: 'update-device',
  changesGiven: true,
  operationId: 'updateDevice',
  tag,
  summary: 'Change a device',
  description: 'Only what is given changes. An agent that is connected hears of it at once, any other when it is back.',
  query: z.strictObject(dryRunQuery),
  body: deviceUpdate,
  bodyLimit: variablesBodyLimit,
  bodyExample: () => ({ mode: 'developer', environment: [{ name: 'HALL', value: '8' }] }),
  answers: {
    200: {
      description: 'The device, or what a dry run would change.',
      schema: z.union([deviceDetailView, planView]),
      headers: writtenHeaders,
      example: exampleDetail,
    },
  },
  handle: async (call) => {
    const outcome = await write(
      call,
      updateDevice({ ...call.body, id: call.params.id, ...unmoved(call), replacesLists: replacesLists(call) }),
    );
    return 'plan' in outcome ? { body: outcome.plan } : shownIn(outcome.view, call.params.id, call);
  },
});

const renew = defineRoute({
  ...ofDevice,
  method: 'POST',
  url: '/api/v1/devices/:id/token',
  action: 'renew-device-token',
  operationId: 'renewDeviceToken',
  tag,
  summary: 'Give a device another token',
  description: 'The old one opens nothing from then on: an agent that waits with it is turned away at once.',
  query: z.strictObject(dryRunQuery),
  answers: {
    200: tried,
    201: {
      description: 'The device, with its new token: no other answer ever holds it.',
      schema: deviceWithTokenView,
      example: exampleWithToken,
      headers: madeHeaders,
    },
  },
  handle: async (call) => {
    const { token, hash } = mintToken('device');
    const outcome = await write(call, renewDeviceToken(call.params.id, hash));
    if ('plan' in outcome) return { body: outcome.plan };
    const headers = { location: `/api/v1/devices/${call.params.id}` };
    return { status: 201, headers, ...withToken(shownIn(outcome.view, call.params.id, call), token) };
  },
});

const remove = defineRoute({
  ...ofDevice,
  method: 'DELETE',
  url: '/api/v1/devices/:id',
  action: 'delete-device',
  operationId: 'deleteDevice',
  tag,
  summary: 'Delete a device',
  description: 'Its token opens nothing from then on. What runs on it runs on, as long as somebody there lets it.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => emptyAnswer(await write(call, deleteDevice({ id: call.params.id, ...unmoved(call) }))),
});

/** A device as an answer. Throws `Declined` where there is none. */
export function shownIn(view: View, id: string, { caller, services }: Call): Reply {
  const device = targetIn(view, 'Device', { id });
  return { body: shownDeviceDetail(device, caller, view, services), version: resourceVersion(device) };
}

/** The answer that shows the token, too; its ETag is that of the device without it. */
function withToken(reply: Reply, token: string): Reply {
  return { ...reply, digest: digestOf(JSON.stringify(reply.body)), body: { ...Object(reply.body), token } };
}

/** Only the hash was kept: there is nothing to show again. */
function shownBefore(): Problem {
  return new Problem('idempotency_conflict', {
    detail:
      'The first request with this Idempotency-Key made the device, and its answer held the token, which cannot be shown again: if that answer was lost, give the device another token.',
  });
}

export const deviceRoutes: readonly Route[] = [create, get, update, renew, remove];
