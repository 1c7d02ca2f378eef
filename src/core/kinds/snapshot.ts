// The noun Snapshot: what an instance or a device held at one time. Its name is for people.
import { z } from 'zod';
import { bookkeeping, defineKind, refId } from './kind.ts';

/** Who took a snapshot: somebody who asked for it, or Weir by itself. */
export const snapshotKinds = ['manual', 'auto'] as const;

const actorKinds = ['user', 'token', 'config', 'job', 'sso'] as const;

/** How many snapshots that Weir took by itself an instance or device has: those of the last ten deploys (specification 8). */
export const mostAutoSnapshots = 10;

/** How many snapshots of people it has at most. */
export const mostManualSnapshots = 100;

/** A snapshot (specification 2.3, 8) of one instance or one device of a team. What it holds is a blob of the store, and is never changed. */
export const snapshot = defineKind({
  kind: 'Snapshot',
  plural: 'snapshots',
  path: 'snapshots',
  declared: false,
  summary: 'What an instance or a device held at one time.',
  spec: z.strictObject({
    team: refId('Team').describe('The team whose snapshot it is.'),
    instance: refId('Instance').optional().describe('The instance that it was taken of.'),
    device: refId('Device').optional().describe('The device that it was taken of.'),
    kind: z.enum(snapshotKinds).describe('Whether somebody asked for it, or Weir took it at a deploy.'),
    createdBy: bookkeeping(
      z.strictObject({ kind: z.enum(actorKinds), id: z.string().optional(), name: z.string().optional() }),
    ).describe('Who took it, as they were called then.'),
    modules: bookkeeping(z.record(z.string(), z.string())).describe(
      'The node packages that it has, with their versions.',
    ),
    includesContext: z.literal(true).optional().describe('It holds persistent context, too.'),
    content: bookkeeping(z.string().regex(/^[0-9a-f]{64}$/)).describe(
      'The SHA-256 of what it holds, in hexadecimal: the name of the blob.',
    ),
  }),
  keys: ({ content }) => [contentKey(content)],
});

/** The index key of what names a blob. */
export function contentKey(content: string): string {
  return `content=${content}`;
}
