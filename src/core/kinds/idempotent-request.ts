// The noun IdempotentRequest: a request that made something, and that may be repeated without making it twice.
import { z } from 'zod';
import { defineKind } from './kind.ts';
import { instant } from './scalars.ts';

/** A request with an Idempotency-Key. Its name is a digest of who asked and of the key; it is remembered until `expiresAt`. */
export const idempotentRequest = defineKind({
  kind: 'IdempotentRequest',
  plural: 'idempotentRequests',
  path: 'idempotent-requests',
  declared: false,
  internal: true,
  summary: 'A request that may be repeated without making something twice.',
  spec: z.strictObject({
    caller: z
      .string()
      .optional()
      .describe('The id of who asked; absent in what earlier versions kept, which counts for nobody.'),
    request: z.string().describe('A digest of the method, the address and the body.'),
    made: z.string().describe('The id of what it made.'),
    expiresAt: instant().describe('Until when it is remembered.'),
  }),
  keys: ({ caller }) => (caller === undefined ? [] : [rememberedOf(caller)]),
});

/** The index key of what is remembered of somebody. */
export function rememberedOf(caller: string): string {
  return `caller=${caller}`;
}
