// What an agent is told, and what it says.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { withoutReserved } from '../../core/instances/reserved-variables.ts';
import { deviceModes, runtimeStates } from '../../core/kinds/device.ts';
import { targetOf } from '../../core/model/device-standing.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { effectiveIn, type Facts } from '../../core/rules/facts.ts';
import { component } from '../json-schema.ts';
import { idView } from './values.ts';

/** What a device should be. */
export const wantedView = component(
  'WantedDevice',
  z.strictObject({
    id: idView(),
    name: z.string().describe('The name of the device.'),
    mode: z
      .enum(deviceModes)
      .describe(
        'Who decides what it runs. `autonomous`: run the target, with the editor shut. `developer`: run what people make of it in the editor on the device.',
      ),
    settings: z.string().describe('Changes when its settings do: fetch them then.'),
    targetSnapshot: z
      .string()
      .nullable()
      .describe(
        'The id of the snapshot that it should run, its own or that of its group: fetch it then. Null for none: what it has is left to it.',
      ),
    autoSnapshot: z
      .boolean()
      .describe(
        'Whether each deploy on it should be sent as a snapshot: in developer mode, with the feature `deviceAutoSnapshot`.',
      ),
    snapshotRequest: z
      .string()
      .nullable()
      .describe('The id of a request for a snapshot, made in developer mode: send one that names it.'),
  }),
);

/** What a device should be, as it is told; the same text as long as that is the same. */
export function shownWanted(
  device: Resource<'Device'>,
  view: View,
  facts: Pick<Facts, 'drivers'>,
): z.output<typeof wantedView> {
  const { id, name, spec } = device;
  return {
    id,
    name,
    mode: spec.mode,
    settings: settingsMark(device),
    targetSnapshot: targetOf(device, view) ?? null,
    autoSnapshot: spec.mode === 'developer' && hasAutoSnapshot(view, spec.team, facts),
    snapshotRequest: spec.snapshotRequest?.id ?? null,
  };
}

/** What tells one state of affairs from another: the version of the answer. */
export function versionOfWanted(shown: z.output<typeof wantedView>): string {
  return markOf(shown);
}

function hasAutoSnapshot(view: View, team: string, facts: Pick<Facts, 'drivers'>): boolean {
  const type = view.get('TeamType', view.get('Team', team)?.spec.type ?? '');
  return type !== undefined && effectiveIn(view, facts, type.spec.features, 'deviceAutoSnapshot').effective;
}

/** What a runtime on a device is started with, besides flows. */
export const deviceSettingsView = component(
  'DeviceSettings',
  z.strictObject({
    environment: z
      .array(z.strictObject({ name: z.string().describe('The name.'), value: z.string().describe('The value.') }))
      .describe('The variables that the runtime gets.'),
    credentialSecret: z
      .string()
      .describe('What the credentials in flows of this device are encrypted with: `credentialSecret` of the runtime.'),
  }),
);

/** The settings of a device. */
export function shownSettings({ spec }: Resource<'Device'>): z.output<typeof deviceSettingsView> {
  const { environment = [], credentialSecret } = spec;
  return { environment: [...withoutReserved(environment, { of: 'device' }).given], credentialSecret };
}

/** How much of an error is kept, in characters. */
const mostError = 2000;

/** What an agent says of itself. */
export const checkInBody = component(
  'CheckIn',
  z.strictObject({
    state: z.enum(runtimeStates).describe('How its runtime is.'),
    activeSnapshot: z.string().min(1).max(64).optional().describe('The id of the snapshot that it runs.'),
    agentVersion: z.string().min(1).max(64).optional().describe('Its own version.'),
    runtimeVersion: z.string().min(1).max(64).optional().describe('The version of its runtime.'),
    error: z
      .string()
      .min(1)
      .max(mostError)
      .optional()
      .describe(
        'Why it is not what it should be, as its last lines say it: the device has the condition `UpdateFailed` as long as this is said. Without secrets.',
      ),
    agent: z
      .strictObject({
        run: z.string().min(16).max(64).describe('Drawn at random each time that the agent starts.'),
        count: z.int().min(1).describe('How often it has checked in since, this time included.'),
      })
      .optional()
      .describe('Tells one agent from another: two that use one token are found by it (`Cloned`).'),
  }),
);

/** What a device should be, in an example. */
export const exampleWanted: z.output<typeof wantedView> = {
  id: 'T2v9KqLm4RcXw8Zd1NfYb7',
  name: 'Gateway 7',
  mode: 'autonomous',
  settings: 'Zq3vX8sT1mLk9RcWd2HyBf',
  targetSnapshot: '3pTq8WcV1nXe6KbZy0LrGd',
  autoSnapshot: false,
  snapshotRequest: null,
};

function settingsMark(device: Resource<'Device'>): string {
  return markOf(shownSettings(device));
}

function markOf(shown: object): string {
  return hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 22);
}
