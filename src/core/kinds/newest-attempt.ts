// The noun NewestAttempt: the reconcile that was the newest of a sort. History forgets; what is served and what was tried last must not be forgotten with it.
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** One a sort, named by it: `attempted`, `applied` or `served`. */
export const newestAttempt = defineKind({
  kind: 'NewestAttempt',
  plural: 'newestAttempts',
  path: 'newest-attempts',
  declared: false,
  summary: 'The newest reconcile of a sort, as history has it.',
  spec: z.strictObject({
    entry: z.string().describe('Its entry of the history, as JSON.'),
  }),
});
