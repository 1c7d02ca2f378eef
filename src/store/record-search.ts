// What a query looks for among records that come newest first, wherever they come from; gives the event loop its turn.
import { createSlicer } from '../lib/slice.ts';
import type { RecordFilter, RecordQuery, StoreRecord } from './store.ts';

/** A record, and whatever its source adds. */
export interface Found {
  readonly record: StoreRecord;
}

/** What is looked for. `begun`: the record that a page follows was met; nothing counts before. */
export interface Search {
  readonly filter: RecordFilter;
  readonly before: string | undefined;
  /** What stands in every line that matters: before it has begun, and then. */
  readonly pieces: { readonly seeking: readonly Buffer[]; readonly matching: readonly Buffer[] };
  begun: boolean;
}

/** Begins a search; `begun` where its source stands behind the record that the page follows already. */
export function searchFor(query: RecordFilter & Pick<RecordQuery, 'before'>, begun = false): Search {
  const { before, holding = [] } = query;
  const seeking = before === undefined ? [] : [Buffer.from(JSON.stringify(before))];
  const pieces = { seeking, matching: holding.map((piece) => Buffer.from(piece)) };
  return { filter: query, before, pieces, begun: begun || before === undefined };
}

/** Whether a line may hold what is looked for now; it need not be parsed where it may not. */
export function mayHold({ begun, pieces }: Search, line: Buffer): boolean {
  return (begun ? pieces.matching : pieces.seeking).every((piece) => line.includes(piece));
}

/** Whether records from between two times may be looked for now. */
export function mayStandIn({ begun, filter }: Search, times: Times): boolean {
  return !begun || touches(filter, times);
}

/** Whether any of what is from between two times may be of the time that a filter asks for. */
export function touches({ since, until }: RecordFilter, { oldest, newest }: Times): boolean {
  return (since === undefined || newest >= since) && (until === undefined || oldest < until);
}

/** The first `limit` records that match. */
export async function take<F extends Found>(
  found: Iterable<F> | AsyncIterable<F>,
  search: Search,
  limit: number,
): Promise<F[]> {
  const page: F[] = [];
  if (limit <= 0) return page;
  for await (const item of matching(found, search)) {
    page.push(item);
    if (page.length >= limit) break;
  }
  return page;
}

/** How many records match. */
export async function tally(found: Iterable<Found> | AsyncIterable<Found>, search: Search): Promise<number> {
  let count = 0;
  for await (const _ of matching(found, search)) count += 1;
  return count;
}

/** Whether a filter lets a whole stream through: how many that are is known without a look. */
export function isWhole({ since, until, where }: RecordFilter): boolean {
  return since === undefined && until === undefined && where === undefined;
}

/** Whether all that is from between two times is of the time that a filter asks for. */
export function isWithin({ since, until }: RecordFilter, { oldest, newest }: Times): boolean {
  return (since === undefined || oldest >= since) && (until === undefined || newest < until);
}

/** Between which times records are. */
export interface Times {
  readonly oldest: string;
  readonly newest: string;
}

async function* matching<F extends Found>(found: Iterable<F> | AsyncIterable<F>, search: Search): AsyncGenerator<F> {
  const slicer = createSlicer();
  for await (const item of found) {
    if (search.begun && lets(search.filter, item.record)) yield item;
    search.begun ||= item.record.id === search.before;
    if (slicer.spent()) await slicer.breathe();
  }
}

/** Whether a filter lets a record through. */
export function lets({ since, until, where }: RecordFilter, record: StoreRecord): boolean {
  const inTime = (since === undefined || record.at >= since) && (until === undefined || record.at < until);
  return inTime && (where?.(record) ?? true);
}
