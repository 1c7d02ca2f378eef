// Passes a request on to a runtime and its answer back: each side no faster than the other takes it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerIn, type RawHeaders } from './heads.ts';
import { nothingHeader } from './marks.ts';
import { respond } from './respond.ts';
import type { Order, OrderBody, Recipient, Trouble } from './upstream/order.ts';
import type { Pool } from './upstream/pool.ts';
import { requestHead } from './upstream/request-head.ts';

/** A request, and where it goes. */
export interface Forwarded {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pool: Pool;
  readonly path: string;
  readonly headers: string[];
  /** How long the runtime may take to begin its answer, in milliseconds. */
  readonly headMs: number;
  /** The longest body that it may have, in bytes. */
  readonly maxBody: number;
  /** The headers of an answer as they are sent on; or why it cannot be. */
  readonly answered: (status: number, raw: RawHeaders) => string[] | Failure;
  /** Called at most once, before anything was sent: there is nothing at that address, or no answer that can be passed on. */
  readonly instead: (why: Failure | 'nothing') => void;
}

/** Why there is no answer. */
export interface Failure {
  readonly code: 'bad_gateway' | 'gateway_timeout' | 'invalid_request' | 'payload_too_large';
  readonly detail: string;
}

/** Passes it on. Never throws; ends when the answer has, or its connection. */
export function forward(forwarded: Forwarded): void {
  const { request, path, headers, maxBody } = forwarded;
  const { method = 'GET' } = request;
  const length = Number(request.headers['content-length'] ?? 0);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const body = isChunked || length > 0 ? { from: request, isChunked, mostBytes: maxBody } : undefined;
  const isNoneSaid = body === undefined && expectsBody.has(method) && request.headers['content-length'] === undefined;
  const head = requestHead(method, path, headers, isChunked ? 'chunked' : isNoneSaid ? 'none' : 'as said');
  // Its length is what the parser holds it to: it cannot be longer than it says.
  if (length > maxBody) forwarded.instead(failureOf('too-large', maxBody));
  else if (head === undefined) forwarded.instead(unsendable);
  else send(forwarded, { method, head, body, isFresh: false });
}

/** What is sent with a length, even if it has no body: some servers refuse it else. */
const expectsBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** What may be sent twice, because twice is the same as once (RFC 9110, 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

interface Sent {
  readonly method: string;
  readonly head: string;
  readonly body: OrderBody | undefined;
  readonly isFresh: boolean;
}

function send(forwarded: Forwarded, sent: Sent): void {
  const { response, pool, headMs } = forwarded;
  const gone = () => placed.abandon();
  const resume = () => placed.resume();
  const instead = (why: Failure | 'nothing') => {
    response.off('close', gone);
    if (!response.destroyed) forwarded.instead(why);
  };
  const recipient: Recipient = {
    head: ({ status, raw }) => {
      const headers = headerIn(raw, nothingHeader) === undefined ? forwarded.answered(status, raw) : 'nothing';
      if (Array.isArray(headers)) response.writeHead(status, headers);
      else instead(headers);
      return Array.isArray(headers);
    },
    piece: (piece) => {
      if (piece.isLast) response.off('close', gone);
      return respond(response, piece, resume);
    },
    failed: (trouble) => {
      response.off('close', gone);
      // Never an answer that looks whole and is not.
      if (response.headersSent) return void response.destroy();
      // A connection that the runtime was just closing: nothing was done yet.
      const isAgain = trouble === 'stale' && sent.body === undefined && idempotent.has(sent.method);
      if (isAgain && !response.destroyed) return send(forwarded, { ...sent, isFresh: true });
      return instead(failureOf(trouble, forwarded.maxBody));
    },
  };
  const order: Order = { ...sent, headMs, recipient };
  response.once('close', gone);
  const placed = pool.place(order);
}

const ended: Failure = { code: 'bad_gateway', detail: 'The instance ended the connection before it answered.' };

function failureOf(trouble: Trouble, maxBody: number): Failure {
  return trouble === 'too-large' ? tooLarge(maxBody) : failures[trouble];
}

function tooLarge(maxBody: number): Failure {
  const detail = `The body is longer than the ${maxBody} bytes that the instance takes (its option apiMaxLength).`;
  return { code: 'payload_too_large', detail };
}

const failures: Readonly<Record<Exclude<Trouble, 'too-large'>, Failure>> = {
  stale: ended,
  ended,
  malformed: { code: 'bad_gateway', detail: 'The instance answered what is no valid HTTP.' },
  late: { code: 'gateway_timeout', detail: 'The instance did not begin its answer in time.' },
};

const unsendable: Failure = {
  code: 'invalid_request',
  detail: 'The request has a header that cannot be passed on.',
};

/** The connection to the client is silent meanwhile: the server would cut it. Its next request has the usual time again. */
export function waitLonger({ socket }: IncomingMessage, headMs: number): void {
  const marginMs = 10_000;
  if (socket.timeout !== undefined && socket.timeout < headMs + marginMs) socket.setTimeout(headMs + marginMs);
}
