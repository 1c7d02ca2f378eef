// The file engine: a folder with a journal and snapshots, on lowdb.
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Low } from 'lowdb';
import { createJournalAdapter } from './adapter.ts';
import { fileShelf, shelfOnFooting } from './blob-files.ts';
import { createEngine } from './engine.ts';
import { diskFileSystem, type FileSystem, type OpenFile } from './file-system.ts';
import { hasStore, journalName, listStore, makeStoreFolder, noStore, removeUnfinished, unreadable } from './folder.ts';
import { type Format, presentFormat, sealingKey } from './format.ts';
import {
  checkUnsealed,
  createSegment,
  repairSegment,
  replaceSegment,
  type Segment,
  type SegmentEnd,
} from './journal.ts';
import type { JournalStart } from './journal-state.ts';
import { findKeys, type KeySource, makeKey } from './key-file.ts';
import { nothingDropped } from './ledger.ts';
import { type Loaded, load } from './load.ts';
import { type Lock, lockFolder } from './lock.ts';
import { emptyLog, type Log } from './log.ts';
import { toldOfOnlookers } from './onlookers.ts';
import { createRecordIndex, noIndex } from './record-index/index.ts';
import { defaultRetention, listRecordSegments, type Retention } from './record-segments.ts';
import { watchRecords } from './record-watch.ts';
import { createRecordReader } from './records.ts';
import { createReserve, isFull } from './reserve.ts';
import { type Keyring, sealRow } from './seal.ts';
import { type SegmentLines, segmentLines } from './segment-lines.ts';
import { type Store, StoreUnavailable } from './store.ts';

/** How a folder is opened. */
export interface OpenOptions {
  /** Makes the store where there is none; otherwise that is `StoreUnavailable`, `missing`. */
  readonly create: boolean;
  /** Takes no lock and writes nothing: the last state on the disk, also while another process writes. */
  readonly readOnly?: boolean;
  readonly retention?: Retention;
  /** The least that the journal grows by between two snapshots, in bytes (8 MiB). */
  readonly snapshotBytes?: number;
  /** How much of the disk is taken while there is some, for commits on a full one, in bytes (none). */
  readonly reserveBytes?: number;
  /** Told what an operator has to know and nobody asked for, one line each (default: to stderr). */
  readonly log?: (message: string) => void;
  /** For tests: the disk below, and who may open it. */
  readonly files?: FileSystem;
  readonly lock?: Lock;
  readonly format?: Format;
  /** For tests: the clock, RFC 3339 UTC. */
  readonly now?: () => string;
  /** Where the key is that secrets are encrypted with; in the folder unless this says otherwise, where it is made for a store that has none. */
  readonly keys?: KeySource;
  /** Told where a key was made, and its id. */
  readonly onKeyMade?: (path: string, id: string) => void;
  /** Told the key that secrets are encrypted with from now on, where it was another (default: a line of the log). */
  readonly onKeyChanged?: (id: string) => void;
}

/** Opens a folder. Throws `StoreUnavailable` with what is wrong and what to do. */
export async function openStore(folder: string, options: OpenOptions): Promise<Store> {
  const log = options.log ?? ((message: string) => void process.stderr.write(`${message}\n`));
  const own = resolve(folder);
  const given: Setting = {
    folder: own,
    create: options.create,
    files: options.files ?? diskFileSystem,
    format: options.format ?? presentFormat,
    log,
    onKeyChanged:
      options.onKeyChanged ??
      ((id) =>
        log(
          `${own}: secrets are encrypted with the key ${id} from now on; older files go with the next two snapshots`,
        )),
  };
  if (options.readOnly) return openForReading(given, options);
  const found = await listStore(given.files, given.folder);
  if (!hasStore(found)) {
    if (!given.create) throw noStore(given.folder);
    await makeStoreFolder(given.files, given.folder, found);
  }
  const unlock = await (options.lock ?? lockFolder)(given.folder, log);
  try {
    const setting = await withOwnKey(await withKeys(given, options), options);
    return await openForWriting(setting, options, unlock);
  } catch (error) {
    await unlock();
    throw error instanceof StoreUnavailable ? error : unreadable(given.folder, error);
  }
}

