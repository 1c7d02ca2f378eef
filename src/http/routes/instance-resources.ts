// What an instance used in the past: memory and processor, beside what its stack allows.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { targeted } from '../../core/proposals/update-instance.ts';
import { invalidRequest } from '../errors.ts';
import { component } from '../json-schema.ts';
import { defineRoute } from '../route.ts';
import type { UsageStretch } from '../services.ts';
import { requireFeature } from '../subjects.ts';
import { instantView, timeQuery } from '../views/values.ts';
import { ofInstance } from './instances.ts';

const sampleView = z.strictObject({
  at: instantView('When the stretch of time begins that it stands for, which is `interval_seconds` long.'),
  memoryBytes: z.int().describe('The resident memory of its runtime, on average.'),
  memoryPeakBytes: z.int().describe('The most that was measured.'),
  cpuPercent: z
    .number()
    .optional()
    .describe(
      'The processor time of its runtime in percent of one core, on average; absent where it had just been started.',
    ),
  cpuPeakPercent: z.number().optional().describe('The most that was measured.'),
  diskBytes: z.int().optional().describe('What its folder took up of the disk; absent where that is not known.'),
});

const resourcesView = component(
  'InstanceResources',
  z.strictObject({
    meta: z.strictObject({
      interval_seconds: z
        .int()
        .describe('How long a stretch of time one sample stands for, in seconds: 15, 60, 300, 900 or 3600.'),
      from: instantView('Where the samples begin.'),
      to: instantView('Where they end.'),
    }),
    limits: z
      .strictObject({
        memoryMb: z.int().optional().describe('The memory that its stack allows, in MiB; absent: no limit.'),
        cpuPercent: z
          .int()
          .optional()
          .describe('The processor time that its stack allows, in percent of one core; absent: no limit.'),
        diskMb: z.int().optional().describe('The disk that its stack allows, in MiB; absent: no limit.'),
      })
      .describe('What its stack allows it: as it was started, or would be.'),
    samples: z.array(sampleView).describe('Oldest first, at most 1000. Where it did not run there are none.'),
  }),
);

export const instanceResources = defineRoute({
  ...ofInstance,
  method: 'GET',
  url: '/api/v1/instances/:id/resources',
  action: 'read-instance-resources',
  operationId: 'getInstanceResources',
  tag: 'instances',
  summary: 'Read what an instance used',
  description:
    'The past of its memory, processor time and disk, measured every 15 seconds. A day of that is kept, and a month of averages over 5 minutes; a longer span is answered in longer stretches. Needs the feature `instanceResources`.',
  query: z.strictObject({
    from: timeQuery().describe('Where to begin; an hour before the end where it is absent.'),
    to: timeQuery().describe('Where to end; now where it is absent.'),
  }),
  answers: {
    200: {
      description: 'What it used.',
      schema: resourcesView,
      example: () => ({
        meta: { interval_seconds: 15, from: '2026-11-21T09:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
        limits: { memoryMb: 512, cpuPercent: 50, diskMb: 1024 },
        samples: [
          shownStretch({
            at: 1_795_251_600,
            memoryBytes: 123_456_789,
            memoryPeakBytes: 123_456_789,
            cpuPercent: 2.5,
            cpuPeakPercent: 2.5,
            diskBytes: 41_943_040,
          }),
        ],
      }),
    },
  },
  handle: async ({ params: { id }, query, services }) => {
    const span = spanOf(query, services.clock());
    const view = services.door.store.read();
    const instance = targeted(view, { id });
    requireFeature(services, {
      team: instance.spec.team,
      feature: 'instanceResources',
      resource: instance,
      what: 'what it used cannot be read',
    });
    const nothing = { seconds: 15, stretches: [] };
    const { seconds, stretches } = (await services.instancePast?.(id, span)) ?? nothing;
    const meta = { interval_seconds: seconds, from: instantOf(span.from), to: instantOf(span.to) };
    return { body: { meta, limits: limitsOf(view, instance), samples: stretches.map(shownStretch) } };
  },
});

/** In whole seconds. Throws where it ends before it begins. */
function spanOf({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }, now: string) {
  const end = secondsOf(to ?? now);
  const begin = from === undefined ? end - 3600 : secondsOf(from);
  if (begin < end) return { from: begin, to: end };
  const message = `from must be before to, and ${instantOf(begin)} is not before ${instantOf(end)}`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path: '/from' }]);
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function limitsOf(view: View, { spec }: Resource<'Instance'>) {
  return spec.started?.resources ?? view.get('Stack', spec.stack)?.spec.resources ?? {};
}

function shownStretch({ at, memoryBytes, memoryPeakBytes, cpuPercent, cpuPeakPercent, diskBytes }: UsageStretch) {
  return {
    at: instantOf(at),
    memoryBytes: Math.round(memoryBytes),
    memoryPeakBytes: Math.round(memoryPeakBytes),
    ...(cpuPercent === undefined ? {} : { cpuPercent: hundredths(cpuPercent) }),
    ...(cpuPeakPercent === undefined ? {} : { cpuPeakPercent: hundredths(cpuPeakPercent) }),
    ...(diskBytes === undefined ? {} : { diskBytes: Math.round(diskBytes) }),
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
