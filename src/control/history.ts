// History: a record of every attempt to reconcile, kept in the store beside what it changed.

import type { Store, StoreRecord } from '../store/store.ts';
import type { HistoryEntry } from './config-status.ts';

/** The record of an attempt. */
export function historyRecord(id: string, entry: HistoryEntry): StoreRecord {
  return { stream: 'history', id, at: entry.at, body: { ...entry } };
}

/** Keeps the record of an attempt that changed nothing. */
export async function keepHistory(store: Store, id: string, entry: HistoryEntry): Promise<void> {
  await store.commit(() => ({ changes: [], records: [historyRecord(id, entry)] }), { id });
}

/** The entry of a record of the stream `history`. */
export function historyEntry(record: StoreRecord): HistoryEntry {
  return record.body as unknown as HistoryEntry;
}

/** What history says of how things stand. */
export interface Attempts {
  /** The newest attempt that found a tree. */
  readonly attempted?: HistoryEntry;
  /** The newest that was not refused. */
  readonly applied?: HistoryEntry;
  /** Why the newest attempt of all found no tree. */
  readonly missing?: string;
}

/** The newest attempts; nothing on a store that saw none. */
export async function lastAttempts(store: Store): Promise<Attempts> {
  const [newest] = await entries(store, () => true);
  if (!newest) return {};
  const [attempted] =
    newest.missing === undefined ? [newest] : await entries(store, (entry) => entry.missing === undefined);
  const [applied] = await entries(store, ({ result }) => result !== 'refused');
  const { missing } = newest;
  return {
    ...(attempted ? { attempted } : {}),
    ...(applied ? { applied } : {}),
    ...(missing === undefined ? {} : { missing }),
  };
}

async function entries(store: Store, where: (entry: HistoryEntry) => boolean): Promise<HistoryEntry[]> {
  const records = await store.records({ stream: 'history', limit: 1, where: (record) => where(historyEntry(record)) });
  return records.map(historyEntry);
}
