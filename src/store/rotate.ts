// Begins segments of the journal, takes the snapshots between them, and lets go what is older.
import { join } from 'node:path';
import { type FileSystem, wordsOf, writeFully } from './file-system.ts';
import { listFolder } from './folder.ts';
import { requireFooting } from './footing.ts';
import { createSegment, markLine, type Segment } from './journal.ts';
import type { Journal } from './journal-state.ts';
import type { Log } from './log.ts';
import { removeSegments, syncRecordSegments, writeRecordSegments } from './record-segments.ts';
import { droppedWords, noted, retain } from './retain.ts';
import { writeSnapshot } from './snapshot.ts';

/** Once the journal weighs what a snapshot does, taking one costs each write about as much again: a constant. */
export function due({ options, grown, snapshotBytes, snapshot }: Journal): boolean {
  return !snapshot && grown >= Math.max(options.snapshotBytes, snapshotBytes);
}

/** Begins a segment, and a snapshot of all that stands before it. Throws only when the disk can no longer be trusted. */
export async function rotate(journal: Journal, log: Log): Promise<void> {
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
  await handOver(before, log.position + 1);
  journal.snapshot = takeSnapshot(journal, log, log.position)
    .catch((error) => say(`no snapshot was taken, and writes go on: ${wordsOf(error)}`))
    .finally(() => {
      journal.snapshot = undefined;
    });
}

/** Says in a segment that it goes on in the next, so that a store which lost that one is not taken for whole. What cannot be said is no loss. */
async function handOver({ file, size }: Segment, next: number): Promise<void> {
  try {
    await writeFully(file, Buffer.from(markLine(next, 'continues')), size);
    await file.datasync();
  } catch {
    // All that was acknowledged stands before it.
  }
  // It is synced, or lost with what nobody counts on.
  await file.close().catch(() => {});
}

/** Whether a segment that could not be made left no name behind: only then may the old one be written on. */
async function createdNothing(files: FileSystem, folder: string, first: number): Promise<boolean> {
  const listing = await listFolder(files, folder);
  return listing?.journals.every(({ number }) => number !== first) ?? false;
}

/** Takes the snapshot of a position, and lets go what nobody needs then. */
export async function takeSnapshot(journal: Journal, log: Log, position: number): Promise<void> {
  const { files, folder, format, retention, onRecordSegments, log: say } = journal.options;
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
  const retained = retain(journal.records, journal, retention, passing);
  const { kept: segments, dropped, gone, unwanted } = retained;
  await requireFooting(journal);
  journal.snapshotBytes = await writeSnapshot(files, folder, log, position, format, {
    heads,
    passing,
    dropped,
    gone,
    segments,
  });
  await requireFooting(journal);
  await dropOldFiles(files, folder);
  // Whoever counts or reads from now on does without them. The snapshot before lists them, so that they stay until that is gone.
  journal.records = segments;
  journal.dropped = dropped;
  journal.gone = gone;
  const retired = journal.retired;
  journal.retired = unwanted.map(({ name }) => name);
  for (const words of droppedWords(unwanted, retention)) say(`${folder}: ${words}`);
  await removeSegments(files, folder, retired);
  onRecordSegments(segments);
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
