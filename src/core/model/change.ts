// A change: one resource before and after. The only thing that alters state.
import type { KindName } from '../kinds/index.ts';
import type { Resource, ResourceOf } from './resource.ts';

/** One resource made (`before` absent), altered, or deleted (`after` absent). */
export interface Change<K extends KindName = KindName> {
  readonly kind: K;
  readonly id: string;
  readonly before: ResourceOf<K> | undefined;
  readonly after: ResourceOf<K> | undefined;
  /** Why, in a sentence, where nobody who asked for it chose it: it stands in the audit log. */
  readonly reason?: string;
}

/** The same change, and why. */
export function because(change: Change, reason: string): Change {
  return { ...change, reason };
}

/** A change that follows from another one, in the same commit; `change` says why. */
export interface Following {
  readonly change: Change & { readonly reason: string };
  readonly cause: Change;
}

/** What follows from a change, and why. */
export function follows(change: Change, cause: Change, reason: string): Following {
  return { change: { ...change, reason }, cause };
}

/** The change that makes a resource. */
export function created(after: Resource): Change {
  return { kind: after.kind, id: after.id, before: undefined, after: after as ResourceOf<KindName> };
}

/** The change from one version of a resource to its next. */
export function updated(before: Resource, after: Resource): Change {
  return {
    kind: after.kind,
    id: after.id,
    before: before as ResourceOf<KindName>,
    after: after as ResourceOf<KindName>,
  };
}

/** The change that deletes a resource. */
export function deleted(before: Resource): Change {
  return { kind: before.kind, id: before.id, before: before as ResourceOf<KindName>, after: undefined };
}

/** The changes of one kind, with types; that costs nothing where there are none. */
export function changesOf<K extends KindName>(changes: readonly Change[], kind: K): readonly Change<K>[] {
  const typed = changes as unknown as readonly Change<K>[];
  const [only] = typed;
  // Nearly every write changes one thing, and is asked after each kind.
  if (typed.length <= 1) return only?.kind === kind ? typed : none;
  return (listsOf(changes).get(kind) ?? none) as unknown as readonly Change<K>[];
}

const none: readonly never[] = [];

/** The changes by kind. */
function listsOf(changes: readonly Change[]): ReadonlyMap<KindName, readonly Change[]> {
  const known = listsCache.get(changes);
  if (known) return known;
  const lists = Map.groupBy(changes, ({ kind }) => kind);
  listsCache.set(changes, lists);
  return lists;
}

// A memo of a pure function over lists that never change.
const listsCache = new WeakMap<readonly Change[], ReadonlyMap<KindName, readonly Change[]>>();
