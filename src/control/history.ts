// History: a record of every attempt to reconcile, kept in the store beside what it changed.

import { withSortedKeys } from '../lib/sorted-keys.ts';
import type { Store, StoreRecord } from '../store/store.ts';
import { type Attempted, type HistoryEntry, isServer } from './config-status.ts';
import { type Reconciled, reconciledIn, takeOver } from './reconciled.ts';

/** The record of an attempt. */
export function historyRecord(id: string, entry: HistoryEntry): StoreRecord {
  return { stream: 'history', id, at: entry.at, body: { ...entry } };
}

/** Keeps the record of an attempt that changed nothing; none of one that only repeats what its own sort found before, with nothing applied since. */
export async function keepHistory(store: Store, id: string, entry: HistoryEntry): Promise<void> {
  const newest = (await store.records({ stream: 'history', limit: lookBack })).map(historyEntry);
  const before = newest.find((one) => one.result !== 'refused' || sortOf(one) === sortOf(entry));
  if (before && repeats(before, entry)) return;
  await store.commit(() => ({ changes: [], records: [historyRecord(id, entry)] }), { id });
}

/** So many of the newest attempts are looked at for one that is repeated. */
const lookBack = 20;

/** Whether an attempt came to what one before it came to, for somebody of the same sort: the server by itself, or the same caller. */
export function repeats(before: Attempted, entry: HistoryEntry): boolean {
  return outcomeOf(before) === outcomeOf(entry);
}

function outcomeOf(entry: Attempted): string {
  const { at: _, durationMs: __, trigger: ___, ...outcome } = entry;
  return JSON.stringify({ ...outcome, by: sortOf(entry) }, withSortedKeys);
}

/** Who made an attempt: somebody who asked, or the server, whatever made it look. */
function sortOf({ trigger }: Pick<Attempted, 'trigger'>): string {
  return trigger === 'api' || trigger === 'command' ? trigger : 'server';
}

/** The entry of a record of the stream `history`. */
export function historyEntry(record: StoreRecord): HistoryEntry {
  return record.body as unknown as HistoryEntry;
}

/** What is known of how things stand. */
export interface Attempts {
  /** The newest attempt that found a tree. */
  readonly attempted?: HistoryEntry;
  /** The newest that was not refused. */
  readonly applied?: HistoryEntry;
  /** The newest of a server that was not refused. */
  readonly served?: HistoryEntry;
  /** Why the newest attempt of all found no tree. */
  readonly missing?: string;
}

/** The newest attempts; nothing on a store that saw none. */
export async function lastAttempts(store: Store): Promise<Attempts> {
  const { applied, served } = reconciledIn(store.read()) ?? (await reconciledBefore(store)) ?? {};
  const [newest] = await entries(store, () => true);
  const isTree = (entry: HistoryEntry) => entry.missing === undefined;
  const [found] = !newest || isTree(newest) ? [newest] : await entries(store, isTree);
  // What was applied stays known longer than what was attempted.
  const attempted = found ?? applied;
  const missing = newest?.missing;
  return {
    ...(attempted ? { attempted } : {}),
    ...(applied ? { applied } : {}),
    ...(served ? { served } : {}),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Takes what was reconciled last into the state, where an older version of Weir left it to history. Changes nothing that anybody sees. */
export async function rememberReconciled(store: Store, id: string): Promise<void> {
  if (reconciledIn(store.read())) return;
  const found = await reconciledBefore(store);
  if (found) await store.commit((view) => ({ changes: takeOver(view, found) }), { id });
}

/** What history says was reconciled last. */
async function reconciledBefore(store: Store): Promise<Reconciled | undefined> {
  const [applied] = await entries(store, ({ result }) => result !== 'refused');
  if (!applied || isServer(applied)) return applied && { applied, served: applied };
  const [served] = await entries(store, (entry) => entry.result !== 'refused' && isServer(entry));
  return { applied, served };
}

async function entries(store: Store, where: (entry: HistoryEntry) => boolean): Promise<HistoryEntry[]> {
  const records = await store.records({ stream: 'history', limit: 1, where: (record) => where(historyEntry(record)) });
  return records.map(historyEntry);
}
