// Loading: the newest snapshot, and the journal from there on.
import { join } from 'node:path';
import { type KindName, kindNames } from '../core/kinds/index.ts';
import { type Change, created } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import { noHeads, streams } from './chain.ts';
import type { Damage } from './damage.ts';
import { codeOf, type FileSystem, type OpenFile } from './file-system.ts';
import { type FolderListing, journalName, type Numbered, snapshotName, unreadable } from './folder.ts';
import { type Format, newer, sealingKey } from './format.ts';
import { damaged, type Op, readSegment, type SegmentEnd, type Transacted, type Written } from './journal.ts';
import { type Dropped, type Ledger, nothingDropped, takeInventory } from './ledger.ts';
import { emptyLog, type Log } from './log.ts';
import { passed } from './passing.ts';
import { movedUpTo, type RecordSegment } from './record-segments.ts';
import { readSnapshot } from './snapshot.ts';
import { StoreUnavailable } from './store.ts';
import { createTrail, type TrailMaker } from './trail.ts';

/** What a folder holds. */
export interface Loaded {
  readonly log: Log;
  /** The number of the last segment, and where it ends. */
  readonly segment: number;
  readonly end: SegmentEnd;
  /** Bytes of the snapshot and of the journal that were read. */
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** The oldest version of the format that any of these files has. */
  readonly version: number;
  /** The segments of records that belong to it, those that retention has dropped, and what is wrong with any. */
  readonly records: readonly RecordSegment[];
  readonly retired: readonly string[];
  readonly dropped: Dropped;
  readonly gone: Dropped;
  readonly damage: readonly Damage[];
  /** The keys that its files are encrypted with, by their ids. */
  readonly keys: readonly string[];
  /** Whether something of it is encrypted otherwise than what is written now. */
  readonly isSealedOtherwise: boolean;
  /** A newer snapshot that is damaged; the journal made up for it. */
  readonly lost?: { readonly name: string; readonly error: StoreUnavailable };
}

/** Loads a store; reads only. Throws `StoreUnavailable`, naming file and byte, rather than to leave anything out. */
export async function load(
  files: FileSystem,
  folder: string,
  listing: FolderListing,
  records: readonly RecordSegment[],
  format: Format,
): Promise<Loaded> {
  const from = (position: number) => loadFrom({ files, folder, listing, format }, records, position);
  const newest = listing.snapshots.at(-1)?.number ?? 0;
  try {
    return await from(newest);
  } catch (error) {
    const name = snapshotName(newest);
    // A damaged snapshot is no loss while the one before it, and the whole journal from there, are good.
    const before = listing.snapshots.at(-2)?.number ?? 0;
    const mended = error instanceof StoreUnavailable && error.reason === 'damaged' && error.message.includes(name);
    if (!mended || newest === 0 || !listing.journals.some(({ number }) => number === before + 1)) throw error;
    return { ...(await from(before)), lost: { name, error } };
  }
}

interface Source {
  readonly files: FileSystem;
  readonly folder: string;
  readonly listing: FolderListing;
  readonly format: Format;
}

async function loadFrom(source: Source, records: readonly RecordSegment[], position: number): Promise<Loaded> {
  const { files, folder, listing, format } = source;
  const log = emptyLog();
  const snapshot =
    position === 0
      ? { size: 0, version: format.version, key: undefined, ledger: undefined }
      : await loadSnapshot(source, position, log);
  const { ledger } = snapshot;
  log.position = position;
  log.passing = ledger?.passing;
  const trail = createTrail(records, ledger);
  const journals = listing.journals.filter(({ number }) => number > position);
  let journalBytes = 0;
  let version = snapshot.version;
  const keys = new Set(position === 0 ? [] : [snapshot.key]);
  let end: SegmentEnd | undefined;
  for (const [index, segment] of journals.entries()) {
    const path = join(folder, segment.name);
    checkFollows(folder, segment, log.position + 1);
    const until = journals[index + 1]?.number;
    end = await reading(files, path, (file) =>
      readSegment(file, path, { first: segment.number, until, format }, (transaction, written) => {
        replay(log, transaction, written, { path, format });
        trail.follow(transaction, written, path);
      }),
    );
    journalBytes += end.end;
    version = Math.min(version, end.version);
    keys.add(end.key);
  }
  const segment = journals.at(-1)?.number;
  if (segment === undefined || !end) throw missing(folder, position + 1);
  if (end.continues) throw missing(folder, end.next);
  const isSealedOtherwise = [...keys].some((key) => key !== sealingKey(format)?.id);
  const known = { version, keys: [...keys].filter((key) => key !== undefined), isSealedOtherwise };
  const inventory = takeInventory(folder, records, {
    ledger,
    base: position,
    position: log.position,
    trail: trail.trail,
  });
  takeChain(log, inventory.segments, trail, ledger);
  const { segments, retired, damage } = inventory;
  const { dropped = nothingDropped, gone = nothingDropped } = ledger ?? {};
  const standing = { records: segments, retired, dropped, gone };
  const found = { ...standing, damage: [...damage, ...trail.damage] };
  return { log, ...found, segment, end, snapshotBytes: snapshot.size, journalBytes, ...known };
}

