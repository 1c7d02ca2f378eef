// Suspends the reconciler, and resumes it.
import { z } from 'zod';
import { printable } from '../../core/model/printable.ts';
import type { Proposal } from '../../core/model/proposal.ts';
import { resumeReconciler, suspendReconciler } from '../../core/proposals/suspend-reconciler.ts';
import { dryRunQuery } from '../dry-run.ts';
import { component } from '../json-schema.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { configStatusView, planView } from '../views/config.ts';
import { exampleConfigStatus } from '../views/example-plan.ts';
import { write } from '../write.ts';

const shared = {
  method: 'POST',
  action: 'suspend-config',
  tag: 'configuration',
  query: z.strictObject(dryRunQuery),
  bodyOptional: true,
  answers: {
    200: {
      description: 'How the declared platform stands then, or what a dry run would change.',
      schema: z.union([configStatusView, planView]),
      example: () => exampleConfigStatus,
    },
  },
  verbatim: true,
} as const;

const suspend = defineRoute({
  ...shared,
  url: '/api/v1/admin/config/suspend',
  operationId: 'suspendReconciler',
  summary: 'Suspend the reconciler',
  description:
    'Until it is resumed, the server neither reads nor applies its tree, also after a restart, and refuses to do so on request (409). Plans can be made.',
  body: component(
    'Suspend',
    z.strictObject({
      reason: z
        .string()
        .min(1)
        .max(500)
        .refine((text) => printable(text) === text, { error: 'it must be one line, without control characters' })
        .optional()
        .describe('Why, for whoever looks at the status.'),
    }),
  ).prefault({}),
  bodyExample: () => ({ reason: 'database upgrade' }),
  handle: (call) => answer(call, suspendReconciler(call.body)),
});

const resume = defineRoute({
  ...shared,
  url: '/api/v1/admin/config/resume',
  operationId: 'resumeReconciler',
  summary: 'Resume the reconciler',
  description: 'The server reads its tree at once, and follows it again.',
  body: component('Resume', z.strictObject({})).prefault({}),
  bodyExample: () => ({}),
  handle: (call) => answer(call, resumeReconciler),
});

async function answer(call: Call<unknown, { readonly dryRun: boolean }>, proposal: Proposal): Promise<Reply> {
  const outcome = await write(call, proposal);
  return { body: 'plan' in outcome ? outcome.plan : await call.services.reconciler.status() };
}

export const configSuspensionRoutes: readonly Route[] = [suspend, resume];
