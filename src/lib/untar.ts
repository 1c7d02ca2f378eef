// Reads tar as it comes, and takes nothing but plain files: who writes to a disk what others packed has to be strict.
import { block, checksumOf } from './tar.ts';

/** An entry. Its content has to be read to its end before the next one is asked for. */
export interface TarEntry {
  readonly path: string;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Why something is no archive that is taken: it ends too early, it is not tar, or it holds what is no plain file. */
export class BadTar extends Error {
  override readonly name = 'BadTar';
  readonly reason: 'truncated' | 'damaged' | 'unsafe';
  constructor(reason: BadTar['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The files of an archive, in order (ustar, with pax names and sizes). Throws `BadTar`, and whatever `source` throws. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = readerOf(source);
  let pax = new Map<string, string>();
  for (;;) {
    const header = await bytes.exactly(block);
    if (header.every((byte) => byte === 0)) return checkEnd(bytes);
    const { path, size, type } = readHeader(header);
    if (type === 'x') {
      pax = readPax(await paddedContent(bytes, size));
      continue;
    }
    if (type !== '0' && type !== '\0')
      throw new BadTar('unsafe', `${quoted(path)} is ${typeNames[type] ?? 'no plain file'}`);
    const entry = { path: pax.get('path') ?? path, size: sizeIn(pax) ?? size };
    pax = new Map();
    const left = { bytes: entry.size };
    yield { ...entry, content: contentOf(bytes, left) };
    if (left.bytes > 0) throw new Error(`the content of ${entry.path} was not read to its end`);
    await bytes.exactly((block - (entry.size % block)) % block);
  }
}

const typeNames: Readonly<Record<string, string>> = {
  '1': 'a link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '5': 'a folder',
  '6': 'a pipe',
};

interface Bytes {
  /** Exactly so many; throws where there are fewer. */
  exactly(count: number): Promise<Buffer>;
  /** Some, at most so many, at least one. */
  some(most: number): Promise<Buffer>;
  /** Whether nothing but zeros follows. */
  onlyZeros(): Promise<boolean>;
}

function readerOf(source: AsyncIterable<Uint8Array>): Bytes {
  const chunks = source[Symbol.asyncIterator]();
  let kept: Buffer = Buffer.alloc(0);
  const more = async () => {
    while (kept.length === 0) {
      const { value, done } = await chunks.next();
      if (done) return false;
      kept = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return true;
  };
  const some = async (most: number) => {
    if (!(await more())) throw new BadTar('truncated', 'it ends too early');
    const taken = kept.subarray(0, most);
    kept = kept.subarray(taken.length);
    return taken;
  };
  return {
    some,
    exactly: async (count) => {
      const parts: Buffer[] = [];
      for (let left = count; left > 0; left -= parts.at(-1)?.length ?? 0) parts.push(await some(left));
      return Buffer.concat(parts);
    },
    onlyZeros: async () => {
      while (await more()) if ((await some(1 << 16)).some((byte) => byte !== 0)) return false;
      return true;
    },
  };
}

async function checkEnd(bytes: Bytes): Promise<void> {
  await bytes.exactly(block);
  if (!(await bytes.onlyZeros())) throw new BadTar('damaged', 'something follows its end');
}

function readHeader(header: Buffer): { readonly path: string; readonly size: number; readonly type: string } {
  const sum = octalIn(header, 148, 8);
  if (sum !== checksumOf(header)) throw new BadTar('damaged', 'the header of an entry is not what was written');
  const size = octalIn(header, 124, 12);
  if (size === undefined) throw new BadTar('damaged', 'the size of an entry is not readable');
  const [name, prefix] = [textIn(header, 0, 100), textIn(header, 345, 155)];
  return { path: prefix === '' ? name : `${prefix}/${name}`, size, type: header.toString('latin1', 156, 157) };
}

function octalIn(header: Buffer, at: number, width: number): number | undefined {
  const text = /^([0-7]+)[\0 ]*$/.exec(header.toString('latin1', at, at + width))?.[1];
  return text === undefined ? undefined : Number.parseInt(text, 8);
}

function textIn(header: Buffer, at: number, width: number): string {
  const field = header.subarray(at, at + width);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? width : end);
}

/** Names and sizes are short: nobody has a reason for more. */
const mostPax = 1 << 16;

async function paddedContent(bytes: Bytes, size: number): Promise<Buffer> {
  if (size > mostPax) throw new BadTar('damaged', `an extended header of ${size} bytes`);
  const padded = await bytes.exactly(Math.ceil(size / block) * block);
  return padded.subarray(0, size);
}

function readPax(body: Buffer): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const digits = /^(\d{1,6}) /.exec(body.toString('latin1', at, at + 7))?.[1];
    const length = Number(digits);
    const record = body.toString('utf8', at + String(digits).length + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (digits === undefined || at + length > body.length || body[at + length - 1] !== 10 || equals < 1)
      throw new BadTar('damaged', 'an extended header is not readable');
    found.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return found;
}

function sizeIn(pax: ReadonlyMap<string, string>): number | undefined {
  const text = pax.get('size');
  if (text === undefined) return undefined;
  const size = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(size))
    throw new BadTar('damaged', 'the size of an entry is not readable');
  return size;
}

async function* contentOf(bytes: Bytes, left: { bytes: number }): AsyncGenerator<Uint8Array> {
  while (left.bytes > 0) {
    const piece = await bytes.some(left.bytes);
    left.bytes -= piece.length;
    yield piece;
  }
}

function quoted(path: string): string {
  return JSON.stringify(path);
}
