// The noun DeviceGroup: devices of a team that are looked after together.
import { z } from 'zod';
import { defineKind, refId } from './kind.ts';
import { prose } from './scalars.ts';

/** A group of devices (specification 2.3). Its name is for people. */
export const deviceGroup = defineKind({
  kind: 'DeviceGroup',
  plural: 'deviceGroups',
  path: 'device-groups',
  declared: false,
  summary: 'Devices of a team that are looked after together.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose group it is.'),
    description: prose('What it is for.'),
    targetSnapshot: refId('Snapshot')
      .optional()
      .describe('What its devices should run that have no target of their own.'),
  }),
});
