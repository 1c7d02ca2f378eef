// History: a record of every attempt to reconcile, kept in the store beside what it changed.

import type { Store, StoreRecord } from '../store/store.ts';
import type { HistoryEntry } from './config-status.ts';

/** The record of an attempt. */
export function historyRecord(id: string, entry: HistoryEntry): StoreRecord {
  return { stream: 'history', id, at: entry.at, body: { ...entry } };
}

/** The entry of a record of the stream `history`. */
export function historyEntry(record: StoreRecord): HistoryEntry {
  return record.body as unknown as HistoryEntry;
}

/** The newest attempt, and the newest that was not refused; nothing on a store that saw none. */
export async function lastAttempts(store: Store): Promise<{ attempted?: HistoryEntry; applied?: HistoryEntry }> {
  const [attempted] = await store.records({ stream: 'history', limit: 1 });
  if (!attempted) return {};
  const [applied] = await store.records({
    stream: 'history',
    limit: 1,
    where: (record) => historyEntry(record).result !== 'refused',
  });
  return { attempted: historyEntry(attempted), ...(applied ? { applied: historyEntry(applied) } : {}) };
}
