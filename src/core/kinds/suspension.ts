// The noun Suspension: while there is one, the server neither reads nor applies its tree. Its name is `reconciler`.
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** A suspended reconciler. When that began is when it was made. */
export const suspension = defineKind({
  kind: 'Suspension',
  plural: 'suspensions',
  path: 'suspensions',
  declared: false,
  singleton: 'reconciler',
  summary: 'What keeps the server from reading and applying its tree.',
  spec: z.strictObject({
    by: z.string().max(320).describe('Who suspended the reconciler.'),
    reason: z.string().max(500).default('').describe('Why, in the words of whoever did; empty where nothing was said.'),
  }),
});
