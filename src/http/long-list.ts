// Pages of kinds that may have very many: without copying or sorting all of them for each request.
import { z } from 'zod';
import type { KindName } from '../core/kinds/index.ts';
import type { ResourceOf } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { compareKeys, decodeCursor, encodeCursor, type Page, type SortKey } from './paging.ts';

/** What is wanted of all resources of a kind. */
export interface Wanted<T> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Absent: the order in which they were made. `-` before it turns it round. */
  readonly sort?: string | undefined;
  /** What `sort` sorts by. */
  readonly keyOf?: (resource: T) => string | number;
  /** Absent: all of them. */
  readonly matches?: ((resource: T) => boolean) | undefined;
}

/** A page of all resources of a kind. In the order in which they were made, and with nothing to match, it ends where the page does. */
export function pageOfMany<K extends KindName>(
  view: View,
  kind: K,
  wanted: Wanted<ResourceOf<K>>,
): Page<ResourceOf<K>> {
  return wanted.sort === undefined ? inOrder(view, kind, wanted) : selected(view, kind, wanted, wanted.sort);
}

function inOrder<K extends KindName>(view: View, kind: K, wanted: Wanted<ResourceOf<K>>): Page<ResourceOf<K>> {
  const { limit, cursor, matches } = wanted;
  const begins = cursor === undefined ? () => true : follows(view, kind, cursor);
  const items: ResourceOf<K>[] = [];
  let [counted, more] = [0, false];
  for (const resource of view.all(kind)) {
    // Asked of each, because the page begins after one that need not match any more.
    const isAfter = begins(resource);
    if (matches && !matches(resource)) continue;
    counted += 1;
    if (!isAfter) continue;
    more = items.length === limit;
    if (!more) items.push(resource);
    else if (!matches) break;
  }
  const last = items.at(-1);
  const next = more && last ? { next: encodeCursor(['', last.createdAt, last.id]) } : {};
  return { items, count: matches ? counted : view.count(kind), ...next };
}

/** Whether a resource stands after the last one of the page before; where that is gone, whether it is as young. */
function follows<K extends KindName>(view: View, kind: K, cursor: string): (resource: ResourceOf<K>) => boolean {
  const [, createdAt, id] = decodeCursor(cursor, z.tuple([z.literal(''), z.string(), z.string()]));
  const isGone = view.get(kind, id) === undefined;
  let passed = false;
  return (resource) => {
    const isAfter = passed;
    if (isGone) passed ||= resource.createdAt >= createdAt;
    else passed ||= resource.id === id;
    return isGone ? passed : isAfter;
  };
}

/** Keeps no more than a page while it looks at each once. */
function selected<K extends KindName>(
  view: View,
  kind: K,
  { limit, cursor, keyOf, matches }: Wanted<ResourceOf<K>>,
  sort: string,
): Page<ResourceOf<K>> {
  const sign = sort.startsWith('-') ? -1 : 1;
  const comes = (a: SortKey, b: SortKey) => sign * compareKeys(a, b);
  const after = cursor === undefined ? undefined : keyIn(cursor, sort);
  const page: Keyed<ResourceOf<K>>[] = [];
  let [count, rest] = [0, 0];
  for (const resource of view.all(kind)) {
    if (matches && !matches(resource)) continue;
    count += 1;
    const key: SortKey = [keyOf?.(resource) ?? resource.name, resource.id];
    if (after && comes(key, after) <= 0) continue;
    rest += 1;
    keep(page, { key, resource }, limit, comes);
  }
  const last = page.at(-1);
  const next = last && rest > page.length ? { next: encodeCursor([sort, ...last.key]) } : {};
  return { items: page.map(({ resource }) => resource), count, ...next };
}

interface Keyed<T> {
  readonly key: SortKey;
  readonly resource: T;
}

/** Puts an item into its place among the first `limit`. */
function keep<T>(page: Keyed<T>[], item: Keyed<T>, limit: number, comes: (a: SortKey, b: SortKey) => number): void {
  const last = page.length < limit ? undefined : page.at(-1);
  if (last && comes(item.key, last.key) > 0) return;
  page.splice(
    placeOf(page, ({ key }) => comes(key, item.key) < 0),
    0,
    item,
  );
  if (page.length > limit) page.pop();
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
