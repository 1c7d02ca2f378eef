// The noun ProvisioningToken: what lets one machine become a device of a team, once. Its name is a label.
import { z } from 'zod';
import { defineKind, refId, sha256 } from './kind.ts';
import { instant } from './scalars.ts';

/** A provisioning token. It is gone once a device was registered with it. */
export const provisioningToken = defineKind({
  kind: 'ProvisioningToken',
  plural: 'provisioningTokens',
  path: 'provisioning-tokens',
  declared: false,
  summary: 'What lets one machine become a device of a team.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose device it makes.'),
    group: refId('DeviceGroup').optional().describe('The group that the device will be in.'),
    hash: sha256().describe('The SHA-256 of the token, in hexadecimal.'),
    expiresAt: instant().describe('When it ends.'),
  }),
  keys: ({ hash }) => [`hash=${hash}`],
});
