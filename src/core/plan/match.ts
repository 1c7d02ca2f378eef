// Which resource each document means: the one with its name, or one that it says it was called before.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Desired } from './desired.ts';

/** The resources that documents mean, by the documents' addresses; those that are not here are new. */
export type Matches = ReadonlyMap<string, DeclaredResource>;

/**
 * Matches documents with resources. A document whose name exists means that resource, and its `previousNames` say nothing: so they may stay after
 * a rename. The exception is a line of renames in one revision (`a` is called `b`, and what was `b` is called `c`).
 */
export function* matchSteps(desired: ReadonlyMap<string, Desired>, view: View): Generator<void, Matches, void> {
  const matches = new Map<string, DeclaredResource>();
  const taken = new Set<string>();
  const match = (wanted: Desired, resource: DeclaredResource) => {
    matches.set(addressIn(wanted.kind, wanted.name), resource);
    taken.add(resource.id);
  };
  for (const wanted of desired.values()) {
    if (wanted.previousNames.length === 0 || view.named(wanted.kind, wanted.name)) continue;
    for (const [document, resource] of lineFrom(wanted, desired, view, taken)) match(document, resource);
  }
  yield;
  let steps = 0;
  for (const wanted of desired.values()) {
    if (++steps % 256 === 0) yield;
    if (matches.has(addressIn(wanted.kind, wanted.name))) continue;
    const same = view.named(wanted.kind, wanted.name);
    if (same && !taken.has(same.id)) match(wanted, same);
  }
  return matches;
}

/** The renames that one new name brings: usually one. Empty where the line ends at a name that is still wanted: then nothing was renamed. */
function lineFrom(
  start: Desired,
  desired: ReadonlyMap<string, Desired>,
  view: View,
  taken: ReadonlySet<string>,
): readonly (readonly [Desired, DeclaredResource])[] {
  const line: [Desired, DeclaredResource][] = [];
  const seen = new Set<string>([start.name]);
  let wanted: Desired | undefined = start;
  while (wanted) {
    const { kind, previousNames }: Desired = wanted;
    const previous = previousNames.find((name) => !seen.has(name) && isFree(view, kind, name, taken));
    const old = previous === undefined ? undefined : view.named(kind, previous);
    if (previous === undefined || !old) return [];
    line.push([wanted, old]);
    seen.add(previous);
    wanted = desired.get(addressIn(kind, previous));
  }
  return line;
}

function isFree(view: View, kind: DeclaredKindName, name: string, taken: ReadonlySet<string>): boolean {
  const resource = view.named(kind, name);
  return resource !== undefined && !taken.has(resource.id);
}

function addressIn(kind: DeclaredKindName, name: string): string {
  return `${kind}/${name}`;
}
