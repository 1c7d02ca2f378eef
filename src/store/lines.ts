// The line format of all files of a store: one JSON object a line, opened by the CRC-32 of what follows it.
import { crc32 } from 'node:zlib';
import { type OpenFile, readFully } from './file-system.ts';

/** One line as it was read. `value` is undefined when the line is damaged or not complete. */
export interface Line {
  readonly offset: number;
  /** Where the next line begins. */
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
  readonly value: any;
  /** What stands behind the checksum, as bytes. */
  readonly body: Uint8Array;
}

/** `{"crc":"0a1b2c3d","seq":1,…}` and a line feed; the CRC-32 is that of the bytes after its comma. */
export function encodeLine(value: object): string {
  return lineAround(JSON.stringify(value).slice(1));
}

/** The line around a body: JSON text without its opening brace. */
export function lineAround(body: string): string {
  return `${opening(crc32(body))}${body}\n`;
}

/** The bytes of a line whose first fields are known last: `first` is JSON text that ends in a comma. */
export function frameLine(first: string, body: Uint8Array): Uint8Array[] {
  return [Buffer.from(opening(crc32(body, crc32(first))) + first), body, lineFeed];
}

/** What `frameLine` takes for a body. Throws for what JSON cannot hold. */
export function encodeBody(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value).slice(1));
}

/**
 * The same bytes in steps, for a value whose lists are long: `head` holds its first fields, each of `lists` is written item by item.
 */
export function* encodeBodySteps(
  head: object,
  lists: readonly (readonly [name: string, items: readonly object[]])[],
): Generator<void, Uint8Array, void> {
  const parts: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(1, -1))];
  for (const [name, items] of lists) {
    let opening = `,${JSON.stringify(name)}:[`;
    for (let at = 0; at < items.length; at += pieceSize) {
      const piece = items.slice(at, at + pieceSize).map((item) => JSON.stringify(item));
      parts.push(Buffer.from(opening + piece.join(',')));
      opening = ',';
      yield;
    }
    parts.push(Buffer.from(items.length === 0 ? `${opening}]` : ']'));
  }
  return Buffer.concat([...parts, Buffer.from('}')]);
}

const pieceSize = 64;

/** Calls `onLine` for each line of a file from its beginning, in pieces of up to a megabyte; answers where the file ends. */
export async function scanLines(file: Pick<OpenFile, 'read'>, onLine: (line: Line) => void): Promise<number> {
  let carry = Buffer.alloc(0);
  let offset = 0;
  for (let room = 1 << 14; ; room = Math.min(room * 2, 1 << 20)) {
    const chunk = Buffer.allocUnsafe(room);
    const count = await file.read(chunk, offset + carry.length);
    if (count === 0) break;
    const piece = carry.length === 0 ? chunk.subarray(0, count) : Buffer.concat([carry, chunk.subarray(0, count)]);
    let start = 0;
    for (let feed = piece.indexOf(10, carry.length); feed >= 0; feed = piece.indexOf(10, start)) {
      const line = piece.subarray(start, feed);
      onLine({
        offset: offset + start,
        end: offset + feed + 1,
        value: decodeLine(line),
        body: line.subarray(openingLength),
      });
      start = feed + 1;
    }
    carry = piece.subarray(start);
    offset += start;
  }
  if (carry.length > 0)
    onLine({ offset, end: offset + carry.length, value: undefined, body: carry.subarray(openingLength) });
  return offset + carry.length;
}

/** The lines of a file from a byte on, read piece by piece: whoever has enough stops. */
export async function* scanOnward(file: Pick<OpenFile, 'read'>, offset: number): AsyncGenerator<Line> {
  let carry = Buffer.alloc(0);
  let start = offset;
  for (let room = 1 << 12; ; room = Math.min(room * 2, 1 << 18)) {
    const chunk = Buffer.allocUnsafe(room);
    const count = await file.read(chunk, start + carry.length);
    if (count === 0) break;
    const piece = Buffer.concat([carry, chunk.subarray(0, count)]);
    let from = 0;
    for (let feed = piece.indexOf(10, carry.length); feed >= 0; feed = piece.indexOf(10, from)) {
      yield lineOf(piece.subarray(from, feed + 1), start + from);
      from = feed + 1;
    }
    carry = piece.subarray(from);
    start += from;
  }
  if (carry.length > 0) yield lineOf(carry, start);
}

/**
 * The lines of a file before `end`, the last one first. Those that `wanted` does not want are passed over, and not parsed. It is asked of many
 * lines at once, too: what it wants none of holds no line that it wants.
 */
export async function* scanBackwards(
  file: OpenFile,
  end: number,
  wanted: (lines: Buffer) => boolean = () => true,
): AsyncGenerator<Line> {
  let carry = Buffer.alloc(0);
  let start = end;
  while (start > 0) {
    const size = Math.min(start, 1 << 18);
    start -= size;
    let piece = Buffer.concat([await bytesOf(file, start, size), carry]);
    // Nearly all lines are those of others, and to look at each of them takes twenty times as long.
    if (!wanted(piece)) piece = piece.subarray(0, piece.indexOf(10) + 1 || piece.length);
    // The line feed at the very end of a piece closes its last line; the one before it opens that line.
    for (let feed = piece.lastIndexOf(10, -2); piece.length > 1 && feed >= 0; feed = piece.lastIndexOf(10, -2)) {
      const line = piece.subarray(feed + 1);
      if (wanted(line)) yield lineOf(line, start + feed + 1);
      piece = piece.subarray(0, feed + 1);
    }
    carry = piece;
  }
  if (carry.length > 0 && wanted(carry)) yield lineOf(carry, 0);
}

/** The line that begins at a byte of a file. */
export async function lineAt(file: OpenFile, offset: number): Promise<Line> {
  for (let room = 1 << 11; ; room *= 4) {
    const piece = Buffer.allocUnsafe(room);
    const bytes = piece.subarray(0, (await readFully(file, piece, offset)).length);
    const end = bytes.indexOf(10);
    if (end >= 0) return lineOf(bytes.subarray(0, end + 1), offset);
    if (bytes.length < room) return lineOf(bytes, offset);
  }
}

async function bytesOf(file: OpenFile, start: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const count = await file.read(bytes.subarray(done), start + done);
    if (count === 0) throw new Error(`the file ends before byte ${start + size}`);
    done += count;
  }
  return bytes;
}

const lineFeed = Buffer.from('\n');
const openingLength = 18;
const openingStart = Buffer.from('{"crc":"');

function opening(crc: number): string {
  return `{"crc":"${crc.toString(16).padStart(8, '0')}",`;
}

function lineOf(bytes: Buffer, offset: number): Line {
  const line = bytes.at(-1) === 10 ? bytes.subarray(0, -1) : undefined;
  const value = line && decodeLine(line);
  return { offset, end: offset + bytes.length, value, body: (line ?? bytes).subarray(openingLength) };
}

function decodeLine(bytes: Buffer): unknown {
  if (bytes.length <= openingLength || bytes.compare(openingStart, 0, 8, 0, 8) !== 0) return undefined;
  const crc = bytes.toString('latin1', 8, 16);
  if (crc !== crc32(bytes.subarray(openingLength)).toString(16).padStart(8, '0')) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
