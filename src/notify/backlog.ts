// What a receiver has still to be told: the attempts in the history that are newer than the last that it was.
import type { Store, StoreRecord } from '../store/store.ts';

/** An attempt, and the one before it. */
export interface Untold {
  readonly record: StoreRecord;
  readonly before: StoreRecord | undefined;
}

/** Oldest first. `dropped`: there were more, and they are left out. */
export interface Backlog {
  readonly untold: readonly Untold[];
  readonly dropped: boolean;
}

/** Mostly there is one: what lies further back, perhaps on the disk, is read where that does not do. */
const firstLook = 4;

/** The newest `most` attempts since the one with the id `told`; nothing where history does not know that one. */
export async function backlogOf(
  store: Pick<Store, 'records'>,
  told: string | null,
  most: number,
): Promise<Backlog | undefined> {
  const few = await store.records({ stream: 'history', limit: Math.min(firstLook, most + 1) });
  const isEnough = few.length < firstLook || few.some(({ id }) => id === told);
  const newest = isEnough ? few : await store.records({ stream: 'history', limit: most + 1 });
  const known = newest.findIndex(({ id }) => id === told);
  const more = newest.length > most;
  if (known < 0 && told !== null && !more) return undefined;
  const count = known >= 0 ? known : Math.min(newest.length, most);
  const untold = newest.slice(0, count).map((record, nth) => ({ record, before: newest[nth + 1] }));
  return { untold: untold.reverse(), dropped: known < 0 && more };
}

/** Where a new receiver begins: it is told of the newest attempt, the one that declared it. */
export async function beginning(store: Pick<Store, 'records'>): Promise<string | null> {
  const [, before] = await store.records({ stream: 'history', limit: 2 });
  return before?.id ?? null;
}
