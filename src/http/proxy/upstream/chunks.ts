// A body in chunks, as it comes (RFC 9112, 7.1): where its bytes are, where it ends, and what trails it.
import { fieldIn } from './answer-head.ts';

/** Reads one body. */
export interface ChunkReader {
  /**
   * Takes bytes from an index on. What is of the body is moved together, to that index and behind; `end` is the index behind it. `next` is where
   * reading stopped: behind the body, where that is over.
   */
  take(bytes: Buffer, from: number): { readonly end: number; readonly next: number; readonly state: ChunkState };
  /** Names and values in turn, once it is over. */
  trailers(): readonly string[];
}

export type ChunkState = 'more' | 'over' | 'malformed';

/** The most that may stand in the extensions of all chunks, which mean nothing to anybody. */
const mostExtensions = 4096;

/** A chunk of more than 2^40 bytes is no chunk. */
const mostDigits = 10;

const [tab, lineFeed, carriageReturn, semicolon] = [9, 10, 13, 59];

type Part = Step | 'data' | 'over' | 'malformed';
type Step = 'size' | 'extension' | 'size-end' | 'data-return' | 'data-feed' | 'trailer' | 'trailer-end';

/** Begins at the first chunk. Trailers may have `mostTrailers` bytes. */
export function createChunkReader(mostTrailers: number): ChunkReader {
  let part: Part = 'size';
  let [digits, left, extensions, trailing] = [0, 0, 0, 0];
  let line = '';
  const trailers: string[] = [];

  const ofSize = (byte: number): Part => {
    const digit = digitOf(byte);
    if (digit >= 0) {
      digits += 1;
      left = left * 16 + digit;
      return digits > mostDigits ? 'malformed' : 'size';
    }
    if (digits === 0) return 'malformed';
    return byte === carriageReturn ? 'size-end' : byte === semicolon ? 'extension' : 'malformed';
  };
  const ofExtension = (byte: number): Part => {
    extensions += 1;
    if (byte === carriageReturn) return 'size-end';
    return isText(byte) && extensions <= mostExtensions ? 'extension' : 'malformed';
  };
  const afterSize = (byte: number): Part => {
    digits = 0;
    if (byte !== lineFeed) return 'malformed';
    return left > 0 ? 'data' : 'trailer';
  };
  const ofTrailer = (byte: number): Part => {
    trailing += 1;
    if (byte === carriageReturn) return 'trailer-end';
    if (!isText(byte) || trailing > mostTrailers) return 'malformed';
    line += String.fromCharCode(byte);
    return 'trailer';
  };
  const afterTrailer = (byte: number): Part => {
    if (byte !== lineFeed) return 'malformed';
    if (line === '') return 'over';
    const field = fieldIn(line);
    line = '';
    if (field === undefined) return 'malformed';
    trailers.push(...field);
    return 'trailer';
  };
  const step: Readonly<Record<Step, (byte: number) => Part>> = {
    size: ofSize,
    extension: ofExtension,
    'size-end': afterSize,
    'data-return': (byte) => (byte === carriageReturn ? 'data-feed' : 'malformed'),
    'data-feed': (byte) => (byte === lineFeed ? 'size' : 'malformed'),
    trailer: ofTrailer,
    'trailer-end': afterTrailer,
  };

  /** How many of these bytes are data; they are moved to `end`. */
  const move = (bytes: Buffer, end: number, next: number): number => {
    const count = Math.min(left, bytes.length - next);
    if (end !== next) bytes.copyWithin(end, next, next + count);
    left -= count;
    if (left === 0) part = 'data-return';
    return count;
  };

  return {
    take: (bytes, from) => {
      let [end, next] = [from, from];
      while (next < bytes.length && part !== 'over' && part !== 'malformed') {
        if (part === 'data') {
          const count = move(bytes, end, next);
          [end, next] = [end + count, next + count];
        } else {
          part = step[part](bytes[next] ?? 0);
          next += 1;
        }
      }
      return { end, next, state: part === 'over' || part === 'malformed' ? part : 'more' };
    },
    trailers: () => trailers,
  };
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function isText(byte: number): boolean {
  return byte === tab || (byte >= 32 && byte !== 127);
}
