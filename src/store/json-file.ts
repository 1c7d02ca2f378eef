// The file engine: a folder with a journal and snapshots, on lowdb.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Low } from 'lowdb';
import { systemClock } from '../lib/clock.ts';
import { createJournalAdapter } from './adapter.ts';
import { fileShelf, shelfOnFooting } from './blob-files.ts';
import { createEngine } from './engine.ts';
import { diskFileSystem } from './file-system.ts';
import { hasStore, listStore, makeStoreFolder, noStore, unreadable } from './folder.ts';
import { presentFormat, sealingKey } from './format.ts';
import { type Loaded, load } from './load.ts';
import { lockFolder } from './lock.ts';
import { emptyLog, type Log } from './log.ts';
import { readOnward } from './onward.ts';
import { onwardLines } from './onward-lines.ts';
import { createRecordIndex, noIndex } from './record-index/index.ts';
import { defaultRetention, listRecordSegments } from './record-segments.ts';
import { watchRecords } from './record-watch.ts';
import { createRecordReader } from './records.ts';
import { createReserve } from './reserve.ts';
import { sealRow } from './seal.ts';
import { type SegmentLines, segmentLines } from './segment-lines.ts';
import { idsOf, type OpenOptions, type Setting, withKeys, withOwnKey } from './setting.ts';
import { start } from './start.ts';
import { type Store, StoreUnavailable } from './store.ts';
import { timedFiles } from './timed-files.ts';
import { watchUsage } from './usage.ts';

/** Opens a folder. Throws `StoreUnavailable` with what is wrong and what to do. */
export async function openStore(folder: string, options: OpenOptions): Promise<Store> {
  const log = options.log ?? ((message: string) => void process.stderr.write(`${message}\n`));
  const own = resolve(folder);
  const files = options.files ?? diskFileSystem;
  const given: Setting = {
    folder: own,
    create: options.create,
    files: options.onSync ? timedFiles(files, options.onSync) : files,
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

async function openForWriting(setting: Setting, options: OpenOptions, unlock: () => Promise<void>): Promise<Store> {
  const { folder, files, format, log } = setting;
  const { now = systemClock() } = options;
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
    return adapter.room() === 'enough' && adapter.lost() === undefined;
  };
  const index = createRecordIndex({ files, folder, format, log, mayWrite });
  const low = new Low<Log>(adapter, emptyLog());
  await low.read();
  const watch = watchRecords(files, folder, log, adapter.foundDamage());
  const read = segmentLines(files, folder, log, format, watch);
  lines = read;
  const reader = createRecordReader(read, watch, index);
  const onward = onwardLines(files, folder, log, format, watch);
  index.follow(adapter.recordSegments());
  const usage = options.watched
    ? watchUsage({ files, folder, log, snapshotBytes: () => adapter.snapshotBytes() })
    : undefined;
  return createEngine(low, {
    records: (data, query) => reader.page(data, adapter.recordSegments(), query),
    recordsAfter: (data, query) =>
      readOnward(data, () => ({ segments: adapter.recordSegments(), gone: adapter.gone() }), onward, query),
    countRecords: (data, filter) => reader.count(data, adapter.recordSegments(), filter),
    shelf: shelfOnFooting(fileShelf(files, folder), () => adapter.requireFooting()),
    seal: (row) => sealRow(row, key),
    journalBytes: () => adapter.journalBytes(),
    room: () => adapter.room(),
    lost: () => adapter.lost(),
    damage: () => watch.damage(),
    onFailure: options.onFailure,
    ...(usage && { usage: () => usage.usage() }),
    close: async () => {
      await usage?.close();
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

async function openForReading(setting: Setting, options: OpenOptions): Promise<Store> {
  const { folder, files, format, log } = setting;
  const { log: data, lost, records, gone, damage } = await loadWhileOthersWrite(setting, options, 20);
  if (lost) log(`${lost.error.message} (Nothing is lost: the snapshot before it and the journal are good)`);
  const low = new Low<Log>({ read: async () => data, write: async () => {} }, emptyLog());
  await low.read();
  const watch = watchRecords(files, folder, log, damage);
  const lines = segmentLines(files, folder, log, format, watch);
  const reader = createRecordReader(lines, watch, noIndex);
  const onward = onwardLines(files, folder, log, format, watch);
  return createEngine(low, {
    damage: () => watch.damage(),
    records: (all, query) => reader.page(all, records, query),
    recordsAfter: (all, query) => readOnward(all, () => ({ segments: records, gone }), onward, query),
    countRecords: (all, filter) => reader.count(all, records, filter),
    shelf: fileShelf(files, folder),
    close: () => watch.close().then(() => lines.keepOnly([])),
    log,
    now: systemClock(),
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
