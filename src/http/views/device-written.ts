// What is sent to make and change devices, their groups, and what registers them.
import { z } from 'zod';
import { deviceModes } from '../../core/kinds/device.ts';
import { displayName, variableName } from '../../core/kinds/scalars.ts';
import { component } from '../json-schema.ts';

const name = () => displayName().describe('The name, for people; several may have the same.');
const mode = () =>
  z.enum(deviceModes).optional().describe('Who decides what it runs; `autonomous` where nothing is said.');
const id = () => z.string().min(1).max(64);
const group = () => id().optional().describe('The id of the group that it is in.');

/** A new device. */
export const newDeviceBody = component('NewDevice', z.strictObject({ name: name(), mode: mode(), group: group() }));

/** What changes of a device: what is left out stays. */
export const deviceUpdate = component(
  'DeviceUpdate',
  z.strictObject({
    name: name().optional(),
    mode: mode().describe('Who decides what it runs from now on.'),
    group: id()
      .nullable()
      .optional()
      .describe('The id of another group; `null` takes it out of the one that it is in.'),
    targetSnapshot: id()
      .nullable()
      .optional()
      .describe('The id of the snapshot to run: any of its team. `null`: what its group should, or what it has.'),
    environment: z
      .array(
        z.strictObject({
          name: variableName().describe('The name of the variable.'),
          value: z.string().max(32_768).nullable().describe('The value; `null` takes it away.'),
        }),
      )
      .max(500)
      .nullable()
      .optional()
      .describe('Variables to set, each by its name. Others stay; `null` takes all away. Its runtime starts anew.'),
  }),
);

/** A new group. */
export const newDeviceGroupBody = component(
  'NewDeviceGroup',
  z.strictObject({ name: name(), description: z.string().max(1000).optional().describe('What it is for.') }),
);

/** What changes of a group. */
export const deviceGroupUpdate = component(
  'DeviceGroupUpdate',
  z.strictObject({
    name: name().optional(),
    description: z.string().max(1000).optional().describe('What it is for.'),
    targetSnapshot: id()
      .nullable()
      .optional()
      .describe('The id of the snapshot that its devices run which have no target of their own; `null`: none.'),
  }),
);

/** A new provisioning token. */
export const newProvisioningTokenBody = component(
  'NewProvisioningToken',
  z.strictObject({
    name: displayName(100).describe('A label, for people.'),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When it ends (RFC 3339), in a year at the latest; in a day where nothing is said.'),
    group: id().optional().describe('The id of the group that the device will be in.'),
  }),
);

/** What a machine says of itself when it registers. */
export const registrationBody = component('DeviceRegistration', z.strictObject({ name: name() }));
