// Records: the newest stand in the journal and in memory, older ones in append-only segments that are read when asked for.
import { putNewest } from '../lib/put-newest.ts';
import { codeOf, type FileSystem, type OpenFile, wordsOf } from './file-system.ts';
import { type Format, upgradeFrom } from './format.ts';
import { scanBackwards } from './lines.ts';
import type { Log, TailRecord } from './log.ts';
import { type Found, isWhole, mayHold, mayStandIn, type Search, searchFor, take, tally } from './record-search.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';
import type { RecordWatch } from './record-watch.ts';
import type { RecordFilter, RecordQuery, StoreRecord } from './store.ts';

/** A record, and where in which segment its line begins (nowhere, for one in memory). */
interface Placed extends Found {
  readonly at?: Place;
}

interface Place {
  readonly name: string;
  readonly offset: number;
}

/** Finds records in memory, then in segments; the segments that it is given are those that stand when it is asked. */
export interface RecordReader {
  page(log: Log, segments: readonly RecordSegment[], query: RecordQuery): Promise<readonly StoreRecord[]>;
  count(log: Log, segments: readonly RecordSegment[], filter: RecordFilter): Promise<number>;
}

/** A reader that remembers where the last pages ended, so that paging on does not begin at the newest again. */
export function createRecordReader(
  files: FileSystem,
  folder: string,
  log: (message: string) => void,
  format: Format,
  watch: RecordWatch,
): RecordReader {
  const places = new Map<string, Place>();
  return {
    page: async ({ tail }, segments, query) => {
      const own = newestFirst(segments, query.stream);
      const place = query.before === undefined ? undefined : places.get(query.before);
      const index = place ? own.findIndex(({ name }) => name === place.name) : -1;
      const isKnown = place !== undefined && index >= 0;
      const search = searchFor(query, isKnown);
      const found = isKnown
        ? inSegments(own.slice(index), search, place.offset)
        : everywhere(tail[query.stream], own, search);
      const page = await take(found, search, query.limit);
      // Who asks for one more than a page holds goes on after the last but one.
      for (const { record, at } of page.slice(-2)) if (at) remember(record.id, at);
      return page.map(({ record }) => record);
    },
    count: async ({ tail }, segments, filter) => {
      const own = newestFirst(segments, filter.stream);
      const newer = tail[filter.stream];
      if (isWhole(filter)) {
        const counts = await Promise.all(own.map((segment) => watch.countOf(segment)));
        return counts.reduce((sum, count) => sum + count, newer.length);
      }
      const search = searchFor(filter);
      return tally(everywhere(newer, own, search), search);
    },
  };

  async function* everywhere(
    tail: readonly TailRecord[],
    older: readonly RecordSegment[],
    search: Search,
  ): AsyncGenerator<Placed> {
    for (const record of tailNewestFirst(tail)) yield { record };
    yield* inSegments(older, search, undefined);
  }

  async function* inSegments(
    chosen: readonly RecordSegment[],
    search: Search,
    before: number | undefined,
  ): AsyncGenerator<Placed> {
    for (const [nth, segment] of chosen.entries())
      if (mayStandIn(search, segment)) yield* inSegment(segment, search, nth === 0 ? before : undefined);
  }

  async function* inSegment(
    segment: RecordSegment,
    search: Search,
    before: number | undefined,
  ): AsyncGenerator<Placed> {
    const path = segmentPath(folder, segment);
    watch.met(segment);
    try {
      const file = await files.open(path, 'read');
      try {
        yield* inFile(file, path, segment, search, before);
      } finally {
        await file.close();
      }
    } catch (error) {
      // What retention removed while it was being read is not wanted any more.
      if (codeOf(error) !== 'ENOENT') throw new Error(`${path} cannot be read: ${wordsOf(error)}`, { cause: error });
    }
  }

  async function* inFile(
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

  function remember(id: string, place: Place): void {
    putNewest(places, id, place, 256);
  }
}

/** The records of a stream that stand in memory, as they are now. */
export function* tailNewestFirst(tail: readonly TailRecord[]): Generator<StoreRecord> {
  for (let index = tail.length - 1; index >= 0; index -= 1) {
    const record = tail[index]?.record;
    if (record) yield record;
  }
}

function newestFirst(segments: readonly RecordSegment[], stream: StoreRecord['stream']): RecordSegment[] {
  return segments.filter((segment) => segment.stream === stream).reverse();
}
