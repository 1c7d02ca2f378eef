// The noun Instance: a flow runtime of a team.
import { z } from 'zod';
import { bookkeeping, defineKind, listBy, refId, sealed } from './kind.ts';
import { instant, variableName } from './scalars.ts';
import { contentKey } from './snapshot.ts';
import { optionOverrides } from './template-options.ts';

/** The states of an instance. */
export const instanceStates = [
  'creating',
  'starting',
  'running',
  'stopping',
  'stopped',
  'suspended',
  'restarting',
  'upgrading',
  'crashed',
  'deleting',
] as const;

/** One of them. */
export type InstanceState = (typeof instanceStates)[number];

/** What somebody may want an instance to be. Suspended is stopped, with what its driver holds for it given back. */
export const desiredStates = ['running', 'stopped', 'suspended'] as const;

/** Whom the endpoints of an instance may answer. */
export const endpointAccesses = ['team', 'open'] as const;

/** Variables of a runtime, told apart by name. */
export const variables = listBy(
  'name',
  z.strictObject({
    name: variableName().describe('The name of the variable.'),
    value: z.string().max(32_768).describe('The value.'),
  }),
);

/** What an instance was last started with, as it was then: what differs from it now acts at the next start. */
const started = z.strictObject({
  at: instant(),
  runtime: z.string(),
  resources: z.strictObject({
    memoryMb: z.int().optional(),
    cpuPercent: z.int().optional(),
    diskMb: z.int().optional(),
  }),
  options: optionOverrides,
  environment: variables,
  /** For a host name of its own: nothing stands before its paths. Absent: it was told the path below which it is reached. */
  atRoot: z.literal(true).optional(),
});

/** How an instance or a device stands in one respect, as Kubernetes has it. */
export const condition = z.strictObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: instant(),
});

/** What is written into an instance before it runs again: the blob, how the snapshot was called, and what its credentials are encrypted with. */
const restore = z.strictObject({
  id: z.string(),
  snapshot: z.string(),
  name: z.string(),
  content: z.string(),
  credentialSecret: sealed(z.string()).optional(),
});

/** The crashes of an instance: how many there were, and the last of them. */
const crashes = z.strictObject({ count: z.int(), at: instant(), reason: z.string(), message: z.string() });

/** Since when an instance is in safe mode, and why. */
const safeMode = z.strictObject({ since: instant(), reason: z.enum(['FastEnds', 'Requested']), message: z.string() });

const nearLimit = z.strictObject({ toldAt: instant(), near: z.boolean() });

/** What the owners of an instance were told: of how many crashes; that it is near a limit, as long as it is. */
const alerts = z.strictObject({
  crash: z.strictObject({ toldAt: instant(), count: z.int() }).optional(),
  memory: nearLimit.optional(),
  cpu: nearLimit.optional(),
  disk: nearLimit.optional(),
  safeMode: z.strictObject({ toldAt: instant() }).optional(),
});

/** How often an instance crashed, and how last. */
export type Crashes = z.output<typeof crashes>;

/** What the owners of an instance were told. */
export type InstanceAlerts = z.output<typeof alerts>;

/** That an instance is in safe mode. */
export type SafeMode = z.output<typeof safeMode>;

/** What an instance was last started with. */
export type StartedWith = z.output<typeof started>;

/** A snapshot on its way into an instance. */
export type PendingRestore = z.output<typeof restore>;

/** How an instance stands in one respect. */
export type InstanceCondition = z.output<typeof condition>;

/** An instance (specification 1, 2.4 to 2.6). What is wanted stands beside what was observed: `desired` and `state`. Its name is for people. */
export const instance = defineKind({
  kind: 'Instance',
  plural: 'instances',
  path: 'instances',
  declared: false,
  summary: 'A flow runtime of a team.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose instance it is.'),
    instanceType: refId('InstanceType').describe('Its type.'),
    template: refId('Template').describe('The template with its default options.'),
    stack: refId('Stack').describe('The stack that it runs.'),
    desired: z.enum(desiredStates).default('running').describe('What it should be.'),
    state: z.enum(instanceStates).default('creating').describe('What it is doing.'),
    options: optionOverrides.optional().describe('The options that differ from the template.'),
    environment: variables.optional().describe('The variables that differ from the template or are added to it.'),
    protected: z
      .boolean()
      .optional()
      .describe(
        'Whether its editor is closed to everybody, no snapshot is restored into it, and it is not deleted. Acts where its team has the feature protectedInstances.',
      ),
    endpointAccess: z
      .enum(endpointAccesses)
      .optional()
      .describe(
        'Who may use its endpoints and dashboards, where its team has the feature teamEndpointSecurity: its team, or anyone. Absent: its team.',
      ),
    previousStack: bookkeeping(refId('Stack'))
      .optional()
      .describe('While it is upgraded, the stack that it goes back to when that fails.'),
    started: bookkeeping(started).optional().describe('What it was last started with; absent where it never was.'),
    credentialSecret: bookkeeping(sealed(z.string()))
      .optional()
      .describe('What its runtime encrypts the credentials in its flows with; made when it is first started.'),
    restore: bookkeeping(restore)
      .optional()
      .describe('The snapshot that is being restored into it, until that is done.'),
    flowsDigest: bookkeeping(z.string())
      .optional()
      .describe('The SHA-256 of the flows that were last seen in it: others are a deploy.'),
    url: bookkeeping(z.string().max(2048)).optional().describe('Where it answers while it runs.'),
    conditions: bookkeeping(z.array(condition)).default([]).describe('How it stands, and why.'),
    crashes: bookkeeping(crashes).optional().describe('How often it crashed, and how last; absent where it never did.'),
    safeMode: bookkeeping(safeMode)
      .optional()
      .describe('That it is started with its editor and without its flows; absent where it is not.'),
    fastEnds: bookkeeping(z.int())
      .optional()
      .describe('How many times in a row it ended shortly after its start; absent where it did not.'),
    alerts: bookkeeping(alerts).optional().describe('What its owners were told by mail.'),
  }),
  keys: ({ team, instanceType, state, restore: restored }) => [
    teamTypeKey(team, instanceType),
    stateKey(state),
    ...(restored ? [contentKey(restored.content)] : []),
  ],
});

/** The index key of a team's instances of a type, by their ids. */
export function teamTypeKey(team: string, instanceType: string): string {
  return `type=${team}/${instanceType}`;
}

/** The index key of the instances in a state. */
export function stateKey(state: InstanceState): string {
  return `state=${state}`;
}
