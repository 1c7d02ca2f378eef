// The noun HttpToken: what lets a machine call the HTTP endpoints of one instance. Its name is a label.
import { z } from 'zod';
import { defineKind, refId, sha256 } from './kind.ts';
import { instant } from './scalars.ts';

/** A token for the endpoints of one instance, where those are for its team; good for nothing else. */
export const httpToken = defineKind({
  kind: 'HttpToken',
  plural: 'httpTokens',
  path: 'http-tokens',
  declared: false,
  summary: 'What lets a machine call the HTTP endpoints of one instance.',
  spec: z.strictObject({
    team: refId('Team').describe('The team of the instance.'),
    instance: refId('Instance').describe('The instance whose endpoints it opens.'),
    hash: sha256().describe('The SHA-256 of the token, in hexadecimal.'),
    expiresAt: instant().describe('When it ends.'),
  }),
  keys: ({ hash }) => [`hash=${hash}`],
});
