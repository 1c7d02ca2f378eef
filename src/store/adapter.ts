// The lowdb adapter: `write` appends what waits to the journal and makes it durable; snapshots are taken beside it.
import { join } from 'node:path';
import type { Adapter } from 'lowdb';
import type { Damage } from './damage.ts';
import { DiskFull, type Room, WriteFailed } from './engine-state.ts';
import { type FileSystem, wordsOf, writeFully } from './file-system.ts';
import { listFolder, unreadable } from './folder.ts';
import { LostFooting, whyLost } from './footing.ts';
import type { Format } from './format.ts';
import { frame } from './group.ts';
import { closingLine, createSegment, type Segment } from './journal.ts';
import type { Dropped } from './ledger.ts';
import type { Log } from './log.ts';
import { passed } from './passing.ts';
import {
  type RecordSegment,
  type Retention,
  removeSegments,
  syncRecordSegments,
  writeRecordSegments,
} from './record-segments.ts';
import { isFull, type Reserve } from './reserve.ts';
import { droppedWords, noted, retain } from './retain.ts';
import { writeSnapshot } from './snapshot.ts';
import { diskFullWords } from './store.ts';

/** What an adapter starts from. `grown`: bytes of journal since the last snapshot. */
export interface JournalStart {
  readonly segment: Segment;
  readonly records: readonly RecordSegment[];
  /** Segments of records that retention has dropped, and that are there still. */
  readonly retired: readonly string[];
  readonly dropped: Dropped;
  /** What is wrong with records, as far as the start tells. */
  readonly damage: readonly Damage[];
  readonly snapshotBytes: number;
  readonly grown: number;
  /** What was loaded is of an older format: it is written anew before anybody uses it. */
  readonly outdated?: boolean;
}

export interface JournalOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly format: Format;
  readonly retention: Retention;
  /** What is given back to the disk when it is full. */
  readonly reserve: Reserve;
  /** A snapshot is taken once the journal has grown by this many bytes, and by as many as the last snapshot has. */
  readonly snapshotBytes: number;
  readonly log: (message: string) => void;
  readonly now: () => string;
  /** Opens the folder and loads it. */
  readonly start: () => Promise<readonly [Log, JournalStart]>;
}

/** A lowdb adapter over a journal. */
export interface JournalAdapter extends Adapter<Log> {
  /** The record segments, oldest first. */
  recordSegments(): readonly RecordSegment[];
  /** What the start found wrong with them. */
  foundDamage(): readonly Damage[];
  /** How much the journal has grown since the last snapshot, in bytes. */
  journalBytes(): number;
  /** Whether the disk has room, as the last writes found. */
  room(): Room;
  /** Why nothing that is written would be found again, as the last look found. */
  lost(): string | undefined;
  /** Throws `LostFooting` where it would not. */
  requireFooting(): Promise<void>;
  /** Takes a last snapshot where the next start gains from it, marks the journal as closed, and lets it go. */
  close(log: Log): Promise<void>;
}

interface Journal {
  readonly options: JournalOptions;
  segment: Segment;
  records: readonly RecordSegment[];
  retired: readonly string[];
  dropped: Dropped;
  readonly damage: readonly Damage[];
  snapshotBytes: number;
  grown: number;
  snapshot: Promise<void> | undefined;
  failed: boolean;
  /** Whether the disk had no room for the last write. */
  full: boolean;
  /** Looks for room again. */
  looking: NodeJS.Timeout | undefined;
  taking: Promise<void>;
  /** Why nothing that is written would be found again. */
  lost: string | undefined;
}

/** Nothing is opened before lowdb's `read`. */
export function createJournalAdapter(options: JournalOptions): JournalAdapter {
  let opened: Journal | undefined;
  const journal = () => {
    if (!opened) throw new Error('the journal is not open');
    return opened;
  };
  return {
    read: async () => {
      const [log, { outdated, ...start }] = await options.start();
      opened = {
        options,
        ...start,
        snapshot: undefined,
        failed: false,
        full: false,
        looking: undefined,
        taking: Promise.resolve(),
        lost: undefined,
      };
      keepReserve(opened);
      if (outdated && log.position > 0) await takeSnapshot(opened, log, log.position);
      return log;
    },
    write: (log) => write(journal(), log),
    recordSegments: () => journal().records,
    foundDamage: () => journal().damage,
    journalBytes: () => journal().grown,
    room: () => roomOf(journal()),
    lost: () => journal().lost,
    requireFooting: () => requireFooting(journal()),
    close: (log) => close(journal(), log),
  };
}

