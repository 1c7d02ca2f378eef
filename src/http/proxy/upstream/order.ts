// A request on its way to a runtime, and who is told what becomes of it.
import type { IncomingMessage } from 'node:http';
import type { RawHeaders } from '../heads.ts';
import type { AnswerHead } from './answer-head.ts';

/** A request, as it goes out. */
export interface Order {
  readonly method: string;
  /** All of its head, as it goes over the wire. */
  readonly head: string;
  readonly body: OrderBody | undefined;
  /** Whether only a new connection will do: one that was kept has just turned out to be gone. */
  readonly isFresh: boolean;
  /** How long the runtime may take to begin its answer, in milliseconds. */
  readonly headMs: number;
  readonly recipient: Recipient;
}

export interface OrderBody {
  readonly from: IncomingMessage;
  /** Whether it goes in chunks, because nobody knows how long it is. */
  readonly isChunked: boolean;
  /** How many bytes it may have. */
  readonly mostBytes: number;
}

/** Who gets the answer. After `head` answered false, a last piece, or `failed`, nothing more comes. */
export interface Recipient {
  /** False where the answer is not wanted; then its connection is cut. */
  head(head: AnswerHead): boolean;
  /** Whether more may come; where not, `resume` of the order under way lets it. */
  piece(piece: Piece): boolean;
  failed(trouble: Trouble): void;
}

/** A piece of the body of an answer. */
export interface Piece {
  readonly bytes: Buffer;
  readonly isLast: boolean;
  readonly trailers: RawHeaders;
  /** Where the bytes may be kept: gives them back. Without it they are good only until `piece` returns. */
  readonly giveBack: (() => void) | undefined;
}

/**
 * What went wrong: a connection that was kept ended before anything of the answer came; it ended otherwise; what came cannot be read; it came too late;
 * the body of the request is too large.
 */
export type Trouble = 'stale' | 'ended' | 'malformed' | 'late' | 'too-large';

/** An order that was placed. */
export interface Placed {
  /** Lets more of the answer come. */
  resume(): void;
  /** Gives it up; nothing more is told. */
  abandon(): void;
}
