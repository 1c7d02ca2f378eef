// One connection to a runtime, which carries one request after another for as long as both sides agree where each answer ends.
import { maxHeaderSize } from 'node:http';
import { connect } from 'node:net';
import { attempt, containEvents } from '../contained.ts';
import { type AnswerReader, createAnswerReader, type Verdict } from './answer-reader.ts';
import type { Buffers } from './buffers.ts';
import type { Order, Placed, Trouble } from './order.ts';
import { sendBody } from './send-body.ts';

/** A connection. */
export interface Connection {
  /** Sends a request. Only where nothing else is under way. */
  send(order: Order): Placed;
  /** Ends it if what it waits for is overdue. */
  look(now: number): void;
  /** Until when it may be used again. */
  readonly goodUntil: () => number;
  /** Cuts it. What is under way is told that it ended. */
  destroy(): void;
}

/** Where it goes, and what it needs. */
export interface Way {
  readonly host: string;
  readonly port: number;
  readonly buffers: Buffers;
  /** How long a runtime may be silent within an answer, in milliseconds. */
  readonly bodyMs: number;
  /** The answer is over, and the connection good for another. */
  readonly free: (connection: Connection) => void;
  /** Called once: there is no connection any more. */
  readonly gone: (connection: Connection) => void;
  /** Is told of what was thrown and nobody foresaw: it fails what is under way here, and nothing else. */
  readonly log: (error: unknown) => void;
}

const connectMs = 10_000;

/** Runtimes close what is idle after five seconds, or after as long as they say; a request must not meet that. */
const [usualIdleMs, marginMs, mostIdleMs] = [2000, 2000, 60_000];

/** How many answers a connection carries before it is made anew. */
const mostAnswers = 100_000;

/** Opens one. */
export function openConnection({ host, port, buffers, bodyMs, free, gone, log }: Way): Connection {
  let order: Order | undefined;
  let [isConnected, isSent, isPaused, isHead] = [false, true, false, false];
  let [answers, deadline, goodUntil] = [0, Number.POSITIVE_INFINITY, 0];
  let own: Buffer | undefined;
  let stopSending = () => {};

  const reader: AnswerReader = createAnswerReader(maxHeaderSize, {
    head: (head) => {
      isHead = true;
      return order?.recipient.head(head) ?? false;
    },
    piece: (bytes, isLast, trailers) => {
      const lent = own;
      if (isLast) own = undefined;
      const giveBack = lent && (() => isLast && buffers.giveBack(lent));
      isPaused = !order?.recipient.piece({ bytes, isLast, trailers, giveBack });
    },
  });

  const release = (): Order | undefined => {
    const last = order;
    order = undefined;
    deadline = Number.POSITIVE_INFINITY;
    stopSending();
    stopSending = () => {};
    return last;
  };
  const cut = () => {
    goodUntil = 0;
    socket.destroy();
  };
  const fail = (trouble: Trouble) => {
    const failed = release();
    cut();
    failed?.recipient.failed(trouble);
  };
  const abandon = () => {
    release();
    cut();
  };
  const failed = (error: unknown) => {
    log(error);
    fail('ended');
  };
  const endedEarly = () => fail(answers > 0 && !reader.hasBegun() ? 'stale' : 'ended');
  const over = (verdict: Verdict) => {
    answers += 1;
    const head = reader.last();
    // A body behind the answer to HEAD would be taken for the next answer.
    const isGood = verdict === 'over' && isSent && order?.method !== 'HEAD' && answers < mostAnswers;
    release();
    const idleMs = head?.keptSeconds === undefined ? usualIdleMs : head.keptSeconds * 1000 - marginMs;
    if (!isGood || !head?.persists || idleMs <= 0) return cut();
    goodUntil = performance.now() + Math.min(idleMs, mostIdleMs);
    return free(connection);
  };
  const goOn = (count: number) => {
    if (!isHead) return;
    deadline = isPaused ? Number.POSITIVE_INFINITY : performance.now() + bodyMs;
    if (own === undefined && count > buffers.shared.length / 2) own = buffers.take();
  };
  const take = (bytes: Buffer): boolean => {
    // Where there is no order, nobody asked.
    isPaused = false;
    const verdict = order === undefined ? 'malformed' : reader.take(bytes);
    if (verdict === 'more') goOn(bytes.length);
    else if (verdict === 'malformed') fail('malformed');
    else if (verdict === 'unwanted') abandon();
    else over(verdict);
    return !isPaused && !socket.destroyed;
  };

  const socket = connect({
    host,
    port,
    noDelay: true,
    onread: {
      buffer: () => own ?? buffers.shared,
      callback: (count, { buffer, byteOffset }) =>
        attempt(() => take(Buffer.from(buffer, byteOffset, count)), failed, false),
    },
  });
  containEvents(socket, failed);
  socket.once('connect', () => {
    isConnected = true;
    if (order) deadline = performance.now() + order.headMs;
  });
  socket.once('end', () => {
    if (order !== undefined && reader.ended() === 'over') over('surplus');
    else endedEarly();
  });
  socket.on('error', endedEarly);
  socket.once('close', endedEarly).once('close', () => {
    // What the client has not taken yet may still stand in it.
    if (own && !isPaused) buffers.giveBack(own);
    own = undefined;
  });
  // By itself: whatever was thrown before, its place is given back.
  socket.once('close', () => gone(connection));

  const connection: Connection = {
    send: (next) => {
      order = next;
      isHead = false;
      isSent = next.body === undefined;
      const wait = (ms: number) => {
        if (order === next && !isHead) deadline = performance.now() + ms;
      };
      const begin = () => {
        reader.begin(next.method);
        wait(isConnected ? next.headMs : Math.min(connectMs, next.headMs));
        socket.write(next.head, 'latin1');
        if (next.body)
          stopSending = sendBody(next.body, socket, {
            moved: () => wait(next.headMs),
            sent: () => {
              isSent = true;
              wait(next.headMs);
            },
            tooLarge: () => fail('too-large'),
          });
      };
      attempt(begin, failed, undefined);
      return {
        resume: () => {
          if (order !== next || !isPaused) return;
          isPaused = false;
          deadline = performance.now() + bodyMs;
          socket.resume();
        },
        abandon: () => {
          if (order === next) abandon();
        },
      };
    },
    look: (now) => {
      if (order === undefined) {
        if (now > goodUntil) cut();
      } else if (now > deadline) {
        // Whoever sends slowly keeps the runtime waiting, and not the other way round; how long they may is bounded elsewhere.
        if (isConnected && !isSent && !isHead && !socket.writableNeedDrain) deadline = now + order.headMs;
        else fail('late');
      }
    },
    goodUntil: () => goodUntil,
    destroy: () => fail('ended'),
  };
  return connection;
}
