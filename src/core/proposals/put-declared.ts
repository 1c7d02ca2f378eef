// Makes or replaces, through the API, a resource of a kind that documents declare.
import { type DeclaredKindName, kindOf } from '../kinds/index.ts';
import { type Change, created, updated } from '../model/change.ts';
import { sameSpec, sameValue } from '../model/leaves.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import { addressOf, type DeclaredResource, defaultLifecycle, type Labels, type Lifecycle } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { writtenSpec } from './written-spec.ts';

/** What is written. The whole spec is replaced; labels and lifecycle that are absent stay as they are. */
export interface DeclaredWrite {
  readonly kind: DeclaredKindName;
  readonly name: string;
  readonly spec: unknown;
  readonly labels?: Labels;
  readonly lifecycle?: Lifecycle;
  /** Whether what the caller last saw is still what is there. */
  readonly expected?: Expectation;
}

/** Asked of the resource as it is when the change is made (nothing where there is none). */
export type Expectation = (current: DeclaredResource | undefined) => boolean;

/** Makes a new one. Declines (`conflict`) where the API made one of that name; throws `InvalidSpec`. */
export function createDeclared(write: DeclaredWrite): Proposal {
  return (view, context) => {
    const current = view.named(write.kind, write.name);
    if (current?.managedBy === 'api')
      throw new Declined('conflict', `${addressOf(write)} cannot be made, because it exists already`);
    // Made first: what is wrong with the spec is told whoever has the name.
    const change = made(write, context);
    return [current ? taken(current, context) : change];
  };
}

/** Replaces one. Declines (`not_found`, `precondition_failed`); throws `InvalidSpec`. The one of a singleton kind is made where needed. */
export function replaceDeclared(write: DeclaredWrite): Proposal {
  return (view, context) => {
    const current = currentOf(view, write);
    requireExpected(write, current);
    if (!current && kindOf(write.kind).singleton !== undefined) return [made(write, context)];
    if (!current) throw missing(write);
    return replaced(current, write, context);
  };
}

/** What has exactly this name: names are found whatever their case, but there is one way to write each. */
export function currentOf(
  view: View,
  { kind, name }: Pick<DeclaredWrite, 'kind' | 'name'>,
): DeclaredResource | undefined {
  const found = view.named(kind, name);
  return found?.name === name ? found : undefined;
}

/** Declines (`precondition_failed`) where the resource is not what the caller saw. */
export function requireExpected(
  { kind, name, expected }: Pick<DeclaredWrite, 'kind' | 'name' | 'expected'>,
  current: DeclaredResource | undefined,
): void {
  if (expected && !expected(current))
    throw new Declined(
      'precondition_failed',
      `${addressOf({ kind, name })} changed since it was read: read it again, and decide anew`,
    );
}

/** What is said of a name that nothing has. */
export function missing(address: { readonly kind: string; readonly name: string }): Declined {
  return new Declined('not_found', `there is no ${addressOf(address)}`);
}

function made(
  { kind, name, spec, labels = {}, lifecycle = defaultLifecycle }: DeclaredWrite,
  context: Context,
): Change {
  const times = { createdAt: context.now, updatedAt: context.now };
  const base = {
    kind,
    id: context.newId(),
    name,
    labels,
    lifecycle,
    spec: writtenSpec({ kind, name }, spec),
    generation: 1,
    ...times,
  };
  const resource: DeclaredResource = { ...base, managedBy: 'api' };
  return created(resource);
}

function replaced(current: DeclaredResource, write: DeclaredWrite, context: Context): Change[] {
  const spec = writtenSpec(write, write.spec, current.spec);
  const { labels = current.labels, lifecycle = current.lifecycle } = write;
  const same =
    sameSpec(write.kind, current.spec, spec) &&
    sameValue({ labels, lifecycle }, { labels: current.labels, lifecycle: current.lifecycle });
  if (same) return [];
  const { now } = context;
  const next: DeclaredResource = {
    ...current,
    spec,
    labels,
    lifecycle,
    generation: current.generation + 1,
    updatedAt: now,
  };
  if (current.managedBy === 'config' && current.lifecycle.ignore.length === 0) return [taken(next, context, current)];
  return [updated(current, next)];
}

/**
 * A document leaves nothing of this resource to the API, so a write that alters or makes it would take it away from the document. It is
 * proposed as just that, and the rule `config-managed` says where the document stands.
 */
function taken(next: DeclaredResource, { now }: Context, current = next): Change {
  const { source: _, ...rest } = next;
  const after: DeclaredResource = { ...rest, managedBy: 'api', updatedAt: now };
  return updated(current, after);
}