interface Setting {
  readonly folder: string;
  readonly create: boolean;
  readonly files: FileSystem;
  readonly format: Format;
  readonly log: (message: string) => void;
  readonly onKeyChanged: (id: string) => void;
}

async function withKeys(setting: Setting, { keys = {} }: OpenOptions): Promise<Setting> {
  const { files, folder, format, log } = setting;
  if (format.keyring) return setting;
  return { ...setting, format: { ...format, keyring: await findKeys(files, folder, keys, log) } };
}

/** Makes the key of a store that has none, and never another one for what is encrypted already. */
async function withOwnKey(setting: Setting, { onKeyMade }: OpenOptions): Promise<Setting> {
  const { files, folder, format } = setting;
  if (!format.keyring || format.keyring.keys.length > 0) return setting;
  const found = await listStore(setting.files, setting.folder);
  if (!hasStore(found) && !setting.create) throw noStore(folder);
  if (found) await checkUnsealed(files, folder, found, format.keyring);
  const keyring = await makeKey(files, folder);
  for (const { id } of keyring.keys) onKeyMade?.(keyring.looked, id);
  return { ...setting, format: { ...format, keyring } };
}

async function openForWriting(setting: Setting, options: OpenOptions, unlock: () => Promise<void>): Promise<Store> {
  const { folder, files, format, log } = setting;
  const { now = () => new Date().toISOString() } = options;
  const key = sealingKey(format);
  let lines: SegmentLines | undefined;
  const adapter = createJournalAdapter({
    files,
    folder,
    format,
    log,
    now,
    retention: options.retention ?? defaultRetention,
    reserve: createReserve(files, folder, options.reserveBytes ?? 0),
    snapshotBytes: options.snapshotBytes ?? 8 << 20,
    start: () => start(setting),
    onRecordSegments: (segments) => {
      index.follow(segments);
      void lines?.keepOnly(segments);
    },
  });
  const mayWrite = async () => {
    await adapter.requireFooting();
    return adapter.room() === 'enough';
  };
  const index = createRecordIndex({ files, folder, format, log, mayWrite });
  const low = new Low<Log>(adapter, emptyLog());
  await low.read();
  const watch = watchRecords(files, folder, log, adapter.foundDamage());
  const read = segmentLines(files, folder, log, format, watch);
  lines = read;
  const reader = createRecordReader(read, watch, index);
  index.follow(adapter.recordSegments());
  return createEngine(low, {
    records: (data, query) => reader.page(data, adapter.recordSegments(), query),
    countRecords: (data, filter) => reader.count(data, adapter.recordSegments(), filter),
    shelf: shelfOnFooting(fileShelf(files, folder), () => adapter.requireFooting()),
    seal: (row) => sealRow(row, key),
    journalBytes: () => adapter.journalBytes(),
    room: () => adapter.room(),
    lost: () => adapter.lost(),
    damage: () => watch.damage(),
    close: async () => {
      await watch.close();
      await index.close();
      await read.keepOnly([]);
      await adapter.close(low.data);
      await unlock();
    },
    log,
    now,
  });
}

/** Loads the folder, mends what a crash left, and makes sure that all of it is on the disk before anybody sees it. */
async function start(setting: Setting): Promise<readonly [Log, JournalStart]> {
  const { folder, files, format, log } = setting;
  const found = await listStore(setting.files, setting.folder);
  if (!hasStore(found)) {
    if (!setting.create) throw noStore(folder);
    if (found) await removeUnfinished(files, folder, found);
    const segment = await createSegment(files, folder, 1, format);
    return [
      emptyLog(),
      { segment, records: [], retired: [], damage: [], dropped: nothingDropped, snapshotBytes: 0, grown: 0 },
    ];
  }
  await removeUnfinished(files, folder, found);
  const onlookers = await toldOfOnlookers(files, folder, found);
  if (onlookers !== undefined) log(onlookers);
  const loaded = await load(files, folder, found, await listRecordSegments(files, folder, format), format);
  await setAside(setting, loaded);
  const path = join(folder, journalName(loaded.segment));
  const { size, end } = loaded.end;
  if (size > end) log(`${path}: ${size - end} bytes at byte ${end} were never acknowledged, and are cut off`);
  const file = await ownSegment(setting, path, loaded.end);
  if (!file) return start(setting);
  const { snapshotBytes, journalBytes: grown, records, retired, dropped, damage } = loaded;
  const known = { records, retired, dropped, damage, snapshotBytes };
  const segment = { path, file, size: end };
  if (loaded.version === format.version && !loaded.isSealedOtherwise) return [loaded.log, { segment, grown, ...known }];
  return [loaded.log, { segment: await beginAnew(setting, loaded, segment), grown: 0, outdated: true, ...known }];
}

