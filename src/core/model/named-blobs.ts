// Which blobs resources name, by their SHA-256: all others may go.
import type { View } from './view.ts';

/** The names of all blobs that something in a state still needs. */
export function namedBlobs(view: View): Set<string> {
  const named = new Set<string>();
  for (const { spec } of view.all('Snapshot')) named.add(spec.content);
  for (const { spec } of view.all('Instance')) if (spec.restore) named.add(spec.restore.content);
  return named;
}
