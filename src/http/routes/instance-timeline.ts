// The timeline of an instance: its snapshots, and whatever else happened to it, as one list.
import { z } from 'zod';
import { auditEntryOf, auditFilter } from '../../control/audit.ts';
import type { AuditEntry } from '../../core/audit/entry.ts';
import type { View } from '../../core/model/view.ts';
import { targeted } from '../../core/proposals/update-instance.ts';
import { component } from '../json-schema.ts';
import { listBody, listView, pageQuery } from '../paging.ts';
import { recordPage } from '../record-page.ts';
import { defineRoute } from '../route.ts';
import { requireFeature } from '../subjects.ts';
import { auditEntryView } from '../views/audit.ts';
import { exampleSnapshot, shownSnapshot, snapshotView } from '../views/snapshot.ts';
import { ofInstance } from './instances.ts';

const { id, at, event, actor, target } = auditEntryView.shape;

const entryView = component(
  'TimelineEntry',
  z.strictObject({
    id,
    at,
    event,
    actor,
    target,
    reason: z.string().optional().describe('Why, where nobody who asked for it chose it.'),
    snapshot: snapshotView.optional().describe('The snapshot that was taken, while it is there.'),
  }),
);

const exampleEntry = () => ({
  id: '4hVtY0aWq7LmZx2Nc8Re5S',
  at: exampleSnapshot.createdAt,
  event: 'snapshot.created',
  actor: exampleSnapshot.createdBy,
  target: { kind: 'Snapshot', id: exampleSnapshot.id, name: exampleSnapshot.name },
  snapshot: exampleSnapshot,
});

export const instanceTimeline = defineRoute({
  ...ofInstance,
  method: 'GET',
  url: '/api/v1/instances/:id/timeline',
  action: 'read-snapshots',
  operationId: 'listInstanceTimeline',
  tag: 'snapshots',
  summary: 'Read the timeline of an instance',
  description:
    'What happened to it and its snapshots, newest first, as far back as the audit log goes. Needs the feature `versionHistoryTimeline`.',
  query: z.strictObject(pageQuery),
  answers: {
    200: {
      description: 'A page of the timeline.',
      schema: listView('timeline', entryView),
      example: () => ({ meta: {}, count: 1, timeline: [exampleEntry()] }),
    },
  },
  handle: async ({ params, query, services }) => {
    const view = services.door.store.read();
    const instance = targeted(view, params);
    const what = 'its timeline cannot be read';
    const { team } = instance.spec;
    requireFeature(services, { team, feature: 'versionHistoryTimeline', resource: instance, what });
    const filter = auditFilter({ team, instance: instance.id });
    const asked = { ...query, timeline: instance.id };
    const page = await recordPage(services, filter, asked);
    return { body: listBody('timeline', page, (record) => shown(auditEntryOf(record), view)) };
  },
});

function shown({ id, at, event, actor, target, reason }: AuditEntry, view: View): z.output<typeof entryView> {
  const taken = event === 'snapshot.created' ? view.get('Snapshot', target.id ?? '') : undefined;
  return {
    ...{ id, at, event, actor, target },
    ...(reason === undefined ? {} : { reason }),
    ...(taken ? { snapshot: shownSnapshot(taken, view) } : {}),
  };
}
