// Which resources a batch makes a rule look at: those written, or all of a kind where what they are judged by changed.
import type { KindName } from '../kinds/index.ts';
import type { ResourceOf } from '../model/resource.ts';
import { type Batch, isRead, written } from './rule.ts';

/** The resources of a kind whose right to exist depends on a field of the Platform: all of them when it changes, else those written. */
export function judgedByPlatform<K extends KindName>(batch: Batch, kind: K, field: string): Iterable<ResourceOf<K>> {
  if (!isPlatformKnown(batch, field)) return [];
  if (batch.changes.some((change) => change.kind === 'Platform')) return batch.after.all(kind);
  return [...written(batch, kind)].map(({ after }) => after as ResourceOf<K>);
}

/** Whether a field of the Platform is what it seems: while its document cannot be read, nothing is said about what needs it. */
export function isPlatformKnown(batch: Batch, field: string): boolean {
  const { tree, after } = batch;
  const isBroken = tree?.broken.has('Platform/platform') || tree?.broken.has('*/platform');
  if (isBroken && !after.named('Platform', 'platform')) return false;
  return isRead(batch, { kind: 'Platform', name: 'platform' }, field);
}
