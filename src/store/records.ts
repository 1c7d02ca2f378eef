// Records: the newest stand in the journal and in memory, older ones in append-only segments that are read when asked for.
import { join } from 'node:path';
import { codeOf, type FileSystem, wordsOf } from './file-system.ts';
import { scanBackwards } from './lines.ts';
import type { Log, TailRecord } from './log.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';
import type { RecordQuery, StoreRecord } from './store.ts';

/** A record, and where in which segment its line begins (nowhere, for one in memory). */
interface Found {
  readonly record: StoreRecord;
  readonly at?: Place;
}

interface Place {
  readonly name: string;
  readonly offset: number;
}

/** Finds records in memory, then in segments. */
export type RecordReader = (
  log: Log,
  segments: readonly RecordSegment[],
  query: RecordQuery,
) => Promise<readonly StoreRecord[]>;

/** A reader that remembers where the last pages ended, so that paging on does not begin at the newest again. */
export function createRecordReader(files: FileSystem, folder: string, log: (message: string) => void): RecordReader {
  const places = new Map<string, Place>();
  return async (data, segments, query) => {
    const own = segments.filter((segment) => segment.stream === query.stream).reverse();
    const place = query.before === undefined ? undefined : places.get(query.before);
    const index = place ? own.findIndex((segment) => segment.name === place.name) : -1;
    const found = place && index >= 0 ? inSegments(own.slice(index), place.offset) : everywhere(data.tail, own);
    const { before, ...rest } = query;
    const page = await select(found, place && index >= 0 ? rest : query);
    const last = page.at(-1);
    if (last?.at) remember(last.record.id, last.at);
    return page.map(({ record }) => record);

    async function* everywhere(tail: readonly TailRecord[], older: readonly RecordSegment[]): AsyncGenerator<Found> {
      for (const record of tailNewestFirst(tail, query.stream)) yield { record };
      yield* inSegments(older, undefined);
    }

    async function* inSegments(chosen: readonly RecordSegment[], before: number | undefined): AsyncGenerator<Found> {
      for (const [nth, segment] of chosen.entries()) yield* inSegment(segment, nth === 0 ? before : undefined);
    }
  };

  async function* inSegment(segment: RecordSegment, before: number | undefined): AsyncGenerator<Found> {
    const path = segmentPath(folder, segment);
    try {
      const file = await files.open(path, 'read');
      try {
        for await (const { offset, value } of scanBackwards(file, before ?? (await file.size())))
          if (value?.record) yield { record: value.record, at: { name: segment.name, offset } };
          else if (value?.weir !== 'records') log(`${path}: the line at byte ${offset} is damaged; it is left out`);
      } finally {
        await file.close();
      }
    } catch (error) {
      // What retention removed while it was being read is not wanted any more.
      if (codeOf(error) !== 'ENOENT')
        throw new Error(`${join(path)} cannot be read: ${wordsOf(error)}`, { cause: error });
    }
  }

  function remember(id: string, place: Place): void {
    places.delete(id);
    places.set(id, place);
    const [oldest] = places.keys();
    if (places.size > 256 && oldest !== undefined) places.delete(oldest);
  }
}

/** The page that a query asks for, from records that come newest first. */
export async function selectRecords(records: Iterable<StoreRecord>, query: RecordQuery): Promise<StoreRecord[]> {
  const found = records[Symbol.iterator]();
  const page = await select(
    Iterator.from(found).map((record) => ({ record })),
    query,
  );
  return page.map(({ record }) => record);
}

/** The records of one stream that stand in memory, as they are now. */
export function* tailNewestFirst(tail: readonly TailRecord[], stream: StoreRecord['stream']): Generator<StoreRecord> {
  for (let index = tail.length - 1; index >= 0; index -= 1) {
    const record = tail[index]?.record;
    if (record?.stream === stream) yield record;
  }
}

async function select<F extends Found>(found: Iterable<F> | AsyncIterable<F>, query: RecordQuery): Promise<F[]> {
  const { before, limit, where } = query;
  const page: F[] = [];
  let begun = before === undefined;
  if (limit <= 0) return page;
  for await (const item of found) {
    if (begun && (where?.(item.record) ?? true)) page.push(item);
    if (page.length >= limit) break;
    begun ||= item.record.id === before;
  }
  return page;
}
