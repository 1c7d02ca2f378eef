// The noun Reconciled: the newest attempts that were not refused. Its name is `reconciler`. History forgets what is old; this is state, and stays.
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** What was reconciled last, as history tells it. */
export const reconciled = defineKind({
  kind: 'Reconciled',
  plural: 'reconciled',
  path: 'reconciled',
  declared: false,
  singleton: 'reconciler',
  internal: true,
  summary: 'The newest attempts to reconcile that were not refused.',
  spec: z.strictObject({
    applied: z.string().describe('The newest attempt that was not refused, as the JSON that history has of it.'),
    served: z
      .string()
      .nullable()
      .describe('The newest of a server, where a command made the newest of all; null where there is none other.'),
  }),
});
