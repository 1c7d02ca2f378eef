// The noun InstanceType: a size of instance, and the stacks it may run.
import { z } from 'zod';
import { defineKind, ref, setOf } from './kind.ts';
import { active, order, prose, text } from './scalars.ts';

/** An instance type (specification 2.4). */
export const instanceType = defineKind({
  kind: 'InstanceType',
  plural: 'instanceTypes',
  path: 'instance-types',
  declared: true,
  summary: 'A size of instance: the stacks it may run, the one it starts with, and its price.',
  spec: z.strictObject({
    description: prose('What people read when they choose this type.'),
    active: active(),
    order: order(),
    stacks: setOf(ref('Stack')).default([]).describe('The stacks that instances of this type may run.'),
    defaultStack: ref('Stack')
      .optional()
      .describe('The stack of a new instance; one of `stacks`. May be left out where there is one stack.'),
    price: z
      .strictObject({
        id: text(255).optional().describe('The id of the price at the payment provider.'),
      })
      .optional()
      .describe('The monthly price of an instance of this type. Needs `Platform.spec.billing.enabled`.'),
  }),
  example: `apiVersion: weir/v1
kind: InstanceType
metadata:
  name: small
spec:
  description: One flow, little traffic.
  order: 10
  stacks:
    - nr-4-1
    - nr-5-0
  defaultStack: nr-5-0
`,
});
