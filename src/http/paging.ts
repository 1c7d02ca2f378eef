// Lists in pages: a limit, and a cursor that says after which item the next page begins.
import { z } from 'zod';
import { Problem } from './errors.ts';
import { describedAs } from './json-schema.ts';

const most = 1000;

/** `?limit=`: 1 to 1000, 100 where nothing is said. */
const limit = describedAs(
  z
    .string()
    .regex(/^[0-9]{1,4}$/, { error: `it is not a whole number from 1 to ${most}` })
    .transform(Number)
    .refine((count) => count >= 1 && count <= most, { error: `it is not a whole number from 1 to ${most}` })
    .default(100),
  { type: 'integer', minimum: 1, maximum: most, default: 100 },
);

/** The parameters of every list. */
export const pageQuery = {
  limit: limit.describe('How many items a page has at most.'),
  cursor: z.string().min(1).max(1000).optional().describe('Where the page begins: `next_cursor` of the page before.'),
};

/** `?q=`, of lists of what has a name. */
export const searchQuery = {
  q: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Only items whose name holds this, whatever the case of its letters.'),
};

/** `?sort=`: one of the fields, with `-` before it for the other way round. */
export function sortQuery<const F extends string>(fields: readonly F[]) {
  const choices = fields.flatMap((field) => [field, `-${field}`]);
  return { sort: z.enum(choices).optional().describe('What to sort by; `-` before it turns the order round.') };
}

/** A list as it is answered; `plural` names its items. */
export function listView<P extends string, S extends z.ZodType>(plural: P, item: S) {
  return z.strictObject({
    meta: z
      .strictObject({
        next_cursor: z.string().optional().describe('Where the next page begins; absent on the last one.'),
      })
      .describe('About this page.'),
    count: z.int().min(0).describe('How many items there are on all pages.'),
    [plural]: z.array(item).describe('The items of this page.'),
  });
}

/** One page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly count: number;
  readonly next?: string;
}

/** The body of a list. */
export function listBody<T>(plural: string, { items, count, next }: Page<T>, shown: (item: T) => unknown) {
  return { meta: next === undefined ? {} : { next_cursor: next }, count, [plural]: items.map(shown) };
}

/** What a list is sorted by: a number or text first, a text that tells items apart second. */
export type SortKey = readonly [first: string | number, id: string];

/** Items in the order of their keys. Each key is made once. */
export function sortedBy<T>(items: Iterable<T>, keyOf: (item: T) => SortKey): readonly T[] {
  const keyed = Array.from(items, (item) => ({ item, key: keyOf(item) }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item);
}

/** The page that `limit` and `cursor` name of a list sorted by `keyOf`; `order` begins with `-` where the list is read from its end.
 * It is part of the cursor: one of another order is refused. */
export function pageOf<T>(
  sorted: readonly T[],
  query: { readonly limit: number; readonly cursor?: string | undefined },
  order: string,
  keyOf: (item: T) => SortKey,
): Page<T> {
  const turned = order.startsWith('-');
  const items = turned ? sorted.toReversed() : sorted;
  const after = query.cursor === undefined ? undefined : keyIn(query.cursor, order);
  const follows = (item: T, key: SortKey) => (turned ? -1 : 1) * compareKeys(keyOf(item), key) > 0;
  const start = after ? items.findIndex((item) => follows(item, after)) : 0;
  const page = start < 0 ? [] : items.slice(start, start + query.limit);
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return { items: page, count: items.length, ...(more ? { next: encodeCursor([order, ...keyOf(last)]) } : {}) };
}

/** Which of two comes first. */
export function compareKeys([a, aId]: SortKey, [b, bId]: SortKey): number {
  return compare(a, b) || compare(aId, bId);
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A cursor from what it holds: opaque to whoever carries it. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** What a cursor holds. Throws `invalid_request` for what is not a cursor of this list. */
export function decodeCursor<S extends z.ZodType>(cursor: string, form: S): z.output<S> {
  const parsed = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw new Problem('invalid_request', { detail: 'The cursor is not one of this list: leave it out to begin anew.' });
}

const cursorForm = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

function keyIn(cursor: string, order: string): SortKey {
  const [of, first, id] = decodeCursor(
    cursor,
    cursorForm.refine(([named]) => named === order),
  );
  return of === order ? [first, id] : ['', ''];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
