// The noun Stack: the runtime that instances run, and what it may use.
import { z } from 'zod';
import { defineKind, ref } from './kind.ts';
import { active, optionalName, text } from './scalars.ts';

/** A stack (specification 2.5). Memory and disk in MiB, processor in percent of one core. */
export const stack = defineKind({
  kind: 'Stack',
  plural: 'stacks',
  path: 'stacks',
  declared: true,
  summary: 'A version of the runtime and the resources that an instance of it may use.',
  spec: z.strictObject({
    label: optionalName(1000).default('').describe('What people read instead of the name.'),
    active: active(),
    runtime: text(512).describe(
      'What runs: the exact directory name in the stacks directory (local driver), the image (container driver), or the value that the cluster knows (orchestrator driver). Cannot change while instances use the stack: declare a new stack that replaces it. Quote numbers: "1.10".',
    ),
    resources: z
      .strictObject({
        memoryMb: z
          .int()
          .min(32)
          .max(1_048_576)
          .optional()
          .describe('The memory that an instance may use, in MiB (32 to 1048576). Absent: no limit.'),
        cpuPercent: z
          .int()
          .min(1)
          .max(12_800)
          .optional()
          .describe(
            'The processor time that an instance may use, in percent of one core (1 to 12800). Absent: no limit.',
          ),
        diskMb: z
          .int()
          .min(1)
          .max(1_073_741_824)
          .optional()
          .describe(
            'The disk that the folder of an instance may take up, in MiB (1 to 1073741824). Over it its owners are told; one that goes on is stopped. Absent: no limit.',
          ),
      })
      .prefault({})
      .describe('What an instance may use. Cannot change while instances use the stack.'),
    replaces: ref('Stack')
      .optional()
      .describe('The stack of which this is a new version: its instances are offered a one-click upgrade to this one.'),
  }),
  example: `apiVersion: weir/v1
kind: Stack
metadata:
  name: nr-5-0
spec:
  label: Node-RED 5.0
  runtime: "5.0.7"
  resources:
    memoryMb: 512
    cpuPercent: 50
  replaces: nr-4-1
`,
});
