// Record segments: one file a stream and journal segment, written once and whole, dropped when nobody wants it any more.
import { join } from 'node:path';
import { bodyOf, genesis, link, streams } from './chain.ts';
import { codeOf, type FileSystem, type OpenFile, writeFully } from './file-system.ts';
import { namesIn, numbered } from './folder.ts';
import { checkVersion, type Format } from './format.ts';
import { encodeLine, lineAround, scanLines } from './lines.ts';
import type { Log, TailRecord } from './log.ts';
import type { StoreRecord } from './store.ts';

/** A segment; `first` and `last` are the commits whose records it may hold, `oldest` and `newest` the times that its records are between. */
export interface RecordSegment extends Header {
  readonly name: string;
  readonly stream: StoreRecord['stream'];
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** The chain after its last record. */
  readonly hash?: string;
  /** The SHA-256 of the file, for one that was written before there was a chain. */
  readonly sha256?: string;
}

/** What the first line of a segment tells of the others. */
interface Header {
  readonly count: number;
  readonly oldest: string;
  readonly newest: string;
  /** The version of the format that its lines are written in. */
  readonly version: number;
  /** The chain that it goes on from; absent where it was written before there was one. */
  readonly from?: string;
}

/** How long records are kept, at least: the newest `count`, or for `days`. */
export type Retention = Readonly<Record<StoreRecord['stream'], { readonly count: number } | { readonly days: number }>>;

/** 10 000 reconciles, and 400 days of audit. */
export const defaultRetention: Retention = { history: { count: 10_000 }, audit: { days: 400 } };

/** Where a segment stands. */
export function segmentPath(folder: string, segment: { readonly name: string }): string {
  return join(recordFolder(folder), segment.name);
}

/** The segments of a store, oldest first; empty where there are none yet. */
export async function listRecordSegments(files: FileSystem, folder: string, format: Format): Promise<RecordSegment[]> {
  const segments: RecordSegment[] = [];
  for (const name of await namesIn(files, recordFolder(folder))) {
    const [, stream, first, last] = /^(history|audit)-(\d{12})-(\d{12})\.jsonl$/.exec(name) ?? [];
    if (stream !== 'history' && stream !== 'audit') continue;
    const header = await readHeader(files, segmentPath(folder, { name }), format);
    segments.push({ name, stream, first: Number(first), last: Number(last), ...header });
  }
  return segments.sort((a, b) => a.first - b.first);
}

/** The last commit whose records of a stream have left the journal. */
export function movedUpTo(segments: readonly RecordSegment[], stream: StoreRecord['stream']): number {
  return segments.reduce((last, segment) => (segment.stream === stream ? Math.max(last, segment.last) : last), 0);
}

/**
 * Makes the records of the commits up to `last` durable in segments of their own, each with the lines of one format as they were written. `onMade` takes
 * each of them as soon as it is there: an attempt that fails later goes on from it.
 */
export async function writeRecordSegments(
  files: FileSystem,
  folder: string,
  { tail, movedHeads }: Pick<Log, 'tail' | 'movedHeads'>,
  last: number,
  format: Format,
  onMade: (segment: RecordSegment) => void,
): Promise<void> {
  for (const stream of streams) {
    const own = tail[stream].filter(({ seq }) => seq <= last);
    let from = movedHeads[stream];
    for (const part of byVersion(own, format)) {
      await files.makeFolder(recordFolder(folder));
      const [first, end] = [part[0]?.seq ?? 0, part.at(-1) === own.at(-1) ? last : (part.at(-1)?.seq ?? 0)];
      const name = `${stream}-${numbered(first)}-${numbered(end)}.jsonl`;
      const header = { ...headerOf(part, format), from };
      const made = await writeSegment(files, folder, { name, stream, first, last: end, ...header }, part);
      onMade(made);
      from = made.hash ?? from;
    }
  }
}

/** Makes the names of all segments durable, also of those that a process before this one came to write. */
export async function syncRecordSegments(files: FileSystem, folder: string): Promise<void> {
  await files.syncFolder(recordFolder(folder));
}

/** The lines of each format, which follow one another. */
function byVersion(own: readonly TailRecord[], format: Format): TailRecord[][] {
  const parts = new Map<number, TailRecord[]>();
  for (const record of own) {
    const version = versionOf(record, format);
    const part = parts.get(version);
    if (part) part.push(record);
    else parts.set(version, [record]);
  }
  return [...parts.values()];
}

function versionOf({ written }: TailRecord, format: Format): number {
  return written?.version ?? format.version;
}

/** Removes segments by their names. */
export async function removeSegments(files: FileSystem, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await files.unlink(segmentPath(folder, { name })).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function recordFolder(folder: string): string {
  return join(folder, 'records');
}

async function writeSegment(
  files: FileSystem,
  folder: string,
  segment: Omit<RecordSegment, 'bytes'>,
  own: readonly TailRecord[],
): Promise<RecordSegment> {
  const { stream, first, last, count, oldest, newest, version, from = genesis } = segment;
  const path = segmentPath(folder, segment);
  const file = await files.open(`${path}.tmp`, 'create');
  let size = 0;
  let hash = from;
  try {
    const write = async (text: string) => {
      const bytes = Buffer.from(text);
      await writeFully(file, bytes, size);
      size += bytes.length;
    };
    await write(encodeLine({ weir: 'records', version, stream, first, last, count, oldest, newest, from }));
    // A few hundred at a time: writes go on meanwhile.
    for (let index = 0; index < own.length; index += 200) {
      const bodies = own
        .slice(index, index + 200)
        .map(({ seq, record, written }) => bodyOf(seq, written?.record ?? record));
      for (const body of bodies) hash = link(hash, body);
      await write(bodies.map(lineAround).join(''));
    }
    await write(encodeLine({ end: true, count, hash }));
    await file.datasync();
  } finally {
    await file.close();
  }
  await files.rename(`${path}.tmp`, path);
  return { ...segment, bytes: size, hash };
}

function headerOf(own: readonly TailRecord[], format: Format): Header {
  let [oldest, newest] = ['9999', ''];
  for (const { record } of own) {
    if (record.at < oldest) oldest = record.at;
    if (record.at > newest) newest = record.at;
  }
  const version = own[0] ? versionOf(own[0], format) : format.version;
  return { count: own.length, oldest, newest, version };
}

async function readHeader(
  files: FileSystem,
  path: string,
  format: Format,
): Promise<Header & { readonly bytes: number }> {
  const file = await files.open(path, 'read');
  try {
    let header: Partial<Record<keyof Header, unknown>> = {};
    await scanLines(firstPiece(file), ({ offset, value }) => {
      if (offset === 0) header = value ?? {};
    });
    const { count, oldest, newest, version, from } = header;
    if (typeof version === 'number') checkVersion(format, version, path);
    // One that cannot be read is kept: its records may be of any time, and are not counted.
    return {
      count: typeof count === 'number' ? count : 0,
      oldest: typeof oldest === 'string' ? oldest : '',
      newest: typeof newest === 'string' ? newest : '9999',
      version: typeof version === 'number' ? version : format.version,
      ...(typeof from === 'string' && { from }),
      bytes: await file.size(),
    };
  } finally {
    await file.close();
  }
}

/** A file that seems to end after its first kilobyte. */
function firstPiece(file: OpenFile): OpenFile {
  return { ...file, read: async (into, position) => (position > 0 ? 0 : file.read(into.subarray(0, 1024), 0)) };
}
