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

/** Up to how many bytes are moved one by one: below that a call that moves them costs more. */
const mostByHand = 48;

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

  const isBetween = () => part === 'size' && digits === 0;
  const stepOf = (at: Part, byte: number): Part => (at === 'data' || isEnd(at) ? at : step[at](byte));

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
      while (next < bytes.length && !isEnd(part)) {
        if (isBetween()) ({ end, next } = wholeChunks(bytes, end, next));
        if (next === bytes.length) break;
        if (part === 'data') {
          const count = move(bytes, end, next);
          [end, next] = [end + count, next + count];
        } else part = stepOf(part, bytes[next++] ?? 0);
      }
      return { end, next, state: isEnd(part) ? part : 'more' };
    },
    trailers: () => trailers,
  };
}

function isEnd(part: Part): part is 'over' | 'malformed' {
  return part === 'over' || part === 'malformed';
}

/**
 * Takes chunks for as long as each is there as a whole and has nothing but a size and data, which is what nearly all are; at the first one that
 * is not it stops, and the steps say what that is. A runtime may send a byte a chunk, and each would cost a dozen calls.
 */
function wholeChunks(bytes: Buffer, from: number, start: number): { readonly end: number; readonly next: number } {
  let [end, next] = [from, start];
  for (;;) {
    let at = next;
    let size = 0;
    for (let digit = digitOf(bytes[at] ?? 0); digit >= 0; digit = digitOf(bytes[at] ?? 0)) {
      size = size * 16 + digit;
      at += 1;
      if (at - next > mostDigits) return { end, next };
    }
    const data = at + 2;
    const behind = data + size;
    const isWhole = size > 0 && behind + 2 <= bytes.length && isLineEnd(bytes, at) && isLineEnd(bytes, behind);
    if (!isWhole) return { end, next };
    moveTo(bytes, end, data, behind);
    end += size;
    next = behind + 2;
  }
}

function moveTo(bytes: Buffer, end: number, data: number, behind: number): void {
  if (behind - data > mostByHand) bytes.copyWithin(end, data, behind);
  else for (let step = 0; data + step < behind; step++) bytes[end + step] = bytes[data + step] ?? 0;
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function isText(byte: number): boolean {
  return byte === tab || (byte >= 32 && byte !== 127);
}
