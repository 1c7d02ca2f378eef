// What is sent to make and change an instance.
import { z } from 'zod';
import { endpointAccesses } from '../../core/kinds/instance.ts';
import { keysOf, name, recordOf } from '../../core/kinds/kind.ts';
import { displayName, variableName } from '../../core/kinds/scalars.ts';
import { optionOverrides, optionValues } from '../../core/kinds/template-options.ts';
import { component, describedAs } from '../json-schema.ts';

const chosen = {
  name: displayName().describe('The name, for people; several may have the same.'),
  instanceType: name().describe('The name of the instance type: one that the type of the team lists.'),
  template: name().describe('The name of the template.'),
  stack: name().optional().describe('The name of the stack: one of the type’s. Absent: the default of the type.'),
};

const variable = { name: variableName().describe('The name of the variable.') };
const value = z.string().max(32_768);

/** What an option is given is checked when it is proposed, because a secret may be kept. */
const anyOptions = () => z.record(z.string(), z.unknown());

/** A new instance. */
export const newInstance = component(
  'NewInstance',
  z.strictObject({
    ...chosen,
    options: describedAs(anyOptions(), component('InstanceOptions', optionOverrides))
      .optional()
      .describe('The options that differ from the template; a locked one may not.'),
    environment: z
      .array(z.strictObject({ ...variable, value: value.describe('The value.') }))
      .max(500)
      .optional()
      .describe('The variables that differ from the template or are added to it.'),
  }),
);

const optionChanges = component(
  'InstanceOptionChanges',
  z.strictObject(
    recordOf(keysOf(optionValues), (option): z.ZodType => {
      const one: z.ZodType = optionValues[option];
      return one.nullable().optional();
    }),
  ),
);

/** What changes of an instance: what is left out stays. */
export const instanceUpdate = component(
  'InstanceUpdate',
  z.strictObject({
    name: chosen.name.optional(),
    instanceType: name()
      .optional()
      .describe('The name of another type. Its default stack comes with it, unless it has the stack of now.'),
    template: name().optional().describe('The name of another template.'),
    stack: chosen.stack.describe('The name of another stack: one of the type’s. It acts at the next start.'),
    options: describedAs(anyOptions(), optionChanges)
      .nullable()
      .optional()
      .describe(
        'Options to override, each by its name; `null` goes back to what the template says, for one or for all. Others stay.',
      ),
    environment: z
      .array(z.strictObject({ ...variable, value: value.nullable().describe('The value; `null` takes it away.') }))
      .max(500)
      .nullable()
      .optional()
      .describe('Variables to set, each by its name. Others stay; `null` takes all away.'),
    protected: z
      .boolean()
      .optional()
      .describe(
        'Whether its editor is closed to everybody, at once, and nothing is restored into it; it is not deleted then. For owners. Needs the feature protectedInstances, lifting it does not.',
      ),
    endpointAccess: z
      .enum(endpointAccesses)
      .nullable()
      .optional()
      .describe(
        'Who may use its endpoints and dashboards, at once; for owners. `null`: the team alone. Needs the feature teamEndpointSecurity.',
      ),
  }),
);
