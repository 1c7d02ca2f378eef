// Reads the records of segments: one after another from the newest on, or those at given places.
import { codeOf, type FileSystem, type OpenFile, wordsOf } from './file-system.ts';
import { type Format, upgradeFrom } from './format.ts';
import { lineAt, scanBackwards } from './lines.ts';
import { createOpenFiles } from './open-files.ts';
import { type Found, mayHold, type Search } from './record-search.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';
import type { RecordWatch } from './record-watch.ts';

/** A record, and where in which segment its line begins (nowhere, for one in memory). */
export interface Placed extends Found {
  readonly at?: Place;
}

/** Where a line begins. */
export interface Place {
  readonly name: string;
  readonly offset: number;
}

/** A place where a record was said to stand holds none. */
export class NoRecordThere extends Error {
  override readonly name = 'NoRecordThere';
  readonly segment: string;
  constructor(path: string, { name, offset }: Place) {
    super(`${path} has no record at byte ${offset}`);
    this.segment = name;
  }
}

/** What reads the segments of a store. What was removed meanwhile has no records. */
export interface SegmentLines {
  /** Those before a byte (or all), newest first; lines that cannot matter to the search are passed over. */
  scan(segment: RecordSegment, search: Search, before: number | undefined): AsyncGenerator<Placed>;
  /** Those at these bytes. Throws `NoRecordThere`. */
  at(segment: RecordSegment, offsets: readonly number[]): AsyncGenerator<Placed>;
  /** Lets go of all but these. */
  keepOnly(segments: readonly RecordSegment[]): Promise<void>;
}

/** So many segments stay open, and so many records are read of one at a time. */
const [openAtMost, readAtOnce] = [64, 16];

/** Reads the segments in a folder, and has them watched. */
export function segmentLines(
  files: FileSystem,
  folder: string,
  log: (message: string) => void,
  format: Format,
  watch: RecordWatch,
): SegmentLines {
  const open = createOpenFiles(files, openAtMost);
  return {
    scan,
    at,
    keepOnly: (segments) => open.keepOnly(new Set(segments.map((segment) => segmentPath(folder, segment)))),
  };

  async function* scan(segment: RecordSegment, search: Search, before: number | undefined): AsyncGenerator<Placed> {
    const path = segmentPath(folder, segment);
    watch.met(segment);
    try {
      const file = await files.open(path, 'read');
      try {
        yield* scanFile(file, path, segment, search, before);
      } finally {
        await file.close();
      }
    } catch (error) {
      unlessGone(error, path);
    }
  }

  async function* scanFile(
    file: OpenFile,
    path: string,
    segment: RecordSegment,
    search: Search,
    before: number | undefined,
  ): AsyncGenerator<Placed> {
    const { name, version } = segment;
    const upgrade = upgradeFrom(format, version, 'records');
    // What is looked for is written as this version writes it: older lines may have it in other words.
    const wanted = version === format.version ? (line: Buffer) => mayHold(search, line) : undefined;
    for await (const { offset, value } of scanBackwards(file, before ?? (await file.size()), wanted))
      if (value?.record) yield { record: upgrade(value, 'records').record, at: { name, offset } };
      else if (value?.weir !== 'records' && !value?.end) {
        log(`${path}: the line at byte ${offset} is damaged; it is left out`);
        watch.suspect(segment);
      }
  }

  async function* at(segment: RecordSegment, offsets: readonly number[]): AsyncGenerator<Placed> {
    const path = segmentPath(folder, segment);
    if (offsets.length > 0) watch.met(segment);
    for (let first = 0; first < offsets.length; first += readAtOnce)
      yield* await open
        .using(path, (file) => pick(file, path, segment, offsets.slice(first, first + readAtOnce)))
        .catch((error: unknown) => unlessGone(error, path));
  }

  async function pick(
    file: OpenFile,
    path: string,
    segment: RecordSegment,
    offsets: readonly number[],
  ): Promise<Placed[]> {
    const { name, version } = segment;
    const upgrade = upgradeFrom(format, version, 'records');
    const found: Placed[] = [];
    for (const offset of offsets) {
      const { value } = await lineAt(file, offset);
      if (!value?.record) {
        watch.suspect(segment);
        throw new NoRecordThere(path, { name, offset });
      }
      found.push({ record: upgrade(value, 'records').record, at: { name, offset } });
    }
    return found;
  }
}

/** What retention removed while it was being read is not wanted any more. Throws anything else. */
function unlessGone(error: unknown, path: string): Placed[] {
  if (error instanceof NoRecordThere) throw error;
  if (codeOf(error) !== 'ENOENT') throw new Error(`${path} cannot be read: ${wordsOf(error)}`, { cause: error });
  return [];
}
