// Where a declared resource, and each field that a file sets, stand in a tree.
import { leavesOf } from '../core/model/leaves.ts';
import { placeOf } from '../core/plan/locate.ts';
import type { Places } from './reconciler.ts';
import type { LoadedTree } from './tree.ts';

/** The places of what a tree declares under an address, but of fields that it leaves to the API; nothing where it declares no such thing. */
export function placesIn(loaded: LoadedTree | undefined, address: string): Places | undefined {
  const desired = loaded?.desired.desired.get(address);
  if (!desired) return undefined;
  const { document, kind, spec, lifecycle } = desired;
  const isLeft = (path: string) => lifecycle.ignore.some((left) => path === left || path.startsWith(`${left}/`));
  const fields: Record<string, { file: string; line: number }> = {};
  for (const { path, pointer } of leavesOf(kind, spec).values()) {
    const place = isLeft(path) ? undefined : placeOf(document, pointer);
    if (place) fields[path] = { file: place.file, line: place.line };
  }
  return { source: document.locate('/kind', 'key'), fields };
}
