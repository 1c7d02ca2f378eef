// The status of the declared platform, as the API and `weir status` answer it.
import { type Suspended, suspendedIn } from '../core/model/suspension.ts';
import { singleton, type View } from '../core/model/view.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import type { Store } from '../store/store.ts';
import { conditionsOf, type Standing } from './conditions.ts';
import type { Attempted, Condition, ConfigStatus, Pending } from './config-status.ts';
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
    ...postureOf(store.read()),
    ...(attempted?.result === 'pending' ? { pending: pendingOf(attempted) } : {}),
  };
}

/** How a state has the server go about its tree. The mode of the applied state counts, so that what a tree says of it acts once it is applied. */
export function postureOf(view: View): { readonly mode: ConfigStatus['mode']; readonly suspended?: Suspended } {
  // A platform that an earlier build wrote has no mode.
  const mode = singleton(view, 'Platform').spec.reconcile.mode ?? 'auto';
  const suspended = suspendedIn(view);
  return { mode, ...(suspended ? { suspended } : {}) };
}

function pendingOf({ revision, commit, dirty, summary }: Attempted): Pending {
  return {
    revision,
    ...(commit === undefined ? {} : { commit }),
    ...(dirty === undefined ? {} : { dirty }),
    summary,
  };
}

function total({ errors, warnings }: Pick<Attempted, 'errors' | 'warnings'>): number {
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
  const standing = { ...attempts, reconciling: false, ...postureOf(store.read()) };
  return statusOf(store, inventoryOf, attempts, conditionsOf(standing, [], since));
}
