// A spec as a flat list of leaves, so that two versions of a resource can be compared field by field.
import type { z } from 'zod';
import { type KindName, kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import { type Child, childrenOf } from './children.ts';
import { escapeStep } from './pointer.ts';

/** One leaf: a scalar, a set, a list without names, a secret, or a section (`{}`) or list (`[]`) that is there and holds nothing. */
export interface Leaf {
  /** Where it stands by meaning: items of a named list by their name (`/spec/instanceTypes/small/limit`). */
  readonly path: string;
  /** Where it stands in the text: items by their index (`/spec/instanceTypes/0/limit`). */
  readonly pointer: string;
  readonly value: unknown;
  readonly secret: boolean;
  /** The platform keeps it up by itself. */
  readonly bookkeeping: boolean;
  /** A list whose order means nothing. */
  readonly set: boolean;
  /** The value is what the field has by itself, wherever what holds it is there. */
  readonly isDefault: boolean;
  /** The path of the nearest section around it that might be absent: its defaults say something, because it is there. */
  readonly section: string | undefined;
  /** The path of the key of the item that it stands in, where it stands in a named list. */
  readonly itemKey: string | undefined;
}

/** The leaves of a decoded spec, by path. */
export function leavesOf(kind: KindName, spec: unknown): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  walk(kindOf(kind).spec, spec, { path: '/spec', at: '/spec', section: undefined, itemKey: undefined }, leaves);
  return leaves;
}

/** Where a walk stands: by meaning, in the text, and within what. */
interface Place {
  readonly path: string;
  readonly at: string;
  readonly section: string | undefined;
  readonly itemKey: string | undefined;
}

function walk(schema: z.core.$ZodType, value: unknown, place: Place, into: Map<string, Leaf>): void {
  if (value === undefined || value === null) return;
  const parts = partsOf(schema);
  if (parts.type === 'leaf' || (parts.type === 'list' && !parts.namedBy)) {
    add(schema, value, place, parts.type === 'list' && parts.set, into);
    return;
  }
  const optional = schema._zod.def.type === 'optional';
  const size = into.size;
  const inner = optional ? { ...place, section: place.path } : place;
  const key = parts.type === 'list' ? parts.namedBy : undefined;
  for (const child of childrenOf(schema, value)) walk(child.schema, child.value, placeOf(inner, child, key), into);
  if (optional && into.size === size) add(schema, Array.isArray(value) ? [] : {}, place, false, into);
}

/** Outside of named lists meaning and text are the same place, and share one string. */
function placeOf({ path, at, section, itemKey }: Place, { name, step }: Child, key: string | undefined): Place {
  const next = `${path}/${escapeStep(name)}`;
  const below = path === at && name === step ? next : `${at}/${escapeStep(step)}`;
  return { path: next, at: below, section, itemKey: key === undefined ? itemKey : `${next}/${escapeStep(key)}` };
}

function add(schema: z.core.$ZodType, value: unknown, place: Place, set: boolean, into: Map<string, Leaf>): void {
  const { path, at, section, itemKey } = place;
  const otherwise = defaultOf(schema);
  const isDefault = otherwise !== undefined && sameLeafValue(set, otherwise, value);
  const mark = markOf(schema);
  const [secret, bookkeeping] = [mark.secret === true, mark.bookkeeping === true];
  into.set(path, { path, pointer: at, value, secret, bookkeeping, set, isDefault, section, itemKey });
}

function defaultOf(schema: z.core.$ZodType): unknown {
  const def = schema._zod.def as { type: string; defaultValue?: unknown };
  return def.type === 'default' || def.type === 'prefault' ? def.defaultValue : undefined;
}

/** A leaf before and after; `undefined` where there is none. */
export interface Difference {
  readonly path: string;
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
}

/** The leaves that one has and the other has not, or has otherwise. */
export function differences(before: Leaves, after: Leaves): Difference[] {
  const paths = new Set([...after.keys(), ...before.keys()]);
  return [...paths]
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter(({ before: old, after: fresh }) => {
      if (old && fresh) return !sameLeafValue(fresh.set, old.value, fresh.value);
      return !((old && isUnwritten(old, after)) || (fresh && isUnwritten(fresh, before)));
    });
}

type Leaves = ReadonlyMap<string, Leaf>;

/** A field that the version which wrote the other side did not know is there what it is by itself, where what holds it is there. */
function isUnwritten({ isDefault, itemKey, section }: Leaf, other: Leaves): boolean {
  if (!isDefault) return false;
  if (itemKey !== undefined) return other.has(itemKey);
  return section === undefined || [...other.keys()].some((path) => path === section || path.startsWith(`${section}/`));
}

/** Whether two specs of a kind mean the same: sets and named lists in any order, defaults written out or not. */
export function sameSpec(kind: KindName, a: unknown, b: unknown): boolean {
  return sameValue(a, b) || differences(leavesOf(kind, a), leavesOf(kind, b)).length === 0;
}

function sameLeafValue(set: boolean, a: unknown, b: unknown): boolean {
  if (!set || !Array.isArray(a) || !Array.isArray(b)) return sameValue(a, b);
  return sameItems([...a].sort(), [...b].sort());
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

/** Own keys only: a label may be called `constructor`. */
function sameFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key in a) if (!sameValue(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  for (const key in b) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  return true;
}
