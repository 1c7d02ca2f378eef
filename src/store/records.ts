// Records: the newest stand in the journal and in memory, older ones in append-only segments that are looked up, or read, when asked for.
import { putNewest } from '../lib/put-newest.ts';
import { createSlicer } from '../lib/slice.ts';
import type { Log, TailRecord } from './log.ts';
import type { Block } from './record-index/encode.ts';
import type { RecordIndex } from './record-index/index.ts';
import type { Consulted, Look } from './record-index/look.ts';
import { DamagedRun } from './record-index/run.ts';
import { suffices, termOfId, termsFor } from './record-index/terms.ts';
import { isWhole, isWithin, lets, mayStandIn, type Search, searchFor, take, tally, touches } from './record-search.ts';
import type { RecordSegment } from './record-segments.ts';
import type { RecordWatch } from './record-watch.ts';
import { NoRecordThere, type Place, type Placed, type SegmentLines } from './segment-lines.ts';
import type { RecordFilter, RecordQuery, StoreRecord } from './store.ts';
import { createTailIndex } from './tail-index.ts';

/** Finds records in memory, then in segments; the segments that it is given are those that stand when it is asked. */
export interface RecordReader {
  page(log: Log, segments: readonly RecordSegment[], query: RecordQuery): Promise<readonly StoreRecord[]>;
  count(log: Log, segments: readonly RecordSegment[], filter: RecordFilter): Promise<number>;
}

/** What was asked for, and where it may be: `own` are the segments of its stream, newest first. */
interface Asked {
  readonly tail: readonly TailRecord[];
  readonly own: readonly RecordSegment[];
  readonly known: Consulted;
}

/** A reader that remembers where the last pages ended, so that paging on does not begin at the newest again. */
export function createRecordReader(
  lines: SegmentLines,
  watch: RecordWatch,
  index: Pick<RecordIndex, 'consult' | 'distrust'>,
): RecordReader {
  const places = new Map<string, Place>();
  const inTail = createTailIndex();
  return {
    page: (log, segments, query) => consulting(log, segments, query, (asked) => page(asked, query)),
    count: (log, segments, filter) => consulting(log, segments, filter, (asked) => count(asked, filter)),
  };

  /** Once more without what the index had wrong: each time that is less. */
  async function consulting<T>(
    { tail }: Log,
    segments: readonly RecordSegment[],
    { stream }: RecordFilter,
    work: (asked: Asked) => Promise<T>,
  ): Promise<T> {
    const own = segments.filter((segment) => segment.stream === stream).reverse();
    for (;;) {
      const known = index.consult(own.filter((segment) => !watch.isSuspect(segment)));
      try {
        return await work({ tail: tail[stream], own, known });
      } catch (error) {
        if (error instanceof DamagedRun) index.distrust(error);
        else if (!(error instanceof NoRecordThere)) throw error;
      } finally {
        known.letGo();
      }
    }
  }

  async function page(asked: Asked, query: RecordQuery): Promise<readonly StoreRecord[]> {
    const { before } = query;
    const place = before === undefined ? undefined : (places.get(before) ?? (await placeOf(asked, before)));
    const start = place ? asked.own.findIndex(({ name }) => name === place.name) : -1;
    const search = searchFor(query, start >= 0);
    const older = { ...asked, own: asked.own.slice(Math.max(0, start)) };
    const found = start >= 0 ? inSegments(older, search, place?.offset) : everywhere(asked, search);
    const chosen = await take(found, search, query.limit);
    // Who asks for one more than a page holds goes on after the last but one.
    for (const { record, at } of chosen.slice(-2)) if (at) putNewest(places, record.id, at, 256);
    return chosen.map(({ record }) => record);
  }

  /** Where a record is that has left memory; nothing where the index does not know it. */
  async function placeOf({ tail, own, known }: Asked, id: string): Promise<Place | undefined> {
    if (tail.some(({ record }) => record.id === id)) return undefined;
    const look = await known.look([termOfId(id)]);
    for (const segment of own)
      for await (const { record, at } of lines.at(segment, await look.offsets(segment)))
        if (record.id === id) return at;
    return undefined;
  }

  async function* everywhere(asked: Asked, search: Search): AsyncGenerator<Placed> {
    for (const record of await inMemory(asked, search)) yield { record };
    yield* inSegments(asked, search, undefined);
  }

  /** Those in memory that may be looked for, newest first. What a page follows may be among any of them. */
  async function inMemory({ tail }: Pick<Asked, 'tail'>, { begun, filter }: Search): Promise<Iterable<StoreRecord>> {
    const { terms } = filter;
    if (!begun || !terms) return tailNewestFirst(tail);
    return (await inTail.having(tail, terms.all)).toReversed();
  }

  async function countInMemory(tail: readonly TailRecord[], filter: RecordFilter): Promise<number> {
    if (isWhole(filter)) return tail.length;
    const search = searchFor(filter);
    const found = await inMemory({ tail }, search);
    return tally(
      Iterator.from(found).map((record) => ({ record })),
      search,
    );
  }

  async function* inSegments(
    { own, known }: Asked,
    search: Search,
    before: number | undefined,
  ): AsyncGenerator<Placed> {
    const look = await lookedUp(known, search.filter);
    for (const [nth, segment] of own.entries())
      if (mayStandIn(search, segment))
        yield* inSegment(segment, { known, look }, search, nth === 0 ? before : undefined);
  }

  async function* inSegment(
    segment: RecordSegment,
    { known, look }: { readonly known: Consulted; readonly look: Look | undefined },
    search: Search,
    before: number | undefined,
  ): AsyncGenerator<Placed> {
    const isCovered = known.covers(segment);
    // What a page follows was looked up already: it is in none of those that are covered.
    if (isCovered && !search.begun) return;
    if (!isCovered || !look) yield* lines.scan(segment, search, before);
    else {
      const offsets = await within(segment, known, look, search.filter, before);
      if (suffices(search.filter) || pays(offsets, segment)) yield* lines.at(segment, offsets);
      else yield* lines.scan(segment, search, before);
    }
  }

  async function count({ tail, own, known }: Asked, filter: RecordFilter): Promise<number> {
    let sum = await countInMemory(tail, filter);
    const look = await lookedUp(known, filter);
    const slicer = createSlicer();
    for (const segment of own) {
      if (!look) sum += await watch.countOf(segment);
      else if (touches(filter, segment)) sum += await countIn(segment, known, look, filter);
      if (slicer.spent()) await slicer.breathe();
    }
    return sum;
  }

  async function countIn(segment: RecordSegment, known: Consulted, look: Look, filter: RecordFilter): Promise<number> {
    if (!known.covers(segment)) return countAll(segment, filter);
    if (suffices(filter) && isWithin(filter, segment)) return look.count(segment);
    const offsets = await within(segment, known, look, filter, undefined);
    const isSure = sureIn(known.blocks(segment), filter);
    const unsure = suffices(filter) ? offsets.filter((offset) => !isSure(offset)) : offsets;
    if (!pays(unsure, segment)) return countAll(segment, filter);
    let sum = offsets.length - unsure.length;
    for await (const { record } of lines.at(segment, unsure)) if (lets(filter, record)) sum += 1;
    return sum;
  }

  async function countAll(segment: RecordSegment, filter: RecordFilter): Promise<number> {
    const search = searchFor(filter);
    return tally(lines.scan(segment, search, undefined), search);
  }
}

