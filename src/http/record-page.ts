// Records in pages, newest first: history and the audit log.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createTurns, type Turns } from '../lib/turns.ts';
import type { RecordFilter, Store, StoreRecord } from '../store/store.ts';
import { Problem } from './errors.ts';
import { decodeCursor, encodeCursor, type Page } from './paging.ts';
import type { Services } from './services.ts';

/** What a request asks for: a page, and (in whatever else it says) which records. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Takes turns at reading records: a page of them may take a look at all that there are. */
export function createRecordTurns(): Turns {
  const busy = 'Too many others read the audit log or the history now: try again later.';
  return createTurns(2, 100, () => new Problem('unavailable', { detail: busy, headers: { 'retry-after': '5' } }));
}

/**
 * A page of the records that a filter lets through; `asked` is what the filter was made from, and part of the cursor. How many there are is
 * counted for the first page, and handed on in the cursor: to count may take as long as reading them all.
 */
export function recordPage(
  { door, recordTurns }: Pick<Services, 'door' | 'recordTurns'>,
  filter: RecordFilter,
  asked: Asked,
): Promise<Page<StoreRecord>> {
  return recordTurns(() => pageIn(door.store, filter, asked));
}

async function pageIn(store: Store, filter: RecordFilter, asked: Asked): Promise<Page<StoreRecord>> {
  const { limit, cursor, ...rest } = asked;
  const list = nameOf(filter.stream, rest);
  const place = cursor === undefined ? undefined : decodeCursor(cursor, cursorOf(list));
  const after = place && { before: place[1] };
  const found = await store.records({ ...filter, ...after, limit: limit + 1 });
  // There was more when the cursor was given out: it is none of ours, or so old that nothing is left.
  if (cursor !== undefined && found.length === 0) decodeCursor(cursor, z.never());
  const count = place?.[2] ?? (await store.countRecords(filter));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = last && found.length > limit ? { next: encodeCursor([list, last.id, count]) } : {};
  return { items, count, ...next };
}

function cursorOf(list: string) {
  return z.tuple([z.literal(list), z.string(), z.int().min(0)]);
}

/** A name for a list that differs where the filter does. */
function nameOf(stream: string, rest: object): string {
  return `${stream}-${createHash('sha256').update(JSON.stringify(rest)).digest('base64url').slice(0, 12)}`;
}
