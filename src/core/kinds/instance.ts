// The noun Instance: a flow runtime of a team.
import { z } from 'zod';
import { defineKind, listBy, refId } from './kind.ts';
import { variableName } from './scalars.ts';
import { optionOverrides } from './template-options.ts';

/** The states of an instance. */
export const instanceStates = [
  'creating',
  'starting',
  'running',
  'stopping',
  'stopped',
  'suspended',
  'restarting',
  'upgrading',
  'crashed',
  'deleting',
] as const;

/** An instance (specification 1, 2.4 to 2.6). */
export const instance = defineKind({
  kind: 'Instance',
  plural: 'instances',
  path: 'instances',
  declared: false,
  summary: 'A flow runtime of a team.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose instance it is.'),
    instanceType: refId('InstanceType').describe('Its type.'),
    template: refId('Template').describe('The template with its default options.'),
    stack: refId('Stack').describe('The stack that it runs.'),
    state: z.enum(instanceStates).default('creating').describe('What it is doing.'),
    options: optionOverrides.optional().describe('The options that differ from the template.'),
    environment: listBy(
      'name',
      z.strictObject({
        name: variableName().describe('The name of the variable.'),
        value: z.string().max(32_768).describe('The value.'),
      }),
    )
      .optional()
      .describe('The variables that differ from the template or are added to it.'),
  }),
});