function checkFollows(folder: string, segment: Numbered, next: number): void {
  if (segment.number !== next) throw missing(folder, next);
}

function missing(folder: string, first: number): StoreUnavailable {
  return damaged(join(folder, journalName(first)), 0, 'the file is missing');
}

function loadSnapshot({ files, folder, format }: Source, position: number, log: Log) {
  const path = join(folder, snapshotName(position));
  return reading(files, path, (file) =>
    readSnapshot(
      file,
      path,
      (row) => log.state.apply([putting(row, path)]),
      (ids) => {
        for (const { id, seq } of ids) log.recent.add(id, { seq, changes: [] });
      },
      format,
    ),
  );
}

/** What has left the journal for segments is not of its tail any more. */
function takeChain(
  log: Log,
  segments: readonly RecordSegment[],
  { trail, heads }: TrailMaker,
  ledger: Ledger | undefined,
) {
  log.heads = heads();
  const movedHeads = { ...(ledger?.heads ?? noHeads) };
  for (const stream of streams) {
    const moved = movedUpTo(segments, stream);
    log.tail[stream] = log.tail[stream].filter(({ seq }) => seq > moved);
    movedHeads[stream] = trail[stream].findLast(({ seq }) => seq <= moved)?.hash ?? movedHeads[stream];
  }
  log.movedHeads = movedHeads;
  // Before there was a chain nothing was noted of the time; a segment whose first line cannot be read tells none.
  const times = segments.filter(({ oldest }) => oldest !== '').map(({ newest }) => newest);
  log.passing ??= passed(undefined, times.sort().at(-1) ?? '');
}

function replay(
  log: Log,
  { seq, id, at, ops, records = [] }: Transacted,
  written: Written,
  { path, format }: { readonly path: string; readonly format: Format },
): void {
  const changes = ops.map((op) => changeOf(log, op, path));
  log.state.apply(changes);
  log.recent.add(id, { seq, changes });
  for (const [index, record] of records.entries()) {
    const former = written.version === format.version ? undefined : written.records[index];
    log.tail[record.stream].push({
      seq,
      record,
      ...(former && { written: { version: written.version, record: former } }),
    });
  }
  log.passing = passed(log.passing, at);
  log.position = seq;
}

function changeOf(log: Log, op: Op, path: string): Change {
  if ('put' in op) return { ...putting(op.put, path), before: log.state.get(op.put.kind, op.put.id) };
  const [kind, id] = op.del;
  return { kind: known(kind, path), id, before: log.state.get(kind, id), after: undefined };
}

function putting(row: Resource, path: string): Change {
  known(row.kind, path);
  return created(row);
}

function known(kind: KindName, path: string): KindName {
  if (kindNames.includes(kind)) return kind;
  throw newer(`${path} holds a ${kind}, a kind that this version of Weir does not know`);
}

async function reading<T>(files: FileSystem, path: string, read: (file: OpenFile) => Promise<T>): Promise<T> {
  try {
    const file = await files.open(path, 'read');
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof StoreUnavailable || codeOf(error) === undefined) throw error;
    throw unreadable(path, error);
  }
}
