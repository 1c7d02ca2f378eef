// Takes a snapshot of an instance at each deploy, for teams that have the feature (specification 2.3).
import type { Resource } from '../core/model/resource.ts';
import { createSnapshot } from '../core/proposals/create-snapshot.ts';
import { Declined } from '../core/proposals/declined.ts';
import { effectiveIn } from '../core/rules/facts.ts';
import { DriverFailed } from '../drivers/driver.ts';
import { createBackOff, type Pauses } from './back-off.ts';
import { keepBytes, packNow } from './contents.ts';
import { note, type Plant } from './instance-keeping.ts';
import { submit } from './submit.ts';

export interface AutoSnapshotsOptions extends Plant {
  readonly pauses?: Pauses;
  /** How long after a hint an instance is looked at: a deploy writes several files. In milliseconds. */
  readonly settleMs?: number;
}

/** What takes snapshots by itself. */
export interface AutoSnapshots {
  /** Resolves when nothing is under way or waits for its turn. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** How many instances are looked at at a time. */
const mostAtOnce = 4;
const usualSettleMs = 250;

/**
 * Begins to listen to the drivers: before instances are found again, so that what was deployed meanwhile is seen. What they tell is a hint; that
 * something was deployed is told by the digest of the flows, which a restore notes too.
 */
export function startAutoSnapshots(options: AutoSnapshotsOptions): AutoSnapshots {
  const keeping: Keeping = {
    options,
    waiting: new Set(),
    active: new Map(),
    timers: new Map(),
    backOff: createBackOff((id) => enqueue(keeping, id), options.pauses),
    over: false,
  };
  const ends: (() => void)[] = [];
  options.door.store.lead('auto-snapshots', () => {
    if (keeping.over) return;
    for (const { keeper } of options.drivers.values())
      if (keeper) ends.push(keeper.onChange((id) => later(keeping, id)));
  });
  return {
    settled: async () => {
      while (keeping.active.size > 0 || keeping.waiting.size > 0 || keeping.timers.size > 0)
        await Promise.all([...keeping.active.values(), new Promise((resolve) => setTimeout(resolve, 5))]);
    },
    close: async () => {
      keeping.over = true;
      for (const end of ends) end();
      for (const timer of keeping.timers.values()) clearTimeout(timer);
      keeping.timers.clear();
      keeping.waiting.clear();
      keeping.backOff.close();
      await Promise.all(keeping.active.values());
    },
  };
}

interface Keeping {
  readonly options: AutoSnapshotsOptions;
  readonly waiting: Set<string>;
  readonly active: Map<string, Promise<void>>;
  /** Those that were hinted at, until their files have settled. */
  readonly timers: Map<string, NodeJS.Timeout>;
  readonly backOff: ReturnType<typeof createBackOff>;
  over: boolean;
}

function later(keeping: Keeping, id: string): void {
  clearTimeout(keeping.timers.get(id));
  const timer = setTimeout(() => {
    keeping.timers.delete(id);
    enqueue(keeping, id);
  }, keeping.options.settleMs ?? usualSettleMs);
  keeping.timers.set(id, timer);
}

function enqueue(keeping: Keeping, id: string): void {
  if (keeping.over) return;
  keeping.waiting.add(id);
  pump(keeping);
}

function pump(keeping: Keeping): void {
  for (const id of keeping.waiting) {
    if (keeping.active.size >= mostAtOnce) return;
    if (keeping.active.has(id)) continue;
    keeping.waiting.delete(id);
    const done = lookAt(keeping, id)
      .catch((error: unknown) => failed(keeping, id, error))
      .finally(() => {
        keeping.active.delete(id);
        pump(keeping);
      });
    keeping.active.set(id, done);
  }
}

/** Looks at one instance, and takes a snapshot where its flows are others than were last seen. */
async function lookAt({ options, backOff }: Keeping, id: string): Promise<void> {
  const { door, clock, newId, drivers } = options;
  const { store } = door;
  const instance = store.read().get('Instance', id);
  if (!instance || instance.spec.state === 'deleting' || !isWanted(options, instance)) return backOff.forget(id);
  // Where nothing comes of the restore, what was deployed before it is still there.
  if (instance.spec.restore) return backOff.failed(id, 0, clock());
  const packed = await packNow({ store, drivers }, instance);
  const flowsDigest = packed.deploy;
  const isNew = instance.spec.flowsDigest === undefined && packed.isEmpty;
  if (!isNew && flowsDigest !== instance.spec.flowsDigest) {
    const held = await keepBytes({ store }, packed.bytes);
    try {
      const at = clock();
      const wanted = {
        of: instance,
        kind: 'auto',
        name: nameAt(at),
        modules: packed.modules,
        content: held.name,
      } as const;
      const actor = { kind: 'job', name: 'auto-snapshot' } as const;
      await submit(door, createSnapshot({ ...wanted, flowsDigest }), { now: at, newId, actor, origin: 'api' });
    } finally {
      held.release();
    }
  }
  backOff.forget(id);
  await note(options, id, { type: 'SnapshotFailed' });
}

function isWanted({ door }: Plant, { spec }: Resource<'Instance'>): boolean {
  const view = door.store.read();
  const team = view.get('Team', spec.team);
  const type = team && view.get('TeamType', team.spec.type);
  return type !== undefined && effectiveIn(view, door.facts(), type.spec.features, 'instanceAutoSnapshot').effective;
}

function nameAt(at: string): string {
  return `Deploy of ${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A deploy of which there is no snapshot is something to know; it is tried again, later each time. */
async function failed({ options, backOff, over }: Keeping, id: string, error: unknown): Promise<void> {
  if (over) return;
  backOff.failed(id, 0, options.clock());
  // It is being restored or deleted since it was looked at: that is told elsewhere, and is nothing that failed.
  if (error instanceof Declined) return;
  const known = error instanceof DriverFailed ? error : undefined;
  const words = error instanceof Error ? error.message : String(error);
  if (!known) options.log('error', `no snapshot can be taken of the instance ${id}: ${words}`);
  const reason = known?.reason ?? 'StoreFailed';
  const message = `no snapshot was taken of its last deploy, because ${known?.message ?? 'it cannot be kept; the log of Weir says why'}`;
  await note(options, id, { type: 'SnapshotFailed', why: { reason, message } }).catch(() => {});
}
