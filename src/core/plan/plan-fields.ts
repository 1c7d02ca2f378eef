// A change field by field: what stood there, what will, and where a file says so.
import type { Source } from '../model/finding.ts';
import { type Difference, differences, type Leaf, leavesOf, sameValue } from '../model/leaves.ts';
import { pointer } from '../model/pointer.ts';
import { type DeclaredResource, declaredPart, defaultLifecycle, type Resource } from '../model/resource.ts';
import type { Desired } from './desired.ts';
import { placeOf } from './locate.ts';

/** One field before and after; `null` is: not there. A secret shows its reference, or that it is set, never its value. */
export interface PlannedField {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly sensitive?: true;
  readonly source?: Source;
}

/** A keyed fingerprint of a secret, so that a change of it can be seen without being shown. */
export type Fingerprint = (secret: string) => string;

/**
 * Every field that a change alters. Of a resource that comes or goes those that are as nobody's would be are left out, and of all what
 * the platform keeps up by itself.
 */
export function fieldsOf(
  before: Resource | undefined,
  after: Resource | undefined,
  desired?: Desired,
  fingerprint?: Fingerprint,
): PlannedField[] {
  const [old, fresh] = before && after ? alteredLeaves(before, after) : [specLeaves(before), specLeaves(after)];
  const pairs = differences(old, fresh).filter((pair) => !(pair.before ?? pair.after)?.bookkeeping);
  const spec = before && after ? pairs : pairs.filter(saysSomething([...(before ? old : fresh).values()]));
  return [...envelopeFields(before, after, desired), ...spec.map((pair) => specField(pair, desired, fingerprint))];
}

function specLeaves(resource: Resource | undefined): ReadonlyMap<string, Leaf> {
  return resource ? leavesOf(resource.kind, resource.spec) : new Map();
}

/** The leaves of what is not the same on both sides: a write shares what it leaves alone. */
function alteredLeaves(before: Resource, after: Resource): [ReadonlyMap<string, Leaf>, ReadonlyMap<string, Leaf>] {
  const [old, fresh] = [before.spec, after.spec] as [Fields, Fields];
  const keys = Object.keys({ ...old, ...fresh }).filter((key) => old[key] !== fresh[key]);
  const only = (spec: Fields) => Object.fromEntries(keys.map((key) => [key, spec[key]]));
  return [leavesOf(before.kind, only(old)), leavesOf(after.kind, only(fresh))];
}

type Fields = Readonly<Record<string, unknown>>;

/** A default says nothing, unless all that a section holds is defaults: then they say that it is there. */
function saysSomething(leaves: readonly Leaf[]): (pair: Difference) => boolean {
  const told = leaves.filter(({ isDefault }) => !isDefault).map(({ path }) => path);
  const isSilent = (section: string) => !told.some((path) => path === section || path.startsWith(`${section}/`));
  return ({ before, after }) => {
    const leaf = before ?? after;
    return leaf !== undefined && (!leaf.isDefault || (leaf.section !== undefined && isSilent(leaf.section)));
  };
}

function specField(
  { path, before, after }: Difference,
  desired: Desired | undefined,
  print: Fingerprint | undefined,
): PlannedField {
  const sensitive = before?.secret || after?.secret ? { sensitive: true as const } : {};
  return {
    path,
    before: shown(before, print),
    after: shown(after, print),
    ...sensitive,
    ...setAt(desired, after?.pointer),
  };
}

function shown(leaf: Leaf | undefined, fingerprint: Fingerprint | undefined): unknown {
  if (leaf === undefined) return null;
  const { value } = leaf;
  if (!leaf.secret) return value;
  if (typeof value !== 'object' || value === null) return { set: true };
  if (!('value' in value)) return value;
  return fingerprint ? { set: true, fingerprint: fingerprint(String(value.value)) } : { set: true };
}

function setAt(desired: Desired | undefined, path: string | undefined): { source?: Source } {
  const source = desired && path !== undefined ? placeOf(desired.document, path) : undefined;
  return source ? { source } : {};
}

/** What stands around the spec: name, labels, lifecycle, and who manages it. */
function envelopeFields(
  before: Resource | undefined,
  after: Resource | undefined,
  desired: Desired | undefined,
): PlannedField[] {
  const pairs: (readonly [path: string, before: unknown, after: unknown])[] = [
    ...(before && after ? [['/metadata/name', before.name, after.name] as const] : []),
    ...declaredPairs(before && declaredPart(before), after && declaredPart(after)),
  ];
  return pairs
    .filter(([, old, fresh]) => !sameValue(old, fresh))
    .map(([path, old, fresh]) => ({ path, before: old ?? null, after: fresh ?? null, ...setAt(desired, path) }));
}

/** What only resources have that documents can declare. */
function declaredPairs(before: DeclaredResource | undefined, after: DeclaredResource | undefined) {
  const both = before && after;
  return [
    ...labelPairs(before, after),
    ...lifecyclePairs(before, after),
    ...(both ? [['/status/managedBy', before.managedBy, after.managedBy] as const] : []),
  ];
}

/** A lifecycle that only says what is so anyway is nothing to show of a resource that comes or goes. */
function lifecyclePairs(before: DeclaredResource | undefined, after: DeclaredResource | undefined) {
  if (!before && !after) return [];
  const fields = (['protect', 'onRemove', 'ignore'] as const).filter(
    (field) => (before && after) || !sameValue((before ?? after)?.lifecycle[field], defaultLifecycle[field]),
  );
  return fields.map(
    (field) => [pointer('lifecycle', field), before?.lifecycle[field], after?.lifecycle[field]] as const,
  );
}

function labelPairs(before: DeclaredResource | undefined, after: DeclaredResource | undefined) {
  const keys = new Set([...Object.keys(before?.labels ?? {}), ...Object.keys(after?.labels ?? {})]);
  return [...keys].map(
    (key) => [pointer('metadata', 'labels', key), labelOf(before, key), labelOf(after, key)] as const,
  );
}

/** A label may be called `constructor`. */
function labelOf(resource: DeclaredResource | undefined, key: string): string | undefined {
  return resource && Object.hasOwn(resource.labels, key) ? resource.labels[key] : undefined;
}
