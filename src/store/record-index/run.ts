// One file of the index, open for reading: the terms of the records of some segments that follow one another.
import { crc32 } from 'node:zlib';
import { putNewest } from '../../lib/put-newest.ts';
import { type FileSystem, type OpenFile, readFully } from '../file-system.ts';
import { scanLines } from '../lines.ts';
import {
  type Block,
  blockSize,
  bucketOf,
  type Covered,
  entrySize,
  fanoutSize,
  inlineBit,
  type Part,
  type RunHeader,
  runMark,
  type Term,
} from './encode.ts';
import { readVarint } from './growing.ts';
import { decodeOffsets, encodeOffsets } from './offsets.ts';
import { keyLength } from './terms.ts';

/** The records of a term in one segment. */
export interface Posting {
  /** Which of the segments that the run covers. */
  readonly segment: number;
  readonly count: number;
  /** Newest first. Rejects with `DamagedRun`. */
  offsets(): Promise<readonly number[]>;
}

/** A run. Its methods reject with `DamagedRun` where the file is not what was written. */
export interface Run {
  readonly path: string;
  readonly covered: readonly Covered[];
  /** How large the file is. */
  readonly bytes: number;
  /** Where the records of a term stand, by its key; oldest segment first. */
  find(key: string): Promise<readonly Posting[]>;
  /** All terms, in the order of their keys. */
  terms(): Promise<Iterable<Term>>;
  /** Keeps the file open until what it answers is called. */
  hold(): () => void;
  /** Lets the file go as soon as nobody holds it. */
  retire(): Promise<void>;
}

/** A run is not what was written: it is of no use. */
export class DamagedRun extends Error {
  override readonly name = 'DamagedRun';
  readonly path: string;
  constructor(path: string) {
    super(`${path} is damaged`);
    this.path = path;
  }
}

