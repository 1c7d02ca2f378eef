// The noun Team: users who work together. Its name is the slug.
import { z } from 'zod';
import { defineKind, refId } from './kind.ts';
import { displayName } from './scalars.ts';

/** A team (specification 2.2). */
export const team = defineKind({
  kind: 'Team',
  plural: 'teams',
  path: 'teams',
  declared: false,
  summary: 'Users who work together on instances.',
  spec: z.strictObject({
    displayName: displayName().describe('The name that people read.'),
    type: refId('TeamType').describe('The type that decides features, instance types and limits.'),
  }),
});
