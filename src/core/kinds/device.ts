// The noun Device: a flow runtime that lives elsewhere, looked after by an agent beside it.
import { z } from 'zod';
import { condition, variables } from './instance.ts';
import { bookkeeping, defineKind, refId, sealed, sha256 } from './kind.ts';
import { displayName, instant } from './scalars.ts';

/** Who decides what a device runs: the platform, or whoever edits flows on it. */
export const deviceModes = ['autonomous', 'developer'] as const;

/** What an agent may say of its runtime. */
export const runtimeStates = ['starting', 'running', 'stopped', 'crashed'] as const;

/** What the agent last said of itself. The snapshot is named by an id that may be gone by now. */
const reported = z.strictObject({
  state: z.enum(runtimeStates),
  activeSnapshot: z.string().max(64).optional(),
  agentVersion: z.string().max(64).optional(),
  runtimeVersion: z.string().max(64).optional(),
});

/** What an agent says of itself. */
export type Reported = z.output<typeof reported>;

/** What may be wrong with a device: an update that its agent could not carry out; and that two agents use its token. */
export const deviceConditions = ['UpdateFailed', 'Cloned'] as const;

/** One of them. */
export type DeviceConditionName = (typeof deviceConditions)[number];

/** The index key of devices that one of them holds for. */
export function deviceConditionKey(name: DeviceConditionName): string {
  return `condition=${name}`;
}

/** A snapshot that somebody asked for: the id of the request, and how it will be called. */
const snapshotRequest = z.strictObject({
  id: z.string().describe('The id of the request.'),
  name: displayName().describe('How the snapshot will be called.'),
});

/** A device (specification 1, 2.3). Its name is for people. What it should run stands beside what its agent says that it runs. */
export const device = defineKind({
  kind: 'Device',
  plural: 'devices',
  path: 'devices',
  declared: false,
  summary: 'A flow runtime that lives elsewhere.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose device it is.'),
    mode: z.enum(deviceModes).default('autonomous').describe('Who decides what it runs.'),
    group: refId('DeviceGroup').optional().describe('The group that it is in.'),
    targetSnapshot: refId('Snapshot').optional().describe('What it should run, before what its group should.'),
    environment: variables.optional().describe('The variables that its runtime gets.'),
    snapshotRequest: snapshotRequest
      .optional()
      .describe('The snapshot that somebody asked it for and did not get yet.'),
    hash: sha256().describe('The SHA-256 of its token, in hexadecimal.'),
    credentialSecret: bookkeeping(sealed(z.string())).describe('What the credentials in its flows are encrypted with.'),
    lastSeenAt: bookkeeping(instant())
      .nullable()
      .default(null)
      .describe('When it last asked for something, to the minute; null for never.'),
    reported: bookkeeping(reported).optional().describe('What its agent last said of itself.'),
    conditions: bookkeeping(z.array(condition)).optional().describe('What is wrong with it, and since when.'),
  }),
  keys: ({ hash, conditions = [] }) => [
    `hash=${hash}`,
    ...deviceConditions.filter((name) => conditions.some(({ type }) => type === name)).map(deviceConditionKey),
  ],
});
