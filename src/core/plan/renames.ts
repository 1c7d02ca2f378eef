// A rename is followed by whatever names the old name and has no document that says the new one: its references take the new name.
import { type DeclaredKindName, declaredKindNames } from '../kinds/index.ts';
import { type Change, updated } from '../model/change.ts';
import { stepsOf } from '../model/pointer.ts';
import type { Context } from '../model/proposal.ts';
import { referenceKey, referencesOf } from '../model/references.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Desired } from './desired.ts';
import type { Planned } from './planned.ts';

/**
 * A plan with its renames followed: resources made through the API are updated, and what the plan leaves of others (orphans, fields left to the
 * API) names what is there. Documents say the new name themselves. In steps, so that a long plan can be sliced.
 */
export function* followRenames(
  planned: readonly Planned[],
  view: View,
  context: Context,
): Generator<void, readonly Planned[]> {
  const renames = renamesIn(planned);
  if (renames.size === 0) return planned;
  const plannedIds = new Set(planned.map(({ change }) => change.id));
  const followers = new Map<string, DeclaredResource>();
  for (const key of renames.keys())
    for (const follower of referrersOf(view, key))
      if (!plannedIds.has(follower.id)) followers.set(follower.id, follower);
  yield;
  const followed: Planned[] = [];
  for (const one of planned) if (followed.push(following(one, renames, context)) % 64 === 0) yield;
  for (const one of followers.values()) if (followed.push(follow(one, renames, context)) % 64 === 0) yield;
  return followed;
}

/** What a rename means: references to the old name (by their index key) become the new one. */
type Renames = ReadonlyMap<string, { readonly kind: DeclaredKindName; readonly name: string }>;

function renamesIn(planned: readonly Planned[]): Renames {
  const renames = new Map<string, { kind: DeclaredKindName; name: string }>();
  for (const { change } of planned) {
    const { kind, before, after } = change;
    if (before && after && before.name !== after.name)
      renames.set(keyOf(kind, before.name), { kind, name: after.name });
  }
  return renames;
}

function keyOf(kind: DeclaredKindName, name: string): string {
  return referenceKey({ kind, by: 'name', to: name });
}

function* referrersOf(view: View, key: string): Iterable<DeclaredResource> {
  for (const kind of declaredKindNames) yield* view.having(kind, key);
}

function follow(before: DeclaredResource, renames: Renames, context: Context): Planned {
  const after = renamedIn(before, renames, isAny);
  const next: DeclaredResource = { ...after, generation: before.generation + 1, updatedAt: context.now };
  return { action: 'update', change: updated(before, next) as Change<DeclaredKindName>, quiet: false };
}

function following(one: Planned, renames: Renames, context: Context): Planned {
  const { before, after } = one.change;
  const next = after && renamedIn(after, renames, one.desired ? leftToApi(one.desired) : isAny);
  if (!next || next === after) return one;
  const told = { ...next, generation: (before?.generation ?? 0) + 1, updatedAt: context.now };
  return { ...one, quiet: false, change: { ...one.change, after: told } as Change<DeclaredKindName> };
}

/** Which references of a resource still say what they said before the plan. */
type IsOld = (path: string) => boolean;

const isAny: IsOld = () => true;

/** A document says the names of its own revision, in which somebody else may have an old one; but not in fields that it leaves to the API. */
function leftToApi({ lifecycle: { ignore } }: Desired): IsOld {
  return (path) => ignore.some((ignored) => path === ignored || path.startsWith(`${ignored}/`));
}

/** All at once: in a line of renames a name is the old one of one object and the new one of another. */
function renamedIn(resource: DeclaredResource, renames: Renames, isOld: IsOld): DeclaredResource {
  let spec: unknown = resource.spec;
  for (const reference of referencesOf(resource)) {
    const isNamed = reference.by === 'name' && isOld(reference.path);
    const rename = isNamed ? renames.get(referenceKey(reference)) : undefined;
    if (rename) spec = withValueAt(spec, stepsOf(reference.path).slice(1), rename.name);
  }
  return spec === resource.spec ? resource : { ...resource, spec: spec as DeclaredResource['spec'] };
}

function withValueAt(value: unknown, [step, ...rest]: readonly string[], to: string): unknown {
  if (step === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === step ? withValueAt(item, rest, to) : item));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [step]: withValueAt(record[step], rest, to) };
}
