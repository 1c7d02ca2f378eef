// Which blobs resources name, by their SHA-256: all others may go.
import { contentKey } from '../kinds/snapshot.ts';
import type { View } from './view.ts';

/** The names of all blobs that something in a state still needs. */
export function namedBlobs(view: View): Set<string> {
  const named = new Set<string>();
  for (const { spec } of view.all('Snapshot')) named.add(spec.content);
  for (const { spec } of view.all('Instance')) if (spec.restore) named.add(spec.restore.content);
  return named;
}

/** Whether something in a state still needs a blob: the same of one, without looking at all. */
export function isBlobNamed(view: View, name: string): boolean {
  const key = contentKey(name);
  return view.countHaving('Snapshot', key) > 0 || view.countHaving('Instance', key) > 0;
}
