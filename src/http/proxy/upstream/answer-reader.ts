// Answers of a runtime out of the bytes of its connection, however they are cut: interim heads, a head, and a body of which the end is known.
import type { RawHeaders } from '../heads.ts';
import { type AnswerHead, answerHead } from './answer-head.ts';
import { type ChunkReader, createChunkReader } from './chunks.ts';

/** Told what was read. */
export interface AnswerListener {
  /** The final head; false where the answer is not wanted. */
  head(head: AnswerHead): boolean;
  /** A piece of the body, good until this returns; of every answer one is the last, and may be empty. */
  piece(bytes: Buffer, isLast: boolean, trailers: RawHeaders): void;
}

/** What became of bytes: more must come, the answer is over, something came behind it, it cannot be read, or it is not wanted. */
export type Verdict = 'more' | 'over' | 'surplus' | 'malformed' | 'unwanted';

/** Reads the answers of one connection, one after another. */
export interface AnswerReader {
  /** An answer to such a request comes next. */
  begin(method: string): void;
  /** Takes bytes, which it may change. */
  take(bytes: Buffer): Verdict;
  /** The connection has ended. */
  ended(): 'over' | 'malformed';
  /** Whether anything of the answer has come. */
  hasBegun(): boolean;
  /** The final head, once it was read. */
  last(): AnswerHead | undefined;
}

const none = Buffer.alloc(0);
const emptyLine = Buffer.from('\r\n\r\n');
const beginning = Buffer.from('HTTP/1.');
const nothing: RawHeaders = [];

/** Heads, interim ones together, and trailers may have `mostHead` bytes each. */
export function createAnswerReader(mostHead: number, listener: AnswerListener): AnswerReader {
  let method = 'GET';
  let held: Buffer = none;
  let [interim, hasBegun] = [0, false];
  let head: AnswerHead | undefined;
  let left = 0;
  let chunks: ChunkReader | undefined;

  const over = (isAll: boolean): Verdict => (isAll ? 'over' : 'surplus');

  const takeHead = (bytes: Buffer): Verdict => {
    const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const end = all.indexOf(emptyLine, Math.max(0, held.length - 3));
    if (end < 0) return hold(all, held.length);
    held = none;
    const found = end > mostHead ? undefined : answerHead(all.toString('latin1', 0, end), method);
    // Nobody asked for another protocol.
    if (found === undefined || found.status === 101) return 'malformed';
    return found.status < 200 ? passOver(all, end + 4) : begun(found, all, end + 4);
  };

  /** Keeps what is there of a head, as long as it can still become one. */
  const hold = (all: Buffer, seen: number): Verdict => {
    held = seen === 0 ? Buffer.from(all) : all;
    return all.length < mostHead + 4 && isSoundSoFar(all, seen) ? 'more' : 'malformed';
  };

  /** Leaves an interim answer out. */
  const passOver = (bytes: Buffer, next: number): Verdict => {
    interim += next;
    if (interim > mostHead) return 'malformed';
    return next < bytes.length ? takeHead(bytes.subarray(next)) : 'more';
  };

  const begun = (found: AnswerHead, bytes: Buffer, from: number): Verdict => {
    head = found;
    if (!listener.head(found)) return 'unwanted';
    if (found.framing === 0) {
      listener.piece(none, true, nothing);
      return over(from === bytes.length);
    }
    if (found.framing === 'chunks') chunks = createChunkReader(mostHead);
    else if (found.framing !== 'close') left = found.framing;
    return from < bytes.length ? takeBody(bytes, from) : 'more';
  };

  const takeBody = (bytes: Buffer, from: number): Verdict => {
    if (chunks !== undefined) return takeChunks(chunks, bytes, from);
    if (head?.framing === 'close') {
      listener.piece(from === 0 ? bytes : bytes.subarray(from), false, nothing);
      return 'more';
    }
    const count = Math.min(left, bytes.length - from);
    left -= count;
    listener.piece(bytes.subarray(from, from + count), left === 0, nothing);
    return left > 0 ? 'more' : over(from + count === bytes.length);
  };

  const takeChunks = (reader: ChunkReader, bytes: Buffer, from: number): Verdict => {
    const { end, next, state } = reader.take(bytes, from);
    const isLast = state === 'over';
    if (state === 'malformed') return state;
    if (isLast || end > from) listener.piece(bytes.subarray(from, end), isLast, isLast ? reader.trailers() : nothing);
    return isLast ? over(next === bytes.length) : 'more';
  };

  return {
    begin: (next) => {
      method = next;
      held = none;
      [interim, hasBegun, left] = [0, false, 0];
      head = undefined;
      chunks = undefined;
    },
    take: (bytes) => {
      hasBegun = true;
      return head === undefined ? takeHead(bytes) : takeBody(bytes, 0);
    },
    ended: () => {
      if (head?.framing !== 'close') return 'malformed';
      listener.piece(none, true, nothing);
      return 'over';
    },
    hasBegun: () => hasBegun,
    last: () => head,
  };
}

/** Whether what is there of a head can still become one; the bytes from an index on were not looked at before. Nobody waits for the end of what is none. */
function isSoundSoFar(bytes: Buffer, from: number): boolean {
  const count = Math.min(bytes.length, beginning.length);
  if (from < count && bytes.compare(beginning, 0, count, 0, count) !== 0) return false;
  let before = from > 0 ? bytes[from - 1] : 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte === 10) !== (before === 13) || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127)
      return false;
    before = byte;
  }
  return true;
}
