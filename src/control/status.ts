// The status of the declared platform, as the API and `weir status` answer it.
import type { View } from '../core/model/view.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import type { Store } from '../store/store.ts';
import { conditionsOf, type Standing } from './conditions.ts';
import type { Condition, ConfigStatus, HistoryEntry } from './config-status.ts';
import { lastAttempts } from './history.ts';
import type { Inventory, InventoryOf } from './inventory.ts';

/** The status that follows from what was attempted, what was applied, and the conditions. */
export async function statusOf(
  store: Store,
  inventoryOf: InventoryOf,
  { attempted, applied }: Pick<Standing, 'attempted' | 'applied'>,
  conditions: readonly Condition[],
): Promise<ConfigStatus> {
  const inventory = await inventoryIn(store, inventoryOf);
  return {
    revision: { applied: applied?.revision ?? null, attempted: attempted?.revision ?? null },
    ...(applied?.commit === undefined ? {} : { commit: applied.commit }),
    ...(applied?.dirty === undefined ? {} : { dirty: applied.dirty }),
    conditions,
    findings: attempted?.findings ?? [],
    ...(attempted && total(attempted) > attempted.findings.length ? { findingsTotal: total(attempted) } : {}),
    inventory,
    lastAppliedAt: applied?.at ?? null,
    lastAttemptedAt: attempted?.at ?? null,
  };
}

function total({ errors, warnings }: HistoryEntry): number {
  return errors + warnings;
}

/** Summed once for each state of the store: whoever watches asks often, and most requests come between two changes. */
async function inventoryIn(store: Store, inventoryOf: InventoryOf): Promise<Inventory> {
  const view = store.read();
  const inventory = known.get(view) ?? (await inSlices(inventoryOf(view), createSlicer()));
  // A view is what is durable now: it stays true until the store shows another.
  if (store.read() === view) known.set(view, inventory);
  return inventory;
}

// A memo of what a view says by itself; it goes with the view.
const known = new WeakMap<View, Inventory>();

/** The status of a store that nobody serves at the moment, from its history alone. */
export async function statusOfStore(store: Store, inventoryOf: InventoryOf): Promise<ConfigStatus> {
  const attempts = await lastAttempts(store);
  const since = attempts.attempted?.at ?? '1970-01-01T00:00:00.000Z';
  return statusOf(store, inventoryOf, attempts, conditionsOf({ ...attempts, reconciling: false }, [], since));
}
