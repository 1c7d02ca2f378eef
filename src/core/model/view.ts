// What can be asked of the state: by id, by name, by what a resource refers to, counts, all without scanning.
import { type DeclaredKindName, declaredKinds, type KindName, kindOf } from '../kinds/index.ts';
import { referenceKey, referencesOf } from './references.ts';
import { type DeclaredResource, defaultLifecycle, type Resource, type ResourceOf } from './resource.ts';

/** A consistent picture of all resources. Counts and look-ups do not depend on how many there are. */
export interface View {
  get<K extends KindName>(kind: K, id: string): ResourceOf<K> | undefined;
  /** By name, without regard to case. */
  named<K extends KindName>(kind: K, name: string): ResourceOf<K> | undefined;
  /** All of a kind, in the order in which they were made. */
  all<K extends KindName>(kind: K): Iterable<ResourceOf<K>>;
  count(kind: KindName): number;
  /** The resources of a kind that carry an index key (`email=…`, or a reference: see `referrers`). */
  having<K extends KindName>(kind: K, key: string): Iterable<ResourceOf<K>>;
  countHaving(kind: KindName, key: string): number;
}

/** The index keys of a resource: its name, what it refers to, and what its kind adds. */
export function keysOf(resource: Resource): readonly string[] {
  const known = keysCache.get(resource);
  if (known) return known;
  const keys = freshKeysOf(resource);
  keysCache.set(resource, keys);
  return keys;
}

// A memo of a pure function over data that never changes.
const keysCache = new WeakMap<Resource, readonly string[]>();

/** The same, not remembered: for resources that come and stay, because a memory of very many costs more than it saves. */
export function freshKeysOf(resource: Resource): readonly string[] {
  const own = kindOf(resource.kind).keys?.(resource.spec as never) ?? [];
  return [...new Set([nameKey(resource.name), ...referencesOf(resource).map(referenceKey), ...own])];
}

/** The index key of a name. */
export function nameKey(name: string): string {
  return `/${name.toLowerCase()}`;
}

/** The resources of `kind` that refer to `target`, by its name or its id. */
export function* referrers<K extends KindName>(view: View, kind: K, target: Resource): Iterable<ResourceOf<K>> {
  yield* view.having(kind, referenceKey({ kind: target.kind, by: 'name', to: target.name }));
  yield* view.having(kind, referenceKey({ kind: target.kind, by: 'id', to: target.id }));
}

/** How many resources of `kind` refer to `target`. */
export function countReferrers(view: View, kind: KindName, target: Resource): number {
  return (
    view.countHaving(kind, referenceKey({ kind: target.kind, by: 'name', to: target.name })) +
    view.countHaving(kind, referenceKey({ kind: target.kind, by: 'id', to: target.id }))
  );
}

/** The only resource of a singleton kind; its defaults (generation 0, nobody's) where none was ever declared. */
export function singleton<K extends 'Platform' | 'AdminSettings'>(view: View, kind: K): DeclaredResource<K> {
  const name = declaredKinds[kind].singleton ?? '';
  return (view.named(kind, name) as DeclaredResource<K> | undefined) ?? defaultsOf(kind, name);
}

const defaultsCache = new Map<DeclaredKindName, DeclaredResource>();

function defaultsOf<K extends 'Platform' | 'AdminSettings'>(kind: K, name: string): DeclaredResource<K> {
  const known = defaultsCache.get(kind);
  if (known) return known as DeclaredResource<K>;
  const spec = declaredKinds[kind].spec.parse({});
  const created = { createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' };
  const resource = { kind, id: name, name, spec, generation: 0, ...created, labels: {}, lifecycle: defaultLifecycle };
  const defaults = { ...resource, managedBy: 'api' } as unknown as DeclaredResource<K>;
  defaultsCache.set(kind, defaults as unknown as DeclaredResource);
  return defaults;
}