/** The last segment, as this process may write to it. Nothing where another one has written to it meanwhile. */
async function ownSegment(
  { files, folder, log }: Setting,
  path: string,
  end: SegmentEnd,
): Promise<OpenFile | undefined> {
  try {
    return await replaceSegment(files, folder, path, end);
  } catch (error) {
    if (!isFull(error)) throw error;
    log(`${path} could not be written anew, because the disk is full: it is mended in its place`);
    const file = await files.open(path, 'write');
    await repairSegment(file, end);
    await files.syncFolder(folder);
    return file;
  }
}

/**
 * A file has one format, so what comes now stands in a segment of its own. The files of the older format stay until two snapshots of the present one
 * are durable, as any older files do: whenever this is interrupted, what is there is whole.
 */
async function beginAnew(
  { files, folder, format, log: say, onKeyChanged }: Setting,
  { version, log, isSealedOtherwise }: Loaded,
  old: Segment,
) {
  const segment = await createSegment(files, folder, log.position + 1, format);
  await old.file.close();
  if (version !== format.version)
    say(`${folder}: was written in format ${version}, and is written in format ${format.version} from now on`);
  const key = sealingKey(format);
  if (key && isSealedOtherwise) onKeyChanged(key.id);
  return segment;
}

/** A damaged snapshot must not count as one of the two that are kept. */
async function setAside({ files, folder, log }: Setting, { lost }: Loaded): Promise<void> {
  if (!lost) return;
  log(
    `${lost.error.message} (Nothing is lost: the snapshot before it and the journal are good. It is now ${lost.name}.damaged)`,
  );
  await files.rename(join(folder, lost.name), join(folder, `${lost.name}.damaged`));
}

async function openForReading(setting: Setting, options: OpenOptions): Promise<Store> {
  const { folder, files, format, log } = setting;
  const { log: data, lost, records, damage } = await loadWhileOthersWrite(setting, options, 20);
  if (lost) log(`${lost.error.message} (Nothing is lost: the snapshot before it and the journal are good)`);
  const low = new Low<Log>({ read: async () => data, write: async () => {} }, emptyLog());
  await low.read();
  const watch = watchRecords(files, folder, log, damage);
  const lines = segmentLines(files, folder, log, format, watch);
  const reader = createRecordReader(lines, watch, noIndex);
  return createEngine(low, {
    damage: () => watch.damage(),
    records: (all, query) => reader.page(all, records, query),
    countRecords: (all, filter) => reader.count(all, records, filter),
    shelf: fileShelf(files, folder),
    close: () => watch.close().then(() => lines.keepOnly([])),
    log,
    now: () => new Date().toISOString(),
    readOnly: 'it was opened for reading',
  });
}

/** The folder may change under the reader's hands: what does not fit together is looked at again before it is believed. */
async function loadWhileOthersWrite(given: Setting, options: OpenOptions, tries: number): Promise<Loaded> {
  const setting = await withKeys(given, options);
  const { folder, files, format } = setting;
  const found = await listStore(setting.files, setting.folder);
  if (!hasStore(found)) throw noStore(folder);
  try {
    return await load(files, folder, found, await listRecordSegments(files, folder, format), format);
  } catch (error) {
    if (tries <= 1) throw error;
    // A key that is missing stays so, unless it was made, or changed, since it was looked for.
    if (error instanceof StoreUnavailable && error.reason === 'key') {
      const { keyring } = (await withKeys(quietly(given), options)).format;
      if (idsOf(keyring) === idsOf(format.keyring)) throw error;
    }
    await sleep(20);
    return loadWhileOthersWrite(quietly(given), options, tries - 1);
  }
}

/** What is told of the key was told at the first try. */
function quietly(setting: Setting): Setting {
  return { ...setting, log: () => {} };
}

function idsOf(keyring: Keyring | undefined): string {
  return (keyring?.keys ?? []).map(({ id }) => id).join();
}
