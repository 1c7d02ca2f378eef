// Pages of what there may be very much of: without copying or sorting all of it for each request.
import { z } from 'zod';
import type { KindName } from '../core/kinds/index.ts';
import type { Resource, ResourceOf } from '../core/model/resource.ts';
import { countReferrers, referrers, type View } from '../core/model/view.ts';
import { compareKeys, decodeCursor, encodeCursor, type Page, type SortKey } from './paging.ts';

/** Which page. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** What is wanted of a long list. */
export interface Wanted<T> extends Asked {
  /** Absent: the order in which they were made. `-` before it turns it round. */
  readonly sort?: string | undefined;
  /** What `sort` sorts by. */
  readonly keyOf?: (item: T) => string | number;
  /** Absent: all of them. */
  readonly matches?: ((item: T) => boolean) | undefined;
  /** Whose: only what refers to it, by a field that never changes: an index has what comes to it later behind all else. Absent: everybody's. */
  readonly of?: Resource | undefined;
}

/** What a list can be in the order of. */
export interface Placed {
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
}

/** A page of the resources of a kind. In the order in which they were made, and with nothing to match, it ends where the page does. */
export function pageOfMany<K extends KindName>(
  view: View,
  kind: K,
  wanted: Wanted<ResourceOf<K>>,
): Page<ResourceOf<K>> {
  const { of } = wanted;
  if (!of) return pageOfLong(view.all(kind), view.count(kind), wanted);
  return pageOfLong(referrers(view, kind, of), countReferrers(view, kind, of), wanted);
}

/** The same of any items that come in the order in which they were made, such as those of an index; `count` of them. */
export function pageOfLong<T extends Placed>(items: Iterable<T>, count: number, wanted: Wanted<T>): Page<T> {
  const { matches, sort, keyOf } = wanted;
  const found = matches ? filtered(items, matches) : items;
  if (sort !== undefined) return selected(found, wanted, sort, (item) => [keyOf?.(item) ?? item.createdAt, item.id]);
  if (!matches) return inOrder(found, count, wanted);
  const all = [...found];
  return inOrder(all, all.length, wanted);
}

function* filtered<T>(items: Iterable<T>, matches: (item: T) => boolean): Iterable<T> {
  for (const item of items) if (matches(item)) yield item;
}

/** Costs what stands before the page, and the page. It begins after the item that ended the page before, wherever that is by now. */
function inOrder<T extends Placed>(items: Iterable<T>, count: number, { limit, cursor }: Asked): Page<T> {
  const place = cursor === undefined ? undefined : placeIn(cursor);
  const page: T[] = [];
  for (const item of place ? after(items, place) : items) {
    const last = page.at(-1);
    if (last && page.length === limit) return { items: page, count, next: cursorAfter(last, page, place) };
    page.push(item);
  }
  return { items: page, count };
}

/** Where a page ended: when its last item was made; that one, and before it others of the same moment, the nearest first. */
interface Place {
  readonly at: string;
  readonly ids: readonly string[];
}

const placeForm = z.tuple([z.literal(''), z.iso.datetime(), z.string()], z.string());

/** How many ids a cursor names: it is part of an address. */
const mostIds = 12;

function placeIn(cursor: string): Place {
  const [, at, ...ids] = decodeCursor(cursor, placeForm);
  return { at, ids };
}

function cursorAfter<T extends Placed>({ createdAt }: T, page: readonly T[], before: Place | undefined): string {
  const ids = page.filter((item) => item.createdAt === createdAt).map(({ id }) => id);
  const earlier = before?.at === createdAt ? before.ids : [];
  return encodeCursor(['', createdAt, ...[...ids.reverse(), ...earlier].slice(0, mostIds)]);
}

/** Where the last item is gone, what follows is known by the time and by what came before it in the same moment. */
function* after<T extends Placed>(items: Iterable<T>, { at, ids: [last, ...earlier] }: Place): Iterable<T> {
  let found = false;
  const younger: T[] = [];
  for (const item of items) {
    if (found) yield item;
    else if (item.id === last) found = true;
    else if (younger.length > 0 || item.createdAt >= at) younger.push(item);
  }
  if (!found) yield* younger.slice(younger.findLastIndex(({ id }) => earlier.includes(id)) + 1);
}

interface Keyed<T> {
  readonly key: SortKey;
  readonly item: T;
}

/** Looks at each item once, and keeps no more than the page and one that follows. */
function selected<T>(items: Iterable<T>, { limit, cursor }: Asked, sort: string, keyOf: (item: T) => SortKey): Page<T> {
  const sign = sort.startsWith('-') ? -1 : 1;
  const comes = (a: SortKey, b: SortKey) => sign * compareKeys(a, b);
  const end = cursor === undefined ? undefined : keyIn(cursor, sort);
  const kept: Keyed<T>[] = [];
  let count = 0;
  for (const item of items) {
    count += 1;
    const key = keyOf(item);
    if (!end || comes(key, end) > 0) keep(kept, { key, item }, limit + 1, comes);
  }
  const page = kept.slice(0, limit);
  const last = kept.length > limit ? page.at(-1) : undefined;
  return { items: page.map(({ item }) => item), count, ...(last ? { next: encodeCursor([sort, ...last.key]) } : {}) };
}

/** Puts an item into its place among the first `most`. */
function keep<T>(kept: Keyed<T>[], one: Keyed<T>, most: number, comes: (a: SortKey, b: SortKey) => number): void {
  const last = kept.length < most ? undefined : kept.at(-1);
  if (last && comes(one.key, last.key) > 0) return;
  kept.splice(
    placeOf(kept, ({ key }) => comes(key, one.key) < 0),
    0,
    one,
  );
  if (kept.length > most) kept.pop();
}

/** Where the first item stands that does not come before, by halves. */
function placeOf<T>(items: readonly T[], comesBefore: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && comesBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyIn(cursor: string, sort: string): SortKey {
  const form = z.tuple([z.literal(sort), z.union([z.string(), z.number()]), z.string()]);
  const [, first, id] = decodeCursor(cursor, form);
  return [first, id];
}
