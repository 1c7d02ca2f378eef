// Takes the picture of a store that a backup holds, while another process may be writing to it.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namedBlobs } from '../../core/model/named-blobs.ts';
import type { View } from '../../core/model/view.ts';
import type { Damage } from '../damage.ts';
import { codeOf, type FileSystem } from '../file-system.ts';
import { type FolderListing, halfRestored, listFolder, type Numbered, namesIn } from '../folder.ts';
import type { Format } from '../format.ts';
import { damaged } from '../journal.ts';
import { type Loaded, load } from '../load.ts';
import { listRecordSegments, type RecordSegment, segmentPath } from '../record-segments.ts';
import { StoreUnavailable } from '../store.ts';
import { type Held, holdFiles, letGo } from './hold.ts';
import { partOf, type Source, wholeFile } from './source.ts';

/** A prefix of a store's history that holds all that was acknowledged before it was taken. */
export interface Capture {
  readonly position: number;
  readonly view: View;
  readonly sources: readonly Source[];
  /** The segments of records that are in it, as they should be, and what is wrong with any so far. */
  readonly segments: readonly RecordSegment[];
  readonly damage: readonly Damage[];
  /** The ids of the keys that its secrets are encrypted with. */
  readonly keys: readonly string[];
  /** Lets the files go. */
  close(): Promise<void>;
}

/** What was there is not there any more: a segment was turned over, a blob was collected. The picture has to be taken anew. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

/** Takes the picture; no lock is taken, and nothing is written. Throws `StoreUnavailable`. */
export async function capture(files: FileSystem, folder: string, format: Format, tries = 10): Promise<Capture> {
  const held = new Map<string, Held>();
  const close = () => letGo(held);
  try {
    return { ...(await take(files, folder, format, held)), close };
  } catch (error) {
    await close();
    const isPassing =
      error instanceof Moved ||
      codeOf(error) === 'ENOENT' ||
      (error instanceof StoreUnavailable && !['missing', 'newer', 'key'].includes(error.reason));
    if (!isPassing || tries <= 1) throw error;
    await sleep(20);
    return capture(files, folder, format, tries - 1);
  }
}

async function take(
  files: FileSystem,
  folder: string,
  format: Format,
  held: Map<string, Held>,
): Promise<Omit<Capture, 'close'>> {
  // What is wrong with the folder is told of itself, not of what is in it.
  if (!(await listFolder(files, folder))) throw missing(folder);
  const before = await recordNames(files, folder);
  const listing = await listFolder(files, folder);
  if (listing?.restoring) throw halfRestored(folder);
  if (!listing || listing.journals.length + listing.snapshots.length === 0) throw missing(folder);
  const fixed = await holdFiles(files, folder, listing, held);
  const segments = await listRecordSegments(fixed, folder, format);
  // Records leave the journal for segments of their own: either both were seen before that, or both after it.
  if (String(before) !== String(await recordNames(files, folder))) throw new Moved('records have moved');
  const loaded = await load(fixed, folder, listing, segments, format);
  const log = await logSources(folder, listing, loaded, held);
  const records = loaded.records.map((segment) => recordSource(files, folder, segment));
  const blobs = await blobSources(files, folder, loaded.log.state);
  const { keys, damage } = loaded;
  const known = { keys, damage, segments: loaded.records };
  return { position: loaded.log.position, view: loaded.log.state, ...known, sources: [...log, ...records, ...blobs] };
}

async function recordNames(files: FileSystem, folder: string): Promise<readonly string[]> {
  const names = await namesIn(files, join(folder, 'records'));
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}

/** The snapshot that was read, and the journal from there on as far as it is good. */
async function logSources(
  folder: string,
  { snapshots, journals }: FolderListing,
  { lost, segment, end }: Loaded,
  held: ReadonlyMap<string, Held>,
): Promise<Source[]> {
  const snapshot = snapshots.filter(({ name }) => name !== lost?.name).at(-1);
  const needed = [
    ...(snapshot ? [snapshot] : []),
    ...journals.filter(({ number }) => number > (snapshot?.number ?? 0)),
  ];
  const sources: Source[] = [];
  for (const { name, number } of needed) {
    const file = held.get(join(folder, name))?.file;
    if (!file) throw new Error(`${name} is not held`);
    const isLast = isJournal(name) && number === segment;
    sources.push(partOf(`store/${name}`, file, isLast ? end.end : await file.size()));
  }
  return sources;
}

function isJournal(name: Numbered['name']): boolean {
  return name.startsWith('journal-');
}

function recordSource(files: FileSystem, folder: string, segment: RecordSegment): Source {
  return wholeFile(files, segmentPath(folder, segment), `store/records/${segment.name}`);
}

/** Those that the state names: all were durable before it did, so that one which is gone was collected meanwhile, or lost. */
async function blobSources(files: FileSystem, folder: string, view: View): Promise<Source[]> {
  const shelf = join(folder, 'blobs');
  const present = new Set(await namesIn(files, shelf));
  const named = [...namedBlobs(view)].sort();
  const lost = named.find((name) => !present.has(name));
  if (lost !== undefined) throw damaged(join(shelf, lost), 0, 'the file is missing');
  return named.map((name) => wholeFile(files, join(shelf, name), `store/blobs/${name}`));
}

function missing(folder: string): StoreUnavailable {
  return new StoreUnavailable('missing', `there is no store in ${folder}: name the folder of one with --store`);
}
