// JSON in which the order of keys means nothing.

/** A replacer for `JSON.stringify`: objects come out with their keys in order. That of lists may mean something. */
export function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