async function write(journal: Journal, log: Log): Promise<void> {
  await requireFooting(journal);
  try {
    if (due(journal)) await rotate(journal, log);
  } catch (error) {
    journal.failed = true;
    throw new WriteFailed(false, error);
  }
  const { bytes, heads } = await frame(log);
  await append(journal, bytes);
  await requireFound(journal);
  journal.segment.size += bytes.length;
  journal.grown += bytes.length;
  log.heads = heads;
  log.passing = passed(log.passing, journal.options.now());
}

/** Looks whether what is written now will be found. Says so as that changes. */
async function look(journal: Journal): Promise<string | undefined> {
  const { files, folder, log } = journal.options;
  const { segment } = journal;
  const lost = await whyLost(files, folder, segment);
  // It went on in another one meanwhile, which was made at its path.
  if (segment !== journal.segment) return journal.lost;
  if (lost !== undefined && journal.lost === undefined) log(`nothing is kept for now: ${lost}`);
  if (lost === undefined && journal.lost !== undefined) log(`${folder} is back, and writes are kept again`);
  journal.lost = lost;
  return lost;
}

async function requireFooting(journal: Journal): Promise<void> {
  const lost = await look(journal);
  if (lost !== undefined) throw new LostFooting(lost);
}

/** What was written and is durable is acknowledged only where others find it: one who came meanwhile has read the store without it. */
async function requireFound(journal: Journal): Promise<void> {
  const lost = await look(journal);
  if (lost === undefined) return;
  journal.failed = true;
  throw new WriteFailed(true, new LostFooting(lost));
}

/** Where the disk is full the reserve makes room, as much as it takes: others may take what is given before it is written to. */
async function append(journal: Journal, bytes: Uint8Array): Promise<void> {
  const { options } = journal;
  let wanted = bytes.length;
  for (let isLast = false; ; ) {
    const error = await tryToAppend(journal, bytes);
    if (error === undefined) break;
    if (isLast) throw outOfRoom(journal, error);
    isLast = !(await options.reserve.give(wanted));
    wanted *= 2;
  }
  if (journal.full) options.log('the disk of the store has room again, and writes are kept again');
  journal.full = false;
}

/** Why there was no room, where there was none. Then nothing of it is left, durably: it was in nobody's hands yet that it might be kept. */
async function tryToAppend(journal: Journal, bytes: Uint8Array): Promise<unknown> {
  const { file, size } = journal.segment;
  try {
    await writeFully(file, bytes, size);
    await file.datasync();
    return undefined;
  } catch (error) {
    try {
      if (!isFull(error)) throw error;
      await file.truncate(size);
      await file.datasync();
      return error;
    } catch {
      journal.failed = true;
      throw new WriteFailed(true, error);
    }
  }
}

function outOfRoom(journal: Journal, error: unknown): DiskFull {
  if (!journal.full) journal.options.log(`nothing is kept for now (${wordsOf(error)}): ${diskFullWords}`);
  journal.full = true;
  return new DiskFull(wordsOf(error));
}

function roomOf({ full, options: { reserve } }: Journal): Room {
  if (full) return 'none';
  return reserve.isWhole() ? 'enough' : 'low';
}

/** Takes the reserve now, and what was given of it as soon as there is room again. */
function keepReserve(journal: Journal): void {
  const { reserve } = journal.options;
  const takeSome = async () => {
    // Also for who asks nothing of it: a folder that is gone is told before the next write.
    if ((await look(journal).catch(wordsOf)) !== undefined) return;
    if (await reserve.take()) journal.full = false;
  };
  const start = () => {
    journal.taking = journal.taking.then(takeSome);
  };
  start();
  journal.looking = setInterval(start, lookMs).unref();
}

const lookMs = 2000;

