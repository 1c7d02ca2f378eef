// The channel of a device: its agent registers, asks what the device should be, and says what it is.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { mintToken } from '../../auth/token.ts';
import type { Caller } from '../../core/access/actor.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { checkIn } from '../../core/proposals/check-in.ts';
import { registerDevice } from '../../core/proposals/register-device.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { matchesVersion } from '../etag.ts';
import { describedAs } from '../json-schema.ts';
import { type Call, defineRoute, type Reply, type Route, writtenHeaders } from '../route.ts';
import { tellOfClone } from '../tell-of-device.ts';
import { planView } from '../views/config.ts';
import { exampleDevice, registeredDeviceView, shownDevice } from '../views/device.ts';
import {
  checkInBody,
  deviceSettingsView,
  exampleWanted,
  shownSettings,
  shownWanted,
  versionOfWanted,
  wantedView,
} from '../views/device-channel.ts';
import { registrationBody } from '../views/device-written.ts';
import { write } from '../write.ts';

const tag = 'agents';
const action = 'follow-platform';

/** How long an agent may be kept waiting, in seconds: less than proxies wait for an answer. */
const mostSeconds = 60;
const wait = describedAs(
  z
    .string()
    .regex(/^[0-9]{1,2}$/, { error: `it is not a whole number from 0 to ${mostSeconds}` })
    .transform(Number)
    .refine((seconds) => seconds <= mostSeconds, { error: `it is not a whole number from 0 to ${mostSeconds}` })
    .default(0),
  { type: 'integer', minimum: 0, maximum: mostSeconds, default: 0 },
);

const register = defineRoute({
  method: 'POST',
  url: '/api/v1/device/register',
  action: 'register-device',
  operationId: 'registerDevice',
  tag,
  summary: 'Register a device',
  description:
    'Uses the provisioning token up. The answer is the only one that ever holds the token of the device: keep it. Where the answer was lost, the device is there, and a member of its team gives it another token.',
  query: z.strictObject(dryRunQuery),
  body: registrationBody,
  bodyExample: () => ({ name: 'Gateway 7' }),
  bodyLimit: 16_384,
  answers: {
    200: tried,
    201: {
      description: 'The device that was made, with its token.',
      schema: registeredDeviceView,
      example: () => ({ ...exampleDevice, status: 'unknown', lastSeenAt: null, token: 'weirdev_…' }),
      headers: { Location: 'Where the device reads, by its token, what it should be.' },
    },
  },
  handle: async (call) => {
    const { token, hash } = mintToken('device');
    const by = machineOf(call.caller).id;
    const made = { ...call.body, token: by, hash, credentialSecret: mintSecret().secret };
    const outcome = await write(call, registerDevice(made));
    if ('plan' in outcome) return { body: outcome.plan };
    const id = outcome.changes.find(({ kind }) => kind === 'Device')?.id ?? '';
    const device = targetIn(outcome.view, 'Device', { id });
    const headers = { location: '/api/v1/device' };
    return { status: 201, headers, body: { ...shownDevice(device, outcome.view, call.services), token } };
  },
});

const wanted = { description: 'What it should be.', schema: wantedView, example: () => exampleWanted };

const follow = defineRoute({
  method: 'GET',
  url: '/api/v1/device',
  action,
  operationId: 'followPlatform',
  tag,
  summary: 'Ask what the device should be',
  description:
    'With `If-None-Match` and `wait`, the answer comes when something has changed, at once; or else when the time is over, or the server stops: then it is 304.',
  query: z.strictObject({
    wait: wait.describe('How long to wait where nothing has changed since the ETag in `If-None-Match`, in seconds.'),
  }),
  answers: { 200: wanted },
  handle: async (call) => {
    const { query, ifNoneMatch, services, caller, onEnd } = call;
    const { id, spec } = deviceOf(caller);
    const { store, facts } = services.door;
    const isSame = (view: View) => {
      const device = view.get('Device', id);
      return (
        device?.spec.hash === spec.hash && isKnown(ifNoneMatch, versionOfWanted(shownWanted(device, view, facts())))
      );
    };
    if (query.wait > 0 && isSame(store.read()))
      await services.deviceWaiters.until({ device: id, isSame, ms: query.wait * 1000, onEnd });
    return told(store.read(), call);
  },
});

const settings = defineRoute({
  method: 'GET',
  url: '/api/v1/device/settings',
  action,
  operationId: 'readDeviceSettings',
  tag,
  summary: 'Read the settings of the device',
  description: 'What its runtime is started with, besides flows.',
  answers: {
    200: {
      description: 'Its settings.',
      schema: deviceSettingsView,
      example: () => ({ environment: [{ name: 'HALL', value: '7' }], credentialSecret: '…' }),
    },
  },
  handle: ({ services, caller }) => ({
    body: shownSettings(targetIn(services.door.store.read(), 'Device', { id: deviceOf(caller).id })),
  }),
});

const say = defineRoute({
  method: 'POST',
  url: '/api/v1/device/check-in',
  action,
  operationId: 'checkIn',
  tag,
  summary: 'Say how the device is',
  description:
    'Where its runtime starts, stops or crashes, and where it runs another snapshot, or could not: all of it each time. Saying the same again costs nothing.',
  query: z.strictObject(dryRunQuery),
  body: checkInBody,
  bodyExample: () => ({ state: 'running', agentVersion: '2.0.0', runtimeVersion: '4.1.15' }),
  bodyLimit: 16_384,
  answers: { 200: { ...wanted, schema: z.union([wantedView, planView]), headers: writtenHeaders } },
  handle: async (call) => {
    const { id, spec } = deviceOf(call.caller);
    const { error, agent, ...reported } = call.body;
    const { services, address } = call;
    const isHeard = agent && !call.query.dryRun;
    const cloned = isHeard ? services.agents.hear(spec.hash, agent, address, services.clock()) : undefined;
    const outcome = await write(call, checkIn({ id, reported, error, cloned }));
    if (!('plan' in outcome) && outcome.result) tellOfClone(outcome.view, id, services);
    return 'plan' in outcome ? { body: outcome.plan } : told(outcome.view, call);
  },
});

function told(view: View, { caller, services }: Call): Reply {
  const device = targetIn(view, 'Device', { id: deviceOf(caller).id });
  const body = shownWanted(device, view, services.door.facts());
  return { body, version: versionOfWanted(body) };
}

/** A star is no state that somebody has seen. A proxy that compresses makes tags weak, which here says no less. */
function isKnown(ifNoneMatch: string | undefined, version: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.includes('*')) return false;
  return matchesVersion(ifNoneMatch.replaceAll('W/', ''), version);
}

/** The device that asks: the policy has let nobody else in. */
export function deviceOf(caller: Caller): Resource<'Device'> {
  if (caller.kind !== 'device') throw new Problem('unauthorized');
  return caller.device;
}

function machineOf(caller: Caller): Resource<'ProvisioningToken'> {
  if (caller.kind !== 'machine') throw new Problem('unauthorized');
  return caller.token;
}

export const deviceChannelRoutes: readonly Route[] = [register, follow, settings, say];
