// A plan in an example: what a dry run of a first stack answers.
import type { z } from 'zod';
import type { configStatusView, historyDetailView, planView } from './config.ts';

const digest = 'sha256:0f343b0931126a20f133d67c2b018a3b5f0b4f4c8ad5f2f1b0a3c2d1e0f9a8b7';
const summary = { create: 1, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 0, blocked: 0 };

/** A plan. */
export const examplePlan: z.output<typeof planView> = {
  formatVersion: 1,
  base: { revision: digest, digest },
  source: { digest, files: 0 },
  summary,
  changes: [
    {
      address: 'Stack/nr-4',
      kind: 'Stack',
      name: 'nr-4',
      action: 'create',
      precondition: { absent: true },
      fields: [{ path: '/spec/runtime', before: null, after: '4.1' }],
      affects: {},
    },
  ],
  consequences: [],
  findings: [],
};

/** How the configuration stands. */
export const exampleConfigStatus: z.output<typeof configStatusView> = {
  revision: { applied: digest, attempted: digest },
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Applied',
      message: 'The tree is applied.',
      lastTransitionTime: '2026-11-21T10:00:00.000Z',
    },
  ],
  findings: [],
  inventory: { count: 12, digest },
  lastAppliedAt: '2026-11-21T10:00:00.000Z',
  lastAttemptedAt: '2026-11-21T10:00:00.000Z',
  mode: 'auto',
};

/** An attempt to apply a tree. */
export const exampleHistory = {
  revision: digest,
  trigger: 'watch',
  result: 'applied',
  at: '2026-11-21T10:00:00.000Z',
  durationMs: 12.5,
  summary,
  errors: 0,
  warnings: 0,
} as const satisfies Omit<z.output<typeof historyDetailView>, 'findings'>;