/** Once the journal weighs what a snapshot does, taking one costs each write about as much again: a constant. */
function due({ options, grown, snapshotBytes, snapshot }: Journal): boolean {
  return !snapshot && grown >= Math.max(options.snapshotBytes, snapshotBytes);
}

/** Begins a segment, and a snapshot of all that stands before it. Throws only when the disk can no longer be trusted. */
async function rotate(journal: Journal, log: Log): Promise<void> {
  const { files, folder, format, log: say } = journal.options;
  const before = journal.segment;
  journal.grown = 0;
  try {
    journal.segment = await createSegment(files, folder, log.position + 1, format);
  } catch (error) {
    if (await createdNothing(files, folder, log.position + 1)) {
      say(`no snapshot was taken, and writes go on: ${wordsOf(error)}`);
      return;
    }
    throw error;
  }
  await before.file.close();
  journal.snapshot = takeSnapshot(journal, log, log.position)
    .catch((error) => say(`no snapshot was taken, and writes go on: ${wordsOf(error)}`))
    .finally(() => {
      journal.snapshot = undefined;
    });
}

/** Whether a segment that could not be made left no name behind: only then may the old one be written on. */
async function createdNothing(files: FileSystem, folder: string, first: number): Promise<boolean> {
  const listing = await listFolder(files, folder);
  return listing?.journals.every(({ number }) => number !== first) ?? false;
}

async function takeSnapshot(journal: Journal, log: Log, position: number): Promise<void> {
  const { files, folder, format, retention, log: say } = journal.options;
  const { heads, passing } = log;
  await requireFooting(journal);
  await writeRecordSegments(files, folder, log, position, format, (made) => {
    const { stream, last, hash = heads[stream] } = made;
    journal.records = [...journal.records, made];
    log.tail[stream] = log.tail[stream].filter(({ seq }) => seq > last);
    log.movedHeads = { ...log.movedHeads, [stream]: last === position ? heads[stream] : hash };
  });
  if (journal.records.length > 0) await syncRecordSegments(files, folder);
  journal.records = await noted(files, folder, journal.records);
  const retained = retain(journal.records, journal.dropped, retention, passing);
  const { kept: segments, dropped, unwanted } = retained;
  await requireFooting(journal);
  journal.snapshotBytes = await writeSnapshot(files, folder, log, position, format, {
    heads,
    passing,
    dropped,
    segments,
  });
  await requireFooting(journal);
  await dropOldFiles(files, folder);
  // Whoever counts or reads from now on does without them. The snapshot before lists them, so that they stay until that is gone.
  journal.records = segments;
  journal.dropped = dropped;
  const retired = journal.retired;
  journal.retired = unwanted.map(({ name }) => name);
  for (const words of droppedWords(unwanted, retention)) say(`${folder}: ${words}`);
  await removeSegments(files, folder, retired);
}

/** Keeps the last two snapshots, and the journal from the older of them. */
async function dropOldFiles(files: FileSystem, folder: string): Promise<void> {
  const listing = await listFolder(files, folder);
  const oldest = listing?.snapshots.at(-2)?.number;
  if (!listing || oldest === undefined) return;
  const old = [
    ...listing.snapshots.filter(({ number }) => number < oldest),
    ...listing.journals.filter(({ number }) => number <= oldest),
  ];
  for (const { name } of old) await files.unlink(join(folder, name));
}

async function close(journal: Journal, log: Log): Promise<void> {
  const { segment, options } = journal;
  clearInterval(journal.looking);
  await journal.taking;
  await journal.snapshot;
  try {
    if (!journal.failed && (await look(journal)) === undefined) await leave(journal, log);
  } catch (error) {
    options.log(
      `the store was closed, but its journal could not be marked so: ${unreadable(segment.path, error).message}`,
    );
  }
  await journal.segment.file.close().catch(() => {});
}

async function leave(journal: Journal, log: Log): Promise<void> {
  const worthwhile = Math.max(journal.options.snapshotBytes, journal.snapshotBytes) / 8;
  if (journal.grown > worthwhile) {
    await rotate(journal, log);
    await journal.snapshot;
  }
  const { file, size } = journal.segment;
  await writeFully(file, Buffer.from(closingLine(log.position + 1)), size);
  await file.datasync();
}
