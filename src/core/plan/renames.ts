// A rename is followed by whatever names the old name and has no document that says the new one: its references take the new name.
import { type DeclaredKindName, declaredKindNames } from '../kinds/index.ts';
import { type Change, updated } from '../model/change.ts';
import { stepsOf } from '../model/pointer.ts';
import type { Context } from '../model/proposal.ts';
import { type Reference, referenceKey, referencesOf } from '../model/references.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Desired } from './desired.ts';
import type { Planned } from './planned.ts';

/** What a plan renames: references to an old name (by their index key), and what they become. */
export type Renames = ReadonlyMap<string, { readonly kind: DeclaredKindName; readonly name: string }>;

/** The renames of documents that mean objects with another name. */
export function renamesOf(pairs: Iterable<readonly [Desired, DeclaredResource]>): Renames {
  const renames = new Map<string, { kind: DeclaredKindName; name: string }>();
  for (const [{ kind, name }, before] of pairs)
    if (before.name !== name) renames.set(referenceKey({ kind, by: 'name', to: before.name }), { kind, name });
  return renames;
}

/**
 * A resource that says the new names. All at once: in a line of renames a name is the old one of one object and the new one of another. It is the
 * very same resource where it says none of the old ones.
 */
export function inNewNames(resource: DeclaredResource, renames: Renames, isOld: IsOld = isAny): DeclaredResource {
  if (renames.size === 0) return resource;
  let spec: unknown = resource.spec;
  for (const reference of referencesOf(resource)) {
    const rename = reference.by === 'name' && isOld(reference) ? renames.get(referenceKey(reference)) : undefined;
    if (rename) spec = withValueAt(spec, stepsOf(reference.path).slice(1), rename.name);
  }
  return spec === resource.spec ? resource : { ...resource, spec: spec as DeclaredResource['spec'] };
}

/** Which references of a resource say what they said before the plan. */
type IsOld = (reference: Reference) => boolean;

const isAny: IsOld = () => true;

/** What following needs to know of a plan; `meant`: the documents by the ids of the objects that they mean. */
export interface Following {
  readonly renames: Renames;
  readonly meant: ReadonlyMap<string, Desired>;
  /** What drifted and is left as it is. */
  readonly left: readonly Planned[];
  readonly view: View;
  readonly context: Context;
}

/**
 * A plan with its renames followed by what no document speaks for: resources made through the API, orphans of this plan, and what drifted and is left
 * as it is. Documents say the names of their own revision, also where they need no change; what they leave to the API was followed when they were planned.
 */
export function followRenames(planned: readonly Planned[], around: Following): Planned[] {
  const { renames, meant, left, context } = around;
  if (renames.size === 0) return [...planned];
  const changed = new Set(planned.map(({ change }) => change.id));
  const loose = followersIn(around)
    .filter(({ id }) => !changed.has(id) && !meant.has(id))
    .map((follower) => follow(follower, inNewNames(follower, renames), context));
  const drifted = left.flatMap(({ change: { before }, desired }) => {
    const next = before && desired && inNewNames(before, renames, unsaidBy(desired));
    return next && next !== before ? [{ ...follow(before, next, context), desired }] : [];
  });
  return [...planned.map((one) => following(one, renames, context)), ...loose, ...drifted];
}

function followersIn({ renames, view }: Following): readonly DeclaredResource[] {
  const followers = new Map<string, DeclaredResource>();
  for (const key of renames.keys())
    for (const kind of declaredKindNames)
      for (const follower of view.having(kind, key)) followers.set(follower.id, follower);
  return [...followers.values()];
}

function follow(before: DeclaredResource, after: DeclaredResource, context: Context): Planned {
  const next: DeclaredResource = { ...after, generation: before.generation + 1, updatedAt: context.now };
  return { action: 'update', change: updated(before, next) as Change<DeclaredKindName>, quiet: false };
}

/** What the plan lets go of says the old names still. */
function following(one: Planned, renames: Renames, context: Context): Planned {
  const { before, after } = one.change;
  if (one.desired || !after) return one;
  const next = inNewNames(after, renames);
  if (next === after) return one;
  const told = { ...next, generation: (before?.generation ?? 0) + 1, updatedAt: context.now };
  return { ...one, quiet: false, change: { ...one.change, after: told } as Change<DeclaredKindName> };
}

/** A drifted object may name what its document names too: then it is the document's word, in the names of its revision. */
function unsaidBy(desired: Desired): IsOld {
  const said = new Set(referencesOf(desired).map(referenceKey));
  return (reference) => !said.has(referenceKey(reference));
}

function withValueAt(value: unknown, [step, ...rest]: readonly string[], to: string): unknown {
  if (step === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === step ? withValueAt(item, rest, to) : item));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [step]: withValueAt(record[step], rest, to) };
}
