// How a device looks in answers, and a group of them.
import { z } from 'zod';
import type { Caller } from '../../core/access/actor.ts';
import { actionsOn } from '../../core/access/policy.ts';
import { deviceModes } from '../../core/kinds/device.ts';
import { deviceStatuses, statusOfDevice, targetOf } from '../../core/model/device-standing.ts';
import type { Resource } from '../../core/model/resource.ts';
import { countReferrers, type View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import type { Services } from '../services.ts';
import { conditionView } from './config.ts';
import { idView, instantView } from './values.ts';

const teamView = z.strictObject({
  id: idView(),
  slug: z.string().describe('The slug of the team.'),
  name: z.string().describe('The name of the team.'),
});

const fields = {
  id: idView(),
  name: z.string().describe('The name that people read; not unique.'),
  team: teamView.describe('The team whose device it is.'),
  mode: z
    .enum(deviceModes)
    .describe('Who decides what it runs: the platform (`autonomous`), or whoever edits flows on it (`developer`).'),
  status: z
    .enum(deviceStatuses)
    .describe(
      'What its agent last said of its runtime; `unknown` where it never said anything, `offline` where it was not heard of for three minutes.',
    ),
  lastSeenAt: z.string().nullable().describe('When it last asked for something; null for never.'),
  group: z.string().optional().describe('The id of the group that it is in.'),
  targetSnapshot: z
    .string()
    .optional()
    .describe('The id of the snapshot that it should run: its own target, or else that of its group.'),
  activeSnapshot: z.string().optional().describe('The id of the snapshot that its agent says it runs.'),
  agentVersion: z.string().optional().describe('The version of its agent, as that says.'),
  runtimeVersion: z.string().optional().describe('The version of its runtime, as its agent says.'),
  conditions: z
    .array(conditionView)
    .describe(
      'What is wrong with it, and since when: `UpdateFailed`, its agent could not make it what it should be, and runs what it ran; `Cloned`, two agents use its token, until it gets another one. None where nothing is.',
    ),
  createdAt: instantView('When it was made.'),
  updatedAt: instantView('When what is wanted of it last changed.'),
};

/** A device in a list. */
export const deviceView = component('Device', z.strictObject(fields));

const detail = {
  ...fields,
  environment: z
    .array(z.strictObject({ name: z.string().describe('The name.'), value: z.string().describe('The value.') }))
    .describe('The variables that its runtime gets.'),
  can: z.array(z.string()).describe('What the caller may do with it.'),
};

/** A device on its own. */
export const deviceDetailView = component('DeviceDetail', z.strictObject(detail));

const tokenField = { token: z.string().describe('The token that its agent shows, this once.') };

/** A device just made, or whose token was renewed: the only answer that ever holds the token. */
export const deviceWithTokenView = component('DeviceWithToken', z.strictObject({ ...detail, ...tokenField }));

/** What a machine gets that was registered. */
export const registeredDeviceView = component('RegisteredDevice', z.strictObject({ ...fields, ...tokenField }));

type Known = Pick<Services, 'lastUsed' | 'clock'>;

/** A device as answered in a list. */
export function shownDevice(device: Resource<'Device'>, view: View, known: Known): z.output<typeof deviceView> {
  const { id, name, spec, createdAt, updatedAt } = device;
  const { group, mode, reported } = spec;
  const targetSnapshot = targetOf(device, view);
  const team = view.get('Team', spec.team);
  const lastSeenAt = known.lastUsed(id) ?? spec.lastSeenAt;
  return {
    id,
    name,
    team: { id: spec.team, slug: team?.name ?? '', name: team?.spec.displayName ?? '' },
    mode,
    status: statusOfDevice(reported, lastSeenAt, known.clock()),
    lastSeenAt,
    ...(group === undefined ? {} : { group }),
    ...(targetSnapshot === undefined ? {} : { targetSnapshot }),
    ...saidBy(reported),
    conditions: [...(spec.conditions ?? [])],
    createdAt,
    updatedAt,
  };
}

/** A device as answered on its own. */
export function shownDeviceDetail(
  device: Resource<'Device'>,
  caller: Caller,
  view: View,
  known: Known,
): z.output<typeof deviceDetailView> {
  const subject = { team: view.get('Team', device.spec.team) };
  return {
    ...shownDevice(device, view, known),
    environment: [...(device.spec.environment ?? [])],
    can: actionsOn('device', caller, view, subject),
  };
}

function saidBy(reported: Resource<'Device'>['spec']['reported']) {
  if (!reported) return {};
  const { state: _, ...rest } = reported;
  return rest;
}

const groupFields = {
  id: idView(),
  name: z.string().describe('The name that people read; not unique.'),
  description: z.string().describe('What it is for.'),
  team: teamView.describe('The team whose group it is.'),
  deviceCount: z.int().min(0).describe('How many devices are in it.'),
  targetSnapshot: z
    .string()
    .optional()
    .describe('The id of the snapshot that its devices should run that have no target of their own.'),
  createdAt: instantView('When it was made.'),
  updatedAt: instantView('When it last changed.'),
};

/** A group of devices. */
export const deviceGroupView = component('DeviceGroup', z.strictObject(groupFields));

/** A group as answered. */
export function shownDeviceGroup(group: Resource<'DeviceGroup'>, view: View): z.output<typeof deviceGroupView> {
  const { id, name, spec, createdAt, updatedAt } = group;
  const team = view.get('Team', spec.team);
  return {
    id,
    name,
    description: spec.description,
    team: { id: spec.team, slug: team?.name ?? '', name: team?.spec.displayName ?? '' },
    deviceCount: countReferrers(view, 'Device', group),
    ...(spec.targetSnapshot === undefined ? {} : { targetSnapshot: spec.targetSnapshot }),
    createdAt,
    updatedAt,
  };
}

const exampleTeam = { id: 'Qm7Zt4XcR9vLk2Wd8HyB1s', slug: 'plant-one', name: 'Plant One' };

/** A device in an example. */
export const exampleDevice: z.output<typeof deviceView> = {
  id: 'T2v9KqLm4RcXw8Zd1NfYb7',
  name: 'Gateway 7',
  team: exampleTeam,
  mode: 'autonomous',
  status: 'running',
  lastSeenAt: '2026-11-21T10:05:00.000Z',
  group: 'B8mXk2Rz7TcWq4Vd9LfYn1',
  targetSnapshot: '3pTq8WcV1nXe6KbZy0LrGd',
  activeSnapshot: '3pTq8WcV1nXe6KbZy0LrGd',
  agentVersion: '1.0.0',
  runtimeVersion: '4.1.15',
  conditions: [],
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
};

/** A group in an example. */
export const exampleDeviceGroup: z.output<typeof deviceGroupView> = {
  id: 'B8mXk2Rz7TcWq4Vd9LfYn1',
  name: 'Gateways',
  description: 'One a hall.',
  team: exampleTeam,
  deviceCount: 12,
  targetSnapshot: '3pTq8WcV1nXe6KbZy0LrGd',
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
};
