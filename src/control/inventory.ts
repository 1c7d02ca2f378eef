// The inventory: what documents declare in a state, as a count and a digest that does not depend on order.
import { createHash } from 'node:crypto';
import { declaredKindNames } from '../core/kinds/index.ts';
import { leavesOf } from '../core/model/leaves.ts';
import type { DeclaredResource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { withSortedKeys } from '../lib/sorted-keys.ts';

export interface Inventory {
  readonly count: number;
  /** Hexadecimal; equal for equal declarations, whatever the order in which they were made. */
  readonly digest: string;
}

/** Answers the inventory of a view, in steps. Resources that were seen before cost a look-up. */
export type InventoryOf = (view: View) => Generator<void, Inventory, void>;

/** Makes an `InventoryOf` with a memory of its own. */
export function createInventory(): InventoryOf {
  const known = new WeakMap<DeclaredResource, Buffer>();
  const digestOf = (resource: DeclaredResource): Buffer => {
    const digest = known.get(resource) ?? hash(resource);
    known.set(resource, digest);
    return digest;
  };
  return function* inventoryOf(view) {
    const sum = Buffer.alloc(32);
    let count = 0;
    let seen = 0;
    for (const kind of declaredKindNames)
      for (const resource of view.all(kind)) {
        if (++seen % 64 === 0) yield;
        if (resource.managedBy !== 'config') continue;
        count++;
        mix(sum, digestOf(resource));
      }
    return { count, digest: sum.toString('hex') };
  };
}

/** By leaves, so that neither the order of keys and sets nor a written default makes a difference. */
function hash({ kind, name, labels, lifecycle, spec }: DeclaredResource): Buffer {
  const { protect, onRemove, ignore } = lifecycle;
  const leaves = [...leavesOf(kind, spec).values()].map(({ path, value, set }) => [
    path,
    set ? sortedItems(value) : value,
  ]);
  const content = [kind, name, byKey(Object.entries(labels)), protect, onRemove, sortedItems(ignore), byKey(leaves)];
  return createHash('sha256').update(JSON.stringify(content, withSortedKeys)).digest();
}

function byKey(entries: readonly (readonly unknown[])[]): readonly unknown[] {
  return entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

function sortedItems(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}

/** Exclusive or: the order of the parts does not matter. */
function mix(sum: Buffer, digest: Buffer): void {
  for (let at = 0; at < 32; at += 4) sum.writeUInt32LE((sum.readUInt32LE(at) ^ digest.readUInt32LE(at)) >>> 0, at);
}
