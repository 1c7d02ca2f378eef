// The noun Device: a flow runtime that lives elsewhere.
import { z } from 'zod';
import { defineKind, refId } from './kind.ts';

/** A device (specification 1). */
export const device = defineKind({
  kind: 'Device',
  plural: 'devices',
  path: 'devices',
  declared: false,
  summary: 'A flow runtime that lives elsewhere.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose device it is.'),
    mode: z.enum(['autonomous', 'developer']).default('autonomous').describe('Who decides what it runs.'),
  }),
});
