// An overlay: a view with changes on top, without copying what lies below.
import type { KindName } from '../kinds/index.ts';
import type { Change } from './change.ts';
import type { Resource } from './resource.ts';
import { first, keysMoved, type State } from './state.ts';
import { nameKey, type View } from './view.ts';

/** What an overlay adds to one kind: rows (`undefined` = deleted), and per index key the ids that came and went. */
interface Layer {
  readonly rows: Map<string, Resource | undefined>;
  /** Absent until a key moves: most writes move none. */
  moved?: { readonly came: Map<string, Set<string>>; readonly went: Map<string, Set<string>> };
  grown: number;
}

/** A view of `base` with `changes` on top. `base` must stay as it is while the overlay is in use. */
export function overlay(base: View, changes: Iterable<Change> = []): State {
  const layers = new Map<KindName, Layer>();
  const state: State = {
    get: (kind, id) => rowOf(base, layers.get(kind), kind, id) as never,
    named: (kind, name) => namedOver(base, layers.get(kind), kind, name) as never,
    all: (kind) => allOver(base, layers.get(kind), kind) as never,
    count: (kind) => base.count(kind) + (layers.get(kind)?.grown ?? 0),
    having: (kind, key) => havingOver(base, layers.get(kind), kind, key) as never,
    countHaving: (kind, key) => countOver(base, layers.get(kind), kind, key),
    apply: (more) => {
      for (const change of more) applyOver(base, layerOf(layers, change.kind), change);
    },
  };
  state.apply(changes);
  return state;
}

function layerOf(layers: Map<KindName, Layer>, kind: KindName): Layer {
  const known = layers.get(kind);
  if (known) return known;
  const fresh: Layer = { rows: new Map(), grown: 0 };
  layers.set(kind, fresh);
  return fresh;
}

function applyOver(base: View, layer: Layer, change: Change): void {
  const before = rowOf(base, layer, change.kind, change.id);
  const after: Resource | undefined = change.after;
  const { gone, come } = keysMoved(before, after);
  if (gone.length > 0 || come.length > 0) {
    layer.moved ??= { came: new Map(), went: new Map() };
    for (const key of gone) move(layer.moved.came, layer.moved.went, key, change.id);
    for (const key of come) move(layer.moved.went, layer.moved.came, key, change.id);
  }
  layer.rows.set(change.id, after);
  layer.grown += (after ? 1 : 0) - (before ? 1 : 0);
}

/** Takes an id out of one side, or, where it is not there, puts it into the other. */
function move(from: Map<string, Set<string>>, to: Map<string, Set<string>>, key: string, id: string): void {
  if (from.get(key)?.delete(id)) return;
  const ids = to.get(key);
  if (ids) ids.add(id);
  else to.set(key, new Set([id]));
}

function rowOf(base: View, layer: Layer | undefined, kind: KindName, id: string): Resource | undefined {
  return layer?.rows.has(id) ? layer.rows.get(id) : base.get(kind, id);
}

function* allOver(base: View, layer: Layer | undefined, kind: KindName): Iterable<Resource> {
  for (const row of base.all(kind)) {
    const shown = layer?.rows.has(row.id) ? layer.rows.get(row.id) : row;
    if (shown) yield shown;
  }
  if (!layer) return;
  for (const [id, row] of layer.rows) if (row && !base.get(kind, id)) yield row;
}

/** As long as no name of the kind moved, whoever had one below has it. */
function namedOver(base: View, layer: Layer | undefined, kind: KindName, name: string): Resource | undefined {
  if (layer?.moved) return first(stackedOver(base, layer, kind, nameKey(name)));
  const below = base.named(kind, name);
  return below && rowOf(base, layer, kind, below.id);
}

function havingOver(base: View, layer: Layer | undefined, kind: KindName, key: string): Iterable<Resource> {
  return layer ? stackedOver(base, layer, kind, key) : base.having(kind, key);
}

function* stackedOver(base: View, layer: Layer, kind: KindName, key: string): Iterable<Resource> {
  const went = layer.moved?.went.get(key);
  for (const row of base.having(kind, key)) {
    if (went?.has(row.id)) continue;
    const shown = rowOf(base, layer, kind, row.id);
    if (shown) yield shown;
  }
  for (const id of layer.moved?.came.get(key) ?? []) {
    const row = layer.rows.get(id);
    if (row) yield row;
  }
}

function countOver(base: View, layer: Layer | undefined, kind: KindName, key: string): number {
  return (
    base.countHaving(kind, key) + (layer?.moved?.came.get(key)?.size ?? 0) - (layer?.moved?.went.get(key)?.size ?? 0)
  );
}
