// Makes a snapshot of an instance or a device; what it holds was kept before as a blob.

import { hasPersistentContext } from '../instances/around.ts';
import type { SpecOf } from '../kinds/index.ts';
import { mostAutoSnapshots, mostManualSnapshots } from '../kinds/snapshot.ts';
import { wordsOf } from '../kinds/words.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import { targetedBy } from '../model/device-standing.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import { Declined } from './declined.ts';

/** What a snapshot is taken of. */
export type SnapshotOwner = Resource<'Instance'> | Resource<'Device'>;

/** A new snapshot. `content` is the SHA-256 of its blob; `flowsDigest` is that of the flows in it, which are no deploy any more. */
export interface NewSnapshot extends Pick<SpecOf<'Snapshot'>, 'kind' | 'modules' | 'content' | 'includesContext'> {
  readonly of: { readonly kind: 'Instance' | 'Device'; readonly id: string };
  readonly name: string;
  readonly flowsDigest?: string;
}

/**
 * Of those that Weir takes by itself the oldest go, so that ten stay; those of people are never touched. Declines (`not_found`, `conflict` while
 * it is being deleted, or has as many of people as it may have).
 */
export function createSnapshot(wanted: NewSnapshot): Proposal {
  return (view, { now, newId, actor }) => {
    const owner = ownerIn(view, wanted.of);
    // Somebody else was first with the same deploy.
    if (wanted.flowsDigest !== undefined && isSeen(owner, wanted.flowsDigest)) return [];
    const known = snapshotsOf(view, owner).filter(({ spec }) => spec.kind === wanted.kind);
    if (wanted.kind === 'manual') refuseTooMany(owner, known.length);
    const { kind, name } = wanted;
    const held = heldIn(view, owner, wanted);
    const { id: who, name: called } = actor;
    const createdBy = {
      kind: actor.kind,
      ...(who === undefined ? {} : { id: who }),
      ...(called === undefined ? {} : { name: called }),
    };
    const link = owner.kind === 'Instance' ? { instance: owner.id } : { device: owner.id };
    const fresh: Resource<'Snapshot'> = {
      kind: 'Snapshot',
      id: newId(),
      name,
      spec: { team: owner.spec.team, ...link, kind, createdBy, ...held },
      generation: 1,
      createdAt: now,
      updatedAt: now,
    };
    return [created(fresh), ...(kind === 'auto' ? surplusOf(view, known) : []), ...seen(owner, wanted.flowsDigest)];
  };
}

function heldIn(view: View, owner: SnapshotOwner, { modules, content, includesContext }: NewSnapshot) {
  if (!includesContext) return { modules, content };
  refuseWithoutContext(view, owner);
  return { modules, includesContext, content };
}

/** Declines (`conflict`) where there is no persistent context that a snapshot could hold. */
export function refuseWithoutContext(view: View, owner: SnapshotOwner): void {
  if (owner.kind === 'Instance' && hasPersistentContext(view, owner as Resource<'Instance'>)) return;
  throw new Declined(
    'conflict',
    `the snapshot of the ${wordsOf(owner.kind)} ${owner.name} cannot hold its context, because that is in memory: set its option contextStorage to file and restart it, or leave includeContext out`,
  );
}

/** Every snapshot of an instance or device, oldest first. */
export function snapshotsOf(view: View, owner: SnapshotOwner): Resource<'Snapshot'>[] {
  return [...referrers(view, 'Snapshot', owner)].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** One that a device or a group should run stays, and is one more. */
function surplusOf(view: View, known: readonly Resource<'Snapshot'>[]): Change[] {
  const old = known.slice(0, Math.max(0, known.length + 1 - mostAutoSnapshots));
  return old.filter((one) => targetedBy(view, [one]).length === 0).map(deleted);
}

function ownerIn(view: View, { kind, id }: NewSnapshot['of']): SnapshotOwner {
  const owner = view.get(kind, id);
  if (!owner) throw new Declined('not_found', `there is no such ${wordsOf(kind)}`);
  if ('state' in owner.spec && owner.spec.state === 'deleting')
    throw new Declined('conflict', `the instance ${owner.name} can have no snapshot, because it is being deleted`);
  if ('restore' in owner.spec && owner.spec.restore)
    throw new Declined(
      'conflict',
      `the instance ${owner.name} can have no snapshot, because one is being restored into it: wait for that`,
    );
  return owner;
}

function refuseTooMany({ kind, name }: SnapshotOwner, count: number): void {
  if (count < mostManualSnapshots) return;
  throw new Declined(
    'conflict',
    `the ${wordsOf(kind)} ${name} can have no more snapshots, because it has ${count}, which is the most: delete one that is no longer needed`,
  );
}

function isSeen(owner: SnapshotOwner, flowsDigest: string): boolean {
  return 'flowsDigest' in owner.spec && owner.spec.flowsDigest === flowsDigest;
}

function seen(owner: SnapshotOwner, flowsDigest: string | undefined): Change[] {
  if (owner.kind !== 'Instance' || flowsDigest === undefined) return [];
  const instance = owner as Resource<'Instance'>;
  return [updated(instance, { ...instance, spec: { ...instance.spec, flowsDigest } })];
}
