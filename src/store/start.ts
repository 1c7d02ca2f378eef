// Starts a store that is written to: loads its folder, and makes it fit to be written on.
import { join } from 'node:path';
import type { OpenFile } from './file-system.ts';
import { hasStore, journalName, listStore, noStore, removeUnfinished } from './folder.ts';
import { sealingKey } from './format.ts';
import { createSegment, repairSegment, replaceSegment, type Segment, type SegmentEnd } from './journal.ts';
import type { JournalStart } from './journal-state.ts';
import { nothingDropped } from './ledger.ts';
import { type Loaded, load } from './load.ts';
import { emptyLog, type Log } from './log.ts';
import { toldOfOnlookers } from './onlookers.ts';
import { listRecordSegments } from './record-segments.ts';
import { isFull } from './reserve.ts';
import type { Setting } from './setting.ts';

/** Loads the folder, mends what a crash left, and makes sure that all of it is on the disk before anybody sees it. */
export async function start(setting: Setting): Promise<readonly [Log, JournalStart]> {
  const { folder, files, format, log } = setting;
  const found = await listStore(setting.files, setting.folder);
  if (!hasStore(found)) {
    if (!setting.create) throw noStore(folder);
    if (found) await removeUnfinished(files, folder, found);
    const segment = await createSegment(files, folder, 1, format);
    return [
      emptyLog(),
      {
        ...{ segment, records: [], retired: [], damage: [], snapshotBytes: 0, grown: 0 },
        ...{ dropped: nothingDropped, gone: nothingDropped },
      },
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
  const { snapshotBytes, journalBytes: grown, records, retired, dropped, gone, damage } = loaded;
  const known = { records, retired, dropped, gone, damage, snapshotBytes };
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
