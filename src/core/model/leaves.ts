// A spec as a flat list of leaves, so that two versions of a resource can be compared field by field.
import type { z } from 'zod';
import { type KindName, kindOf } from '../kinds/index.ts';
import { markOf, type Parts, partsOf } from '../kinds/kind.ts';
import { childrenOf } from './children.ts';
import { pointer, stepsOf } from './pointer.ts';

/** One leaf: a scalar, a set, a list without names, or a secret. */
export interface Leaf {
  /** Where it stands by meaning: items of a named list by their name (`/spec/instanceTypes/small/limit`). */
  readonly path: string;
  /** Where it stands in the text: items by their index (`/spec/instanceTypes/0/limit`). */
  readonly pointer: string;
  readonly value: unknown;
  readonly secret: boolean;
  /** The value is what the field would be if nobody had written it. */
  readonly isDefault: boolean;
}

/** The leaves of a decoded spec, by path. */
export function leavesOf(kind: KindName, spec: unknown): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  walk(kindOf(kind).spec, spec, ['spec'], ['spec'], leaves);
  return leaves;
}

type Steps = readonly (string | number)[];

function walk(schema: z.core.$ZodType, value: unknown, path: Steps, at: Steps, into: Map<string, Leaf>): void {
  if (value === undefined || value === null) return;
  if (isLeaf(schema, value)) {
    const leaf = leafOf(schema, value, path, at);
    into.set(leaf.path, leaf);
  } else
    for (const child of childrenOf(schema, value))
      walk(child.schema, child.value, [...path, child.name], [...at, child.step], into);
}

/** A list whose items have no names of their own is compared as a whole. */
function isLeaf(schema: z.core.$ZodType, value: unknown): boolean {
  const parts = partsOf(schema);
  return parts.type === 'leaf' || (parts.type === 'list' && !(parts.namedBy && Array.isArray(value)));
}

function leafOf(schema: z.core.$ZodType, value: unknown, path: Steps, at: Steps): Leaf {
  const parts = partsOf(schema);
  const isEmpty = Array.isArray(value) && value.length === 0;
  const ordered = parts.type === 'list' && parts.set && Array.isArray(value) ? [...value].sort() : value;
  const secret = markOf(schema).secret === true;
  const isDefault = isEmpty || sameValue(defaultOf(schema), value);
  return { path: pointer(...path), pointer: pointer(...at), value: ordered, secret, isDefault };
}

function defaultOf(schema: z.core.$ZodType): unknown {
  const def = schema._zod.def as { type: string; defaultValue?: unknown };
  return def.type === 'default' || def.type === 'prefault' ? def.defaultValue : undefined;
}

/** The leaf values that one has and the other has not, or has otherwise; `undefined` where there is none. */
export function differences(
  before: ReadonlyMap<string, Leaf>,
  after: ReadonlyMap<string, Leaf>,
): { readonly path: string; readonly before: Leaf | undefined; readonly after: Leaf | undefined }[] {
  const paths = new Set([...after.keys(), ...before.keys()]);
  return [...paths]
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((pair) => !sameValue(pair.before?.value, pair.after?.value));
}

/** Whether two specs of a kind mean the same: sets and named lists in any order, defaults written out or not. */
export function sameSpec(kind: KindName, a: unknown, b: unknown): boolean {
  return sameValue(a, b) || differences(leavesOf(kind, a), leavesOf(kind, b)).length === 0;
}

/** Deep equality of JSON values; an absent key equals one that is undefined. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  return sameFields(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
}

function sameFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key in a) if (!sameValue(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && !(key in a)) return false;
  return true;
}

/** A spec with the leaves at `paths` taken from another: fields that a document leaves to the API. */
export function withLeaves(kind: KindName, spec: unknown, source: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return spec;
  const under = (path: string) => paths.some((ignored) => path === ignored || path.startsWith(`${ignored}/`));
  const kept = [...leavesOf(kind, spec).values()].filter((leaf) => !under(leaf.path));
  const taken = [...leavesOf(kind, source).values()].filter((leaf) => under(leaf.path));
  return specFrom(kind, new Map([...kept, ...taken].map((leaf) => [leaf.path, leaf.value])));
}

/** The spec that has these leaves; defaults are filled in. Throws a ZodError where they do not make one. */
export function specFrom(kind: KindName, values: ReadonlyMap<string, unknown>): unknown {
  const schema = kindOf(kind).spec;
  const root: { spec: unknown } = { spec: {} };
  for (const [path, value] of values) place(schema, root, path, value);
  return schema.parse(root.spec);
}

/** Puts a value where its path says, making what stands above it. */
function place(schema: z.core.$ZodType, root: { spec: unknown }, path: string, value: unknown): void {
  let at: Spot = { holder: root as unknown as Record<string, unknown>, key: 'spec', schema };
  for (const step of stepsOf(path).slice(1)) at = below(at, step);
  at.holder[at.key] = value;
}

/** A place that a value can be put into. */
interface Spot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly schema: z.core.$ZodType | undefined;
}

function below({ holder, key, schema }: Spot, step: string): Spot {
  const parts: Parts | undefined = schema ? partsOf(schema) : undefined;
  if (parts?.type === 'list' && parts.namedBy) {
    holder[key] ??= [];
    const items = holder[key] as Record<string, unknown>[];
    const { namedBy } = parts;
    const known = items.findIndex((item) => item[namedBy] === step);
    const index = known < 0 ? items.push({ [namedBy]: step }) - 1 : known;
    return { holder: items as unknown as Record<string, unknown>, key: String(index), schema: parts.item };
  }
  holder[key] ??= {};
  const next = parts?.type === 'object' ? parts.fields[step] : parts?.type === 'map' ? parts.value : undefined;
  return { holder: holder[key] as Record<string, unknown>, key: step, schema: next };
}
