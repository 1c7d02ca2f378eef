// A resource: one object of the platform, declared or made at run time, as the store holds it.
import { type DeclaredKindName, isDeclaredKind, type KindName, type SpecOf } from '../kinds/index.ts';

/** What every resource has. Resources are never written to: a change makes a new one. */
export interface Resource<K extends KindName = KindName> {
  readonly kind: K;
  /** Opaque, URL-safe, the same for the life of the resource, through renames. */
  readonly id: string;
  /** What people call it: a declared resource's identity, a user's username, a team's slug. */
  readonly name: string;
  readonly spec: SpecOf<K>;
  /** Counts changes of name, labels, lifecycle and spec, from 1. */
  readonly generation: number;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A resource that documents can declare. */
export interface DeclaredResource<K extends DeclaredKindName = DeclaredKindName> extends Resource<K> {
  readonly labels: Labels;
  readonly lifecycle: Lifecycle;
  /** `config`: a document declares it, and the API may not change it; `api`: made or taken over through the API. */
  readonly managedBy: 'config' | 'api';
  /** Where its document stands: the file relative to the tree, the line of its `kind`. */
  readonly source?: { readonly file: string; readonly line: number };
  /** The name that it was made with, where it has another now: addresses that others were given hold it. */
  readonly firstName?: string;
  /** The `previousNames` of its document when that was last applied: they were followed. Absent where an older Weir applied it, or nobody did. */
  readonly previousNames?: readonly string[];
  /** The mark of the document that a server last made it from: what is otherwise now was changed by somebody else. */
  readonly reconciled?: string;
}

/** The type of a resource of a kind. */
export type ResourceOf<K extends KindName> = K extends DeclaredKindName ? DeclaredResource<K> : Resource<K>;

/** Free labels, for people and for filters. */
export type Labels = Readonly<Record<string, string>>;

/** What may happen to a declared resource. */
export interface Lifecycle {
  readonly protect: boolean;
  readonly onRemove: 'delete' | 'orphan';
  /** JSON Pointers of fields that are left to the API. */
  readonly ignore: readonly string[];
}

/** The lifecycle of a document that says nothing of it. */
export const defaultLifecycle: Lifecycle = { protect: false, onRemove: 'delete', ignore: [] };

/** `Kind/name`: how findings and plans call a resource. */
export function addressOf(resource: { readonly kind: string; readonly name: string }): string {
  return `${resource.kind}/${resource.name}`;
}

/** What a resource has besides its spec where documents can declare it; nothing of one that lives in the store only. */
export function declaredPart(resource: Resource): DeclaredResource | undefined {
  return isDeclaredKind(resource.kind) ? (resource as DeclaredResource) : undefined;
}
