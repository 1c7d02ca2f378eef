// The way back: from leaves to the spec that has them.
import type { z } from 'zod';
import { type KindName, kindOf } from '../kinds/index.ts';
import { partsOf } from '../kinds/kind.ts';
import { fieldIn } from './children.ts';
import { leavesOf } from './leaves.ts';
import { stepsOf } from './pointer.ts';

/**
 * The spec that has these leaves, by path; defaults are filled in. Throws a RangeError for a path that is no field of the kind, and a ZodError
 * where the values do not make a spec.
 */
export function specFrom(kind: KindName, values: ReadonlyMap<string, unknown>): unknown {
  const schema = kindOf(kind).spec;
  const build: Build = { root: { spec: {} }, indexes: new Map() };
  for (const [path, value] of values) {
    const slot = slotOf(build, kind, path);
    // A section that holds nothing is a leaf of its own; other leaves of it may have come first.
    if (!isEmpty(value)) slot.holder[slot.key] = value;
    else slot.holder[slot.key] ??= Array.isArray(value) ? [] : {};
  }
  return schema.parse(build.root['spec']);
}

/** A spec with the leaves at `paths`, and below, taken from another: fields that a document leaves to the API. */
export function withLeaves(kind: KindName, spec: unknown, source: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return spec;
  const under = (path: string) => paths.some((ignored) => path === ignored || path.startsWith(`${ignored}/`));
  const own = leavesOf(kind, spec);
  const others = leavesOf(kind, source);
  // An item that is new has what the document says, until somebody writes it.
  const isNew = (key: string | undefined) => key !== undefined && !under(key) && !others.has(key);
  // An item whose very key is left is there where the other has it, and then whole.
  const isLeft = (key: string | undefined) => key !== undefined && under(key);
  const isGone = (key: string | undefined) => isLeft(key) && !others.has(key ?? '');
  const kept = [...own.values()].filter(({ path, itemKey }) => !isGone(itemKey) && (!under(path) || isNew(itemKey)));
  // A field of an item that is no longer in the list does not bring the item back.
  const holds = (key: string | undefined) => key === undefined || under(key) || own.has(key);
  const isTheirs = (key: string | undefined) => isLeft(key) && !own.has(key ?? '');
  const taken = [...others.values()].filter(
    ({ path, itemKey }) => isTheirs(itemKey) || (under(path) && holds(itemKey)),
  );
  return specFrom(kind, new Map([...kept, ...taken].map((leaf) => [leaf.path, leaf.value])));
}

type Holder = Record<string | number, unknown>;

/** A spec that is being built; `indexes`: where in a named list an item stands. */
interface Build {
  readonly root: Holder;
  readonly indexes: Map<unknown, Map<string, number>>;
}

interface Slot {
  readonly holder: Holder;
  readonly key: string | number;
  readonly schema: z.core.$ZodType;
}

/** Only what the schema knows is entered: a path may come from a file that somebody wrote by hand. */
function slotOf(build: Build, kind: KindName, path: string): Slot {
  let slot: Slot = { holder: build.root, key: 'spec', schema: kindOf(kind).spec };
  for (const step of stepsOf(path).slice(1)) {
    const next = below(build, slot, step);
    if (!next) throw new RangeError(`${path} is not a field of ${kind}`);
    slot = next;
  }
  return slot;
}

function below(build: Build, { holder, key, schema }: Slot, step: string): Slot | undefined {
  const parts = partsOf(schema);
  if (parts.type === 'list' && parts.namedBy) {
    holder[key] ??= [];
    const items = holder[key] as Holder[];
    return { holder: items as unknown as Holder, key: indexIn(build, items, parts.namedBy, step), schema: parts.item };
  }
  const field = fieldIn(parts, step);
  if (!field) return undefined;
  holder[key] ??= {};
  return { holder: holder[key] as Holder, key: step, schema: field };
}

function indexIn({ indexes }: Build, items: Holder[], key: string, name: string): number {
  const known = indexes.get(items) ?? new Map<string, number>();
  indexes.set(items, known);
  const index = known.get(name) ?? items.push({ [key]: name }) - 1;
  known.set(name, index);
  return index;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
