// Changes inputs at random, and the same way for the same seed.

/** Numbers from 0 to below `below`, in an order that the seed decides. */
export type Random = (below: number) => number;

/** A source of random numbers (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** The longest input, in bytes. */
export const mostBytes = 1 << 16;

/** An input changed in one to six places; `others` are what pieces are taken from. */
export function mutate(input: Buffer, random: Random, words: readonly string[], others: readonly Buffer[]): Buffer {
  let bytes = input;
  for (let count = 1 + random(6); count > 0; count -= 1) {
    const change = changes[random(changes.length)];
    if (change) bytes = change(bytes, random, words, others).subarray(0, mostBytes);
  }
  return bytes;
}

type Mutation = (bytes: Buffer, random: Random, words: readonly string[], others: readonly Buffer[]) => Buffer;

const changes: readonly Mutation[] = [
  (bytes, random) => withByte(bytes, random, (byte) => byte ^ (1 << random(8))),
  (bytes, random) => withByte(bytes, random, () => random(256)),
  (bytes, random, words) => inserted(bytes, random(bytes.length + 1), wordOf(random, words)),
  (bytes, random, words) => replaced(bytes, random, wordOf(random, words)),
  (bytes, random) => inserted(bytes, random(bytes.length + 1), Buffer.from(strange[random(strange.length)] ?? '')),
  (bytes, random) => spliced(bytes, random(bytes.length + 1), random(1 + Math.min(64, bytes.length)), empty),
  (bytes, random) => inserted(bytes, random(bytes.length + 1), pieceOf(bytes, random)),
  (bytes, random, _words, others) =>
    inserted(bytes, random(bytes.length + 1), pieceOf(others[random(others.length)] ?? bytes, random)),
  (bytes, random) => bytes.subarray(0, random(bytes.length + 1)),
  (bytes, random) => repeated(bytes, random),
  (bytes, random) => lineMoved(bytes, random),
  (bytes, random) => numberChanged(bytes, random),
];

const empty = Buffer.alloc(0);

/** What parsers stumble over. */
const strange = [
  '\0',
  '\ufeff',
  '\ud800',
  '\u2028',
  '\u00a0',
  'é',
  '𝒳',
  '\r\n',
  '\t',
  '\x7f',
  '\ufffe',
  '"',
  "'",
  '\\',
  '%00',
  '__proto__',
];

const numbers = [
  '0',
  '-1',
  '1',
  '255',
  '256',
  '65536',
  '2147483648',
  '9007199254740993',
  '1e309',
  '-0',
  'NaN',
  '0x10',
  '010',
];

function withByte(bytes: Buffer, random: Random, changed: (byte: number) => number): Buffer {
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  const at = random(copy.length);
  copy[at] = changed(copy[at] ?? 0);
  return copy;
}

function wordOf(random: Random, words: readonly string[]): Buffer {
  return Buffer.from(words[random(words.length)] ?? '');
}

function inserted(bytes: Buffer, at: number, piece: Buffer): Buffer {
  return spliced(bytes, at, 0, piece);
}

function replaced(bytes: Buffer, random: Random, piece: Buffer): Buffer {
  return spliced(bytes, random(bytes.length + 1), piece.length, piece);
}

function spliced(bytes: Buffer, at: number, gone: number, piece: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + gone)]);
}

function pieceOf(bytes: Buffer, random: Random): Buffer {
  const from = random(bytes.length + 1);
  return bytes.subarray(from, from + random(200));
}

/** A short piece, many times over: what grows faster than its input shows itself. */
function repeated(bytes: Buffer, random: Random): Buffer {
  const from = random(bytes.length + 1);
  const piece = bytes.subarray(from, from + 1 + random(12));
  const times = 1 + random(random(4) === 0 ? 4096 : 64);
  return inserted(bytes, from, Buffer.concat(Array.from({ length: times }, () => piece)));
}

function lineMoved(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const [line = ''] = lines.splice(random(lines.length), 1);
  const indented = [line, ` ${line}`, line.trimStart(), `${line}\n${line}`][random(4)] ?? line;
  lines.splice(random(lines.length + 1), 0, indented);
  return Buffer.from(lines.join('\n'), 'latin1');
}

function numberChanged(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('latin1');
  const found = [...text.matchAll(/-?\d+/g)];
  const chosen = found[random(found.length)];
  if (!chosen) return bytes;
  const number = numbers[random(numbers.length)] ?? '';
  return Buffer.from(text.slice(0, chosen.index) + number + text.slice(chosen.index + chosen[0].length), 'latin1');
}
