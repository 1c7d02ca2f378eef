// Record segments: one file a stream and journal segment, written once and whole, dropped when nobody wants it any more.
import { join } from 'node:path';
import { type FileSystem, type OpenFile, writeFully } from './file-system.ts';
import { namesIn, numbered } from './folder.ts';
import { checkVersion, type Format } from './format.ts';
import { encodeLine, scanLines } from './lines.ts';
import { type Log, streams, type TailRecord } from './log.ts';
import type { StoreRecord } from './store.ts';

/** A segment; `first` and `last` are the commits whose records it may hold, `oldest` and `newest` the times that its records are between. */
export interface RecordSegment extends Header {
  readonly name: string;
  readonly stream: StoreRecord['stream'];
  readonly first: number;
  readonly last: number;
}

/** What the first line of a segment tells of the others. */
interface Header {
  readonly count: number;
  readonly oldest: string;
  readonly newest: string;
  /** The version of the format that it is written in. */
  readonly version: number;
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
 * Makes the records of the commits up to `last` durable in segments of their own; answers all segments. Those that an attempt
 * before this one came to write are left as they are.
 */
export async function writeRecordSegments(
  files: FileSystem,
  folder: string,
  tail: Log['tail'],
  last: number,
  format: Format,
): Promise<RecordSegment[]> {
  const present = await listRecordSegments(files, folder, format);
  const made: RecordSegment[] = [];
  for (const stream of streams) {
    const moved = movedUpTo(present, stream);
    const own = tail[stream].filter(({ seq }) => seq > moved && seq <= last);
    const first = own[0]?.seq;
    if (first === undefined) continue;
    if (made.length === 0) await files.makeFolder(recordFolder(folder));
    const name = `${stream}-${numbered(first)}-${numbered(last)}.jsonl`;
    const segment = { name, stream, first, last, ...headerOf(own, format) };
    await writeSegment(files, segmentPath(folder, segment), segment, own);
    made.push(segment);
  }
  if (present.length + made.length > 0) await files.syncFolder(recordFolder(folder));
  return [...present, ...made];
}

/** The segments that hold something that has to be kept, oldest first. */
export function wantedSegments(
  segments: readonly RecordSegment[],
  retention: Retention,
  now: string,
): readonly RecordSegment[] {
  const kept: RecordSegment[] = [];
  const newer = { history: 0, audit: 0 };
  for (const segment of segments.toReversed()) {
    const rule = retention[segment.stream];
    const { count, newest } = segment;
    const old = 'count' in rule ? newer[segment.stream] >= rule.count : newest < daysBefore(now, rule.days);
    newer[segment.stream] += count;
    if (!old) kept.unshift(segment);
  }
  return kept;
}

/** Removes segments. */
export async function removeSegments(
  files: FileSystem,
  folder: string,
  segments: readonly RecordSegment[],
): Promise<void> {
  for (const segment of segments) await files.unlink(segmentPath(folder, segment));
}

function recordFolder(folder: string): string {
  return join(folder, 'records');
}

async function writeSegment(
  files: FileSystem,
  path: string,
  { stream, first, last, count, oldest, newest, version }: RecordSegment,
  own: readonly TailRecord[],
): Promise<void> {
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    let size = 0;
    const write = async (text: string) => {
      const bytes = Buffer.from(text);
      await writeFully(file, bytes, size);
      size += bytes.length;
    };
    await write(encodeLine({ weir: 'records', version, stream, first, last, count, oldest, newest }));
    // A few hundred at a time: writes go on meanwhile.
    for (let index = 0; index < own.length; index += 200)
      await write(
        own
          .slice(index, index + 200)
          .map((item) => encodeLine(item))
          .join(''),
      );
    await file.datasync();
  } finally {
    await file.close();
  }
  await files.rename(`${path}.tmp`, path);
}

function headerOf(own: readonly TailRecord[], { version }: Format): Header {
  let [oldest, newest] = ['9999', ''];
  for (const { record } of own) {
    if (record.at < oldest) oldest = record.at;
    if (record.at > newest) newest = record.at;
  }
  return { count: own.length, oldest, newest, version };
}

async function readHeader(files: FileSystem, path: string, format: Format): Promise<Header> {
  const file = await files.open(path, 'read');
  try {
    let header: { count?: unknown; oldest?: unknown; newest?: unknown; version?: unknown } = {};
    await scanLines(firstPiece(file), ({ offset, value }) => {
      if (offset === 0) header = value ?? {};
    });
    const { count, oldest, newest, version } = header;
    if (typeof version === 'number') checkVersion(format, version, path);
    // One that cannot be read is kept: its records may be of any time, and are not counted.
    return {
      count: typeof count === 'number' ? count : 0,
      oldest: typeof oldest === 'string' ? oldest : '',
      newest: typeof newest === 'string' ? newest : '9999',
      version: typeof version === 'number' ? version : format.version,
    };
  } finally {
    await file.close();
  }
}

/** A file that seems to end after its first kilobyte. */
function firstPiece(file: OpenFile): OpenFile {
  return { ...file, read: async (into, position) => (position > 0 ? 0 : file.read(into.subarray(0, 1024), 0)) };
}

function daysBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * 86_400_000).toISOString();
}
