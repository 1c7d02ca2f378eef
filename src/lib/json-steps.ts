// JSON in steps: a long list in an answer is written a few items at a time, so that others have their turn in between.

/** The bytes of what `JSON.stringify` makes of an object. */
export function* jsonSteps(value: object): Generator<void, Buffer> {
  const pieces: Buffer[] = [];
  let piece = '';
  for (const text of parts(value, 2)) {
    piece += text;
    if (piece.length < SIZE) continue;
    pieces.push(Buffer.from(piece));
    piece = '';
    yield;
  }
  pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** What JSON leaves out of an object. */
const unsaid: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol']);

const SIZE = 64 * 1024;

/** What stands in a value is looked into so many levels deep. */
function* parts(value: unknown, depth: number): Generator<string, void> {
  if (depth === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) {
    // A list says null of what JSON cannot say; of an object such fields are left out before.
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    if (!isList && unsaid.has(typeof item)) continue;
    yield isList ? before : `${before}${JSON.stringify(key)}:`;
    yield* parts(item, depth - 1);
    before = ',';
  }
  if (before !== ',') yield before;
  yield isList ? ']' : '}';
}
