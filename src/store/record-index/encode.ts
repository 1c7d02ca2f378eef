// The bytes of an index: a header, the blocks of the segments that it covers, a fan-out over the directory of terms, and where the records of each stand.
import { crc32 } from 'node:zlib';
import { encodeLine } from '../lines.ts';
import type { Times } from '../record-search.ts';
import { createGrowing, type Growing } from './growing.ts';
import { decodeOffsets } from './offsets.ts';
import { keyLength, termsVersion } from './terms.ts';

/** Up to `blockRecords` records that follow one another: where the first begins, how many they are, and between which times. */
export interface Block extends Times {
  readonly offset: number;
  readonly count: number;
}

/** A segment that an index covers, as it was when it was read. */
export interface Covered {
  readonly name: string;
  readonly bytes: number;
  readonly hash?: string | undefined;
  readonly blocks: readonly Block[];
}

/** Where the records of a term stand in one of the segments, as `offsets.ts` writes them. */
export interface Part {
  readonly segment: number;
  readonly count: number;
  readonly list: Uint8Array;
}

/** A term, and its parts in the order of the segments. */
export interface Term {
  readonly key: string;
  readonly parts: readonly Part[];
}

/** What the first line says. */
export interface RunHeader {
  readonly covered: readonly (Omit<Covered, 'blocks'> & { readonly blocks: number })[];
  /** How many terms there are. */
  readonly count: number;
  /** The directory is split by so many leading bits of a key. */
  readonly bits: number;
  /** How many bytes the postings take. */
  readonly postings: number;
  /** The CRC-32 of blocks and fan-out. */
  readonly sum: number;
}

/** What is in a header of this version. */
export const runMark = { weir: 'record-index', version: 1, terms: termsVersion } as const;

/** The most records in a block. */
export const blockRecords = 64;

/** A block: offset (4 bytes), count (2), oldest and newest (6 each, in milliseconds since 1970). */
export const blockSize = 18;

/** An entry of the fan-out: where its bucket begins in the directory, and the CRC-32 of the bucket. */
export const fanoutSize = 8;

/** An entry of the directory: a key, and two numbers (`inlineBit`). */
export const entrySize = keyLength + 8;

/** In the second number: the only record of the term stands in this segment, at the offset that is the first. Else: where its postings are, and how long their head is. */
export const inlineBit = 0x8000_0000;

/** How many terms a bucket has, more or less. */
const bucketTerms = 32;

/** The bytes of an index in steps, so that it can be sliced; `terms` come in the order of their keys. */
export function* encodeRun(covered: readonly Covered[], terms: Iterable<Term>): Generator<void, Uint8Array[]> {
  const directory = createGrowing(1 << 16);
  const postings = createGrowing(1 << 16);
  let count = 0;
  for (const term of terms) {
    addTerm(term, directory, postings);
    count += 1;
    if (count % 128 === 0) yield;
  }
  const bits = Math.max(0, Math.min(20, Math.ceil(Math.log2(count / bucketTerms))));
  const fanout = yield* fanoutOf(directory.written(), bits);
  const fixed = Buffer.concat([...covered.map(blockBytes), fanout]);
  const header = {
    covered: covered.map(({ blocks, ...segment }) => ({ ...segment, blocks: blocks.length })),
    count,
    bits,
    postings: postings.size,
    sum: crc32(fixed),
  };
  return [Buffer.from(encodeLine({ ...runMark, ...header })), fixed, directory.written(), postings.written()];
}

/** The bucket of a key. */
export function bucketOf(leading: number, bits: number): number {
  return bits === 0 ? 0 : leading >>> (32 - bits);
}

function addTerm({ key, parts }: Term, directory: Growing, postings: Growing): void {
  directory.text(key);
  const [only] = parts;
  if (only && parts.length === 1 && only.count === 1) {
    directory.word(decodeOffsets(only.list)[0] ?? 0);
    directory.word((inlineBit | only.segment) >>> 0);
    return;
  }
  const head = createGrowing(64);
  head.varint(parts.length);
  for (const { segment, count, list } of parts) {
    head.varint(segment);
    head.varint(count);
    head.varint(list.length);
    head.word(crc32(list));
  }
  directory.word(postings.size);
  directory.word(head.size);
  postings.word(crc32(head.written()));
  postings.bytes(head.written());
  for (const { list } of parts) postings.bytes(list);
}

function blockBytes({ blocks }: Covered): Uint8Array {
  const bytes = Buffer.alloc(blocks.length * blockSize);
  for (const [index, { offset, count, oldest, newest }] of blocks.entries()) {
    const at = index * blockSize;
    bytes.writeUInt32BE(offset, at);
    bytes.writeUInt16BE(count, at + 4);
    bytes.writeUIntBE(Date.parse(oldest), at + 6, 6);
    bytes.writeUIntBE(Date.parse(newest), at + 12, 6);
  }
  return bytes;
}

function* fanoutOf(directory: Buffer, bits: number): Generator<void, Uint8Array> {
  const bytes = Buffer.alloc(fanoutSize * 2 ** bits);
  let at = 0;
  for (let bucket = 0; bucket < 2 ** bits; bucket += 1) {
    const first = at;
    while (at < directory.length && bucketOf(directory.readUInt32BE(at), bits) === bucket) at += entrySize;
    bytes.writeUInt32BE(first / entrySize, bucket * fanoutSize);
    bytes.writeUInt32BE(crc32(directory.subarray(first, at)), bucket * fanoutSize + 4);
    if (bucket % 64 === 63) yield;
  }
  return bytes;
}
