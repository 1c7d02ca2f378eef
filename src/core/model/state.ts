// The state: all resources and their indexes, one table a kind; changes are applied in place.
import type { KindName } from '../kinds/index.ts';
import type { Change } from './change.ts';
import type { Resource } from './resource.ts';
import { freshKeysOf, keysOf, nameKey, type View } from './view.ts';

/** A view that takes changes; what a change costs does not depend on how much there is. */
export interface State extends View {
  apply(changes: Iterable<Change>): void;
}

/** Rows by id, and ids by index key: one id bare, several as a set. */
interface Table {
  readonly rows: Map<string, Resource>;
  readonly index: Map<string, string | Set<string>>;
}

/** A state without resources. */
export function createState(): State {
  const tables = new Map<KindName, Table>();
  const tableOf = (kind: KindName): Table => {
    const table = tables.get(kind) ?? { rows: new Map(), index: new Map() };
    if (table.rows.size === 0) tables.set(kind, table);
    return table;
  };
  return {
    get: (kind, id) => tableOf(kind).rows.get(id) as never,
    named: (kind, name) => namedIn(tableOf(kind), name) as never,
    all: (kind) => tableOf(kind).rows.values() as never,
    count: (kind) => tableOf(kind).rows.size,
    having: (kind, key) => havingIn(tableOf(kind), key) as never,
    countHaving: (kind, key) => countIn(tableOf(kind), key),
    apply: (changes) => {
      for (const change of changes) applyTo(tableOf(change.kind), change);
    },
  };
}

function applyTo(table: Table, { id, after }: Change): void {
  const before = table.rows.get(id);
  if (after) table.rows.set(id, after);
  else table.rows.delete(id);
  const { gone, come } = keysMoved(before, after);
  for (const key of gone) drop(table, key, id);
  for (const key of come) add(table, key, id);
}

/** The index keys that a change takes away and brings. What a resource keeps, it keeps its place under: lists stay in the order of creation. */
export function keysMoved(before: Resource | undefined, after: Resource | undefined) {
  if (!before) return { gone: none, come: after ? freshKeysOf(after) : none };
  const [old, now] = [keysOf(before), after ? keysOf(after) : none];
  if (now.length === 0) return { gone: old, come: none };
  if (old.length === now.length && old.every((key, at) => key === now[at])) return { gone: none, come: none };
  const [had, has] = [new Set(old), new Set(now)];
  return { gone: old.filter((key) => !has.has(key)), come: now.filter((key) => !had.has(key)) };
}

const none: readonly string[] = [];

function add(table: Table, key: string, id: string): void {
  const held = table.index.get(key);
  if (held === undefined) table.index.set(key, id);
  else if (typeof held !== 'string') held.add(id);
  else if (held !== id) table.index.set(key, new Set([held, id]));
}

function drop(table: Table, key: string, id: string): void {
  const held = table.index.get(key);
  if (held === id) table.index.delete(key);
  else if (held !== undefined && typeof held !== 'string') {
    held.delete(id);
    if (held.size === 0) table.index.delete(key);
  }
}

/** The usual case is one resource a name; then nothing is iterated. */
function namedIn(table: Table, name: string): Resource | undefined {
  const held = table.index.get(nameKey(name));
  return typeof held === 'string' ? table.rows.get(held) : held && first(havingIn(table, nameKey(name)));
}

function* havingIn(table: Table, key: string): Iterable<Resource> {
  const held = table.index.get(key);
  if (held === undefined) return;
  for (const id of typeof held === 'string' ? [held] : held) {
    const row = table.rows.get(id);
    if (row) yield row;
  }
}

function countIn(table: Table, key: string): number {
  const held = table.index.get(key);
  return held === undefined ? 0 : typeof held === 'string' ? 1 : held.size;
}

/** The first of what can be iterated. */
export function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