/** Opens a run. Rejects with `DamagedRun` also where it is of another version. */
export async function openRun(files: FileSystem, path: string): Promise<Run> {
  const file = await files.open(path, 'read');
  try {
    return runIn(file, path, await openedIn(file, path));
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

interface Opened {
  readonly header: RunHeader;
  readonly covered: readonly Covered[];
  readonly fanout: Buffer;
  readonly bytes: number;
  /** Where they begin. */
  readonly directory: number;
  readonly postings: number;
}

async function openedIn(file: OpenFile, path: string): Promise<Opened> {
  const first = await headerIn(file);
  if (!first) throw new DamagedRun(path);
  const { header, end } = first;
  const blocks = header.covered.reduce((sum, segment) => sum + segment.blocks, 0) * blockSize;
  const directory = end + blocks + fanoutSize * 2 ** header.bits;
  const postings = directory + header.count * entrySize;
  const bytes = postings + header.postings;
  const fixed = await readFully(file, Buffer.allocUnsafe(directory - end), end);
  if (crc32(fixed) !== header.sum || (await file.size()) !== bytes) throw new DamagedRun(path);
  const fanout = Buffer.from(fixed.subarray(blocks));
  return { header, covered: coveredIn(header, Buffer.from(fixed)), fanout, bytes, directory, postings };
}

async function headerIn(file: OpenFile): Promise<{ readonly header: RunHeader; readonly end: number } | undefined> {
  const found: { header?: RunHeader; end?: number } = {};
  // A file that seems to end behind its first line, at the latest.
  const beginning = {
    read: async (into: Uint8Array, position: number) => (found.end === undefined ? file.read(into, position) : 0),
  };
  await scanLines(beginning, ({ offset, end, value }) => {
    if (offset > 0) return;
    found.end = end;
    const { weir, version, terms } = value ?? {};
    const isOurs = weir === runMark.weir && version === runMark.version && terms === runMark.terms;
    if (isOurs) found.header = value;
  });
  const { header, end } = found;
  return header && end !== undefined ? { header, end } : undefined;
}

function coveredIn({ covered }: RunHeader, bytes: Buffer): Covered[] {
  let at = 0;
  return covered.map(({ blocks: count, ...segment }) => {
    const blocks: Block[] = [];
    for (let end = at + count * blockSize; at < end; at += blockSize)
      blocks.push({
        offset: bytes.readUInt32BE(at),
        count: bytes.readUInt16BE(at + 4),
        oldest: new Date(bytes.readUIntBE(at + 6, 6)).toISOString(),
        newest: new Date(bytes.readUIntBE(at + 12, 6)).toISOString(),
      });
    return { ...segment, blocks };
  });
}

function runIn(file: OpenFile, path: string, opened: Opened): Run {
  const { header, covered, bytes } = opened;
  const damaged = () => new DamagedRun(path);
  let holders = 0;
  let retired: PromiseWithResolvers<void> | undefined;
  /** Whoever counts what there is of a term reads some of it, too, and goes on. */
  const lately = new Map<string, readonly Posting[]>();
  const find = async (key: string): Promise<readonly Posting[]> => {
    const bucket = await bucketIn(file, opened, key, damaged);
    const at = entryIn(bucket, key);
    if (at === undefined) return [];
    const [where, how] = [bucket.readUInt32BE(at + keyLength), bucket.readUInt32BE(at + keyLength + 4)];
    if (how >= inlineBit) return [{ segment: how - inlineBit, count: 1, offsets: async () => [where] }];
    return postingsIn(file, opened, where, how, damaged);
  };
  const letGo = () => {
    if (retired && holders === 0) file.close().then(retired.resolve, retired.resolve);
  };
  return {
    path,
    covered,
    bytes,
    find: async (key) => {
      const known = lately.get(key);
      if (known) return known;
      const found = await find(key);
      putNewest(lately, key, found, 16);
      return found;
    },
    terms: async () => {
      const rest = Buffer.allocUnsafe(bytes - opened.directory);
      if ((await readFully(file, rest, opened.directory)).length < rest.length) throw damaged();
      return termsIn(rest, header, opened.fanout, damaged);
    },
    hold: () => {
      holders += 1;
      return () => {
        holders -= 1;
        letGo();
      };
    },
    retire: () => {
      if (!retired) {
        retired = Promise.withResolvers();
        letGo();
      }
      return retired.promise;
    },
  };
}

async function bucketIn(
  file: OpenFile,
  { fanout, header, directory }: Opened,
  key: string,
  damaged: () => Error,
): Promise<Buffer> {
  const bucket = bucketOf(Buffer.from(key, 'latin1').readUInt32BE(0), header.bits);
  const [first, sum] = [fanout.readUInt32BE(bucket * fanoutSize), fanout.readUInt32BE(bucket * fanoutSize + 4)];
  const isLast = (bucket + 1) * fanoutSize >= fanout.length;
  const end = isLast ? header.count : fanout.readUInt32BE((bucket + 1) * fanoutSize);
  return read(file, directory + first * entrySize, (end - first) * entrySize, sum, damaged);
}

function entryIn(bucket: Buffer, key: string): number | undefined {
  for (let at = 0; at < bucket.length; at += entrySize)
    if (bucket.toString('latin1', at, at + keyLength) === key) return at;
  return undefined;
}

async function postingsIn(
  file: OpenFile,
  { postings, header }: Opened,
  where: number,
  headSize: number,
  damaged: () => Error,
): Promise<Posting[]> {
  // Most lists are short: they come along with their head.
  const size = Math.min(4 + headSize + readAhead, header.postings - where);
  const bytes = Buffer.alloc(size);
  const there = await readFully(file, bytes, postings + where);
  const head = bytes.subarray(4, 4 + headSize);
  if (there.length < size || head.length < headSize || crc32(head) !== bytes.readUInt32BE(0)) throw damaged();
  let start = 4 + headSize;
  return partsIn(head).map(({ segment, count, length, sum }) => {
    const [from, end] = [start, start + length];
    start = end;
    const list = async () => {
      if (end > size) return read(file, postings + where + from, length, sum, damaged);
      return checked(bytes.subarray(from, end), sum, damaged);
    };
    return { segment, count, offsets: async () => decodeOffsets(await list()) };
  });
}

/** A page of the file. */
const readAhead = 4096;

/** What a head says of each part: how long its list is, and the CRC-32 of it. */
function partsIn(head: Buffer): (Omit<Part, 'list'> & { readonly length: number; readonly sum: number })[] {
  const parts = [];
  let [left, at] = readVarint(head, 0);
  for (; left > 0; left -= 1) {
    const [segment, afterSegment] = readVarint(head, at);
    const [count, afterCount] = readVarint(head, afterSegment);
    const [length, afterLength] = readVarint(head, afterCount);
    parts.push({ segment, count, length, sum: head.readUInt32BE(afterLength) });
    at = afterLength + 4;
  }
  return parts;
}

function* termsIn(rest: Buffer, header: RunHeader, fanout: Buffer, damaged: () => Error): Generator<Term> {
  const end = header.count * entrySize;
  if (rest.length < end + header.postings) throw damaged();
  for (let bucket = 0; bucket < fanout.length; bucket += fanoutSize) {
    const first = fanout.readUInt32BE(bucket) * entrySize;
    const after = bucket + fanoutSize >= fanout.length ? end : fanout.readUInt32BE(bucket + fanoutSize) * entrySize;
    checked(rest.subarray(first, after), fanout.readUInt32BE(bucket + 4), damaged);
    for (let at = first; at < after; at += entrySize) {
      const key = rest.toString('latin1', at, at + keyLength);
      const [where, how] = [rest.readUInt32BE(at + keyLength), rest.readUInt32BE(at + keyLength + 4)];
      if (how >= inlineBit)
        yield { key, parts: [{ segment: how - inlineBit, count: 1, list: encodeOffsets([where]) }] };
      else yield { key, parts: listed(rest.subarray(end + where), how, damaged) };
    }
  }
}

function listed(posting: Buffer, headSize: number, damaged: () => Error): Part[] {
  let at = 4 + headSize;
  const head = checked(posting.subarray(4, at), posting.readUInt32BE(0), damaged);
  return partsIn(head).map(({ segment, count, length, sum }) => {
    const list = checked(posting.subarray(at, at + length), sum, damaged);
    at += length;
    return { segment, count, list };
  });
}

async function read(file: OpenFile, position: number, length: number, sum: number, damaged: () => Error) {
  const bytes = Buffer.allocUnsafe(length);
  const there = await readFully(file, bytes, position);
  if (there.length < length) throw damaged();
  return checked(bytes, sum, damaged);
}

function checked<B extends Uint8Array>(bytes: B, sum: number, damaged: () => Error): B {
  if (crc32(bytes) !== sum) throw damaged();
  return bytes;
}
