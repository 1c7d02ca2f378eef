// How a snapshot looks in answers: never what it holds.
import { z } from 'zod';
import { snapshotKinds } from '../../core/kinds/snapshot.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import { actorView } from './audit.ts';
import { idView, instantView } from './values.ts';

const owner = z.strictObject({ id: idView(), name: z.string().describe('Its name.') });

/** A snapshot. */
export const snapshotView = component(
  'Snapshot',
  z.strictObject({
    id: idView(),
    name: z.string().describe('The name that people read; not unique.'),
    kind: z.enum(snapshotKinds).describe('Whether somebody asked for it, or Weir took it at a deploy.'),
    instance: owner.optional().describe('The instance that it was taken of.'),
    device: owner.optional().describe('The device that it was taken of.'),
    createdAt: instantView('When it was taken.'),
    createdBy: actorView.describe('Who took it; Weir by itself is a job.'),
    modules: z
      .record(z.string(), z.string())
      .describe('The node packages that were added to the runtime, by name, with their versions.'),
    includesContext: z
      .boolean()
      .describe('Whether it holds the persistent context of its flows, which a restore then puts back.'),
  }),
);

/** A snapshot as answered. */
export function shownSnapshot(snapshot: Resource<'Snapshot'>, view: View): z.output<typeof snapshotView> {
  const { id, name, spec, createdAt } = snapshot;
  const { kind, createdBy, modules } = spec;
  const of = (kind: 'Instance' | 'Device', owner: string) => ({ id: owner, name: view.get(kind, owner)?.name ?? '' });
  return {
    id,
    name,
    kind,
    ...(spec.instance === undefined ? {} : { instance: of('Instance', spec.instance) }),
    ...(spec.device === undefined ? {} : { device: of('Device', spec.device) }),
    createdAt,
    createdBy,
    modules,
    includesContext: spec.includesContext ?? false,
  };
}

/** A snapshot in an example. */
export const exampleSnapshot: z.output<typeof snapshotView> = {
  id: '3pTq8WcV1nXe6KbZy0LrGd',
  name: 'Before the new press',
  kind: 'manual',
  instance: { id: '7KcR2vXq9LmT4bWz1NfY8d', name: 'Packing line 1' },
  createdAt: '2026-11-21T10:00:00.000Z',
  createdBy: { kind: 'user', id: '8sKd03mVq1ZtLx7BnYc5Re', name: 'ann' },
  modules: { 'node-red-node-random': '~0.4.1' },
  includesContext: false,
};
