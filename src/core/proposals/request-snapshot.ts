// Asks a device for a snapshot, and takes what it sends.
import { type Change, updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { createSnapshot, type NewSnapshot, snapshotsOf } from './create-snapshot.ts';
import { Declined } from './declined.ts';
import { targetIn } from './target.ts';

/** It has one request at a time: a later one takes the place of an earlier. Declines (`not_found`, `conflict` for one in autonomous mode). */
export function requestSnapshot(id: string, name: string): Proposal {
  return (view, { now, newId }) => {
    const current = inDeveloperMode(view, id);
    const spec = { ...current.spec, snapshotRequest: { id: newId(), name } };
    return [updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now })];
  };
}

/** What a device sends: by itself at a deploy, or because it was asked (`request` is the id of that). */
export interface SentSnapshot extends Pick<NewSnapshot, 'modules' | 'content'> {
  readonly id: string;
  readonly request?: string | undefined;
}

/**
 * Nothing where it sends by itself what it sent last. Declines (`not_found`; `conflict` for a device in autonomous mode, and for a request that
 * there is not, or not any more).
 */
export function takeSnapshot({ id, request, ...sent }: SentSnapshot): Proposal {
  return (view, context) => {
    const current = inDeveloperMode(view, id);
    const of = { kind: 'Device', id } as const;
    if (request === undefined) {
      if (snapshotsOf(view, current).at(-1)?.spec.content === sent.content) return [];
      return createSnapshot({ ...sent, of, kind: 'auto', name: `Deploy at ${context.now}` })(view, context);
    }
    const { snapshotRequest: asked, ...spec } = current.spec;
    if (asked?.id !== request)
      throw new Declined('conflict', `the device ${current.name} was not asked for this snapshot, or is not any more`);
    const made = createSnapshot({ ...sent, of, kind: 'manual', name: asked.name })(view, context);
    return [...made, answered(current, spec, context.now)];
  };
}

function answered(current: Resource<'Device'>, spec: Resource<'Device'>['spec'], now: string): Change {
  return updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now });
}

function inDeveloperMode(view: View, id: string): Resource<'Device'> {
  const current = targetIn(view, 'Device', { id });
  if (current.spec.mode === 'developer') return current;
  throw new Declined(
    'conflict',
    `no snapshot can be taken of the device ${current.name}, because it is autonomous, and runs what it is given: take the one that it runs, or make it a developer’s first`,
  );
}
