// Which resources a batch makes a rule look at: those written, or all of a kind where what they are judged by changed.
import type { KindName } from '../kinds/index.ts';
import type { ResourceOf } from '../model/resource.ts';
import { type Batch, written } from './rule.ts';

/** The resources of a kind whose right to exist depends on the Platform: all of them when it changes, else those written. */
export function judgedByPlatform<K extends KindName>(batch: Batch, kind: K): Iterable<ResourceOf<K>> {
  if (!isPlatformKnown(batch)) return [];
  if (batch.changes.some((change) => change.kind === 'Platform')) return batch.after.all(kind);
  return [...written(batch, kind)].map(({ after }) => after as ResourceOf<K>);
}

/** Whether the Platform is what it seems: while its document cannot be read, nothing is said about what needs it. */
export function isPlatformKnown({ tree }: Batch): boolean {
  return tree === undefined || !(tree.broken.has('Platform/platform') || tree.broken.has('*/platform'));
}