/** Whether to read lines one by one costs less than to read all in one go. */
function pays(offsets: readonly number[], { count }: RecordSegment): boolean {
  return offsets.length <= count / 8;
}

/** What the index says of a filter; nothing of one that lets all through, which is not looked up. */
async function lookedUp(known: Consulted, filter: RecordFilter): Promise<Look | undefined> {
  return isWhole(filter) ? undefined : known.look(termsFor(filter));
}

/** The offsets of what has all terms, newest first: those before `end` whose block may be of the time that is asked for. */
async function within(
  segment: RecordSegment,
  known: Consulted,
  look: Look,
  filter: RecordFilter,
  end = Number.POSITIVE_INFINITY,
): Promise<readonly number[]> {
  const offsets = (await look.offsets(segment)).filter((offset) => offset < end);
  if (isWithin(filter, segment)) return offsets;
  const blocks = known.blocks(segment);
  return offsets.filter((offset) => {
    const block = blockOf(blocks, offset);
    return block === undefined || touches(filter, block);
  });
}

/** Tells of an offset whether its whole block is of the time that is asked for. */
function sureIn(blocks: readonly Block[], filter: RecordFilter): (offset: number) => boolean {
  return (offset) => {
    const block = blockOf(blocks, offset);
    return block !== undefined && isWithin(filter, block);
  };
}

/** The last block that begins at an offset or before it. */
function blockOf(blocks: readonly Block[], offset: number): Block | undefined {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return blocks[low - 1];
}

/** The records of a stream that stand in memory, as they are now. */
export function* tailNewestFirst(tail: readonly TailRecord[]): Generator<StoreRecord> {
  for (let index = tail.length - 1; index >= 0; index -= 1) {
    const record = tail[index]?.record;
    if (record) yield record;
  }
}
