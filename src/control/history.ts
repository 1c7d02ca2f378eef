// History: a record of every attempt to reconcile, kept in the store beside what it changed.
import { type Change, created, updated } from '../core/model/change.ts';
import { sameValue } from '../core/model/leaves.ts';
import type { View } from '../core/model/view.ts';
import type { Store, StoreRecord } from '../store/store.ts';
import { type HistoryEntry, isServer } from './config-status.ts';

/** The record of an attempt. */
export function historyRecord(id: string, entry: HistoryEntry): StoreRecord {
  return { stream: 'history', id, at: entry.at, body: { ...entry } };
}

/** Keeps the record of an attempt that changed nothing; not where it says once more what the newest says. */
export async function keepHistory(store: Store, id: string, entry: HistoryEntry): Promise<void> {
  if (await isRepeated(store, entry)) return;
  const record = historyRecord(id, entry);
  await store.commit((view) => ({ changes: notedIn(view, record), records: [record] }), { id });
}

/** Who asks has their own entry; that the server itself meets the same again is nothing new. */
async function isRepeated(store: Store, entry: HistoryEntry): Promise<boolean> {
  if (entry.trigger === 'api' || entry.trigger === 'command') return false;
  const [newest] = await entries(store, () => true);
  return newest !== undefined && sameValue(outcomeOf(newest), outcomeOf(entry));
}

/** What an attempt came to, whenever and however long. */
function outcomeOf({ at: _, durationMs: __, trigger, ...outcome }: HistoryEntry) {
  return { ...outcome, isServer: trigger !== 'api' && trigger !== 'command' };
}

/**
 * The changes that note an attempt as the newest of its sorts, for the commit that keeps its record: history forgets what is old, and what is served must
 * be known however much was refused since.
 */
export function notedIn(view: View, record: StoreRecord): Change[] {
  const entry = historyEntry(record);
  return sortsOf(entry).map((sort) => noted(view, sort, entry));
}

/** Notes what a history tells that an earlier version of Weir wrote, which kept nothing else. */
export async function noteHistory(store: Store, newId: () => string): Promise<void> {
  if (store.read().count('NewestAttempt') > 0) return;
  const { attempted, applied, served } = await lastAttempts(store);
  if (!attempted) return;
  const found = [['attempted', attempted] as const, ['applied', applied] as const, ['served', served] as const];
  await store.commit(
    (view) => ({ changes: found.flatMap(([sort, entry]) => (entry ? [noted(view, sort, entry)] : [])) }),
    { id: newId() },
  );
}

type Sort = 'attempted' | 'applied' | 'served';

function sortsOf(entry: HistoryEntry): readonly Sort[] {
  if (entry.missing !== undefined) return [];
  if (entry.result === 'refused') return ['attempted'];
  return isServer(entry) ? ['attempted', 'applied', 'served'] : ['attempted', 'applied'];
}

function noted(view: View, sort: Sort, entry: HistoryEntry): Change {
  const before = view.get('NewestAttempt', sort);
  const spec = { entry: JSON.stringify(entry) };
  const { at } = entry;
  if (before) return updated(before, { ...before, spec, generation: before.generation + 1, updatedAt: at });
  return created({ kind: 'NewestAttempt', id: sort, name: sort, spec, generation: 1, createdAt: at, updatedAt: at });
}

/** The entry of a record of the stream `history`. */
export function historyEntry(record: StoreRecord): HistoryEntry {
  return record.body as unknown as HistoryEntry;
}

/** The newest attempts of each sort. */
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
  const view = store.read();
  const [newest] = await entries(store, () => true);
  const known = view.count('NewestAttempt') > 0 ? attemptsIn(view) : await attemptsInHistory(store);
  return { ...known, ...(newest?.missing === undefined ? {} : { missing: newest.missing }) };
}

function attemptsIn(view: View): Attempts {
  const entryOf = (sort: Sort): HistoryEntry | undefined => {
    const noted = view.get('NewestAttempt', sort);
    return noted && JSON.parse(noted.spec.entry);
  };
  return present({ attempted: entryOf('attempted'), applied: entryOf('applied'), served: entryOf('served') });
}

/** What is not noted yet: an earlier version of Weir looked for it each time. */
async function attemptsInHistory(store: Store): Promise<Attempts> {
  const [attempted] = await entries(store, ({ missing }) => missing === undefined);
  const [applied] = await entries(store, ({ result }) => result !== 'refused');
  const [served] = await entries(store, (entry) => entry.result !== 'refused' && isServer(entry));
  return present({ attempted, applied, served });
}

function present(found: Readonly<Record<Sort, HistoryEntry | undefined>>): Attempts {
  return Object.fromEntries(Object.entries(found).filter(([, entry]) => entry !== undefined));
}

async function entries(store: Store, where: (entry: HistoryEntry) => boolean): Promise<HistoryEntry[]> {
  const records = await store.records({ stream: 'history', limit: 1, where: (record) => where(historyEntry(record)) });
  return records.map(historyEntry);
}
