// Passes a request on to a runtime and its answer back: as streams, each side no faster than the other takes it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Dispatcher, errors, type Pool } from 'undici';
import { headerIn, type RawHeaders } from './heads.ts';
import { nothingHeader } from './marks.ts';

/** A request, and where it goes. */
export interface Forwarded {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pool: Pool;
  readonly path: string;
  readonly headers: string[];
  /** The longest body that it may have, in bytes. */
  readonly maxBody: number;
  /** How long the runtime may take to begin its answer, in milliseconds, where that is not as usual. */
  readonly headMs: number | undefined;
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
  const { request, pool, path, headers, maxBody, headMs } = forwarded;
  // Its length is what the parser holds it to: it cannot be longer than it says.
  if (Number(request.headers['content-length'] ?? 0) > maxBody)
    return void forwarded.instead(failureOf(new TooLong(maxBody)));
  const method = request.method as Dispatcher.HttpMethod;
  const body = hasBody(request) ? bodyOf(request, maxBody) : null;
  const isRepeatable = body === null && (method === 'GET' || method === 'HEAD');
  if (headMs !== undefined) waitLonger(request, headMs);
  const slow = headMs === undefined ? {} : { headersTimeout: headMs };
  try {
    pool.dispatch({ method, path, headers, body, ...slow }, handlerOf(forwarded, isRepeatable));
  } catch (error) {
    forwarded.instead(failureOf(error));
  }
}

/** A body that is longer than it may be. */
class TooLong extends Error {
  readonly maxBody: number;
  constructor(maxBody: number) {
    super('the body is too long');
    this.maxBody = maxBody;
  }
}

/** The connection to the client is silent meanwhile: the server would cut it. Its next request has the usual time again. */
function waitLonger({ socket }: IncomingMessage, headMs: number): void {
  const marginMs = 10_000;
  if (socket.timeout !== undefined && socket.timeout < headMs + marginMs) socket.setTimeout(headMs + marginMs);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The body, as a stream of its own: when the runtime no longer takes it, the connection to the client must live on for the answer. */
function bodyOf(request: IncomingMessage, maxBody: number): Readable {
  let length = 0;
  const body = new Readable({
    read: () => request.resume(),
    destroy: (error, done) => {
      // What still comes is not looked at.
      request.off('data', pass).resume();
      done(error);
    },
  });
  const pass = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBody) body.destroy(new TooLong(maxBody));
    else if (!body.push(chunk)) request.pause();
  };
  request.on('data', pass);
  request.once('end', () => body.push(null));
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the client went away'));
  });
  body.on('error', () => {});
  return body;
}

function handlerOf(forwarded: Forwarded, isRepeatable: boolean): Dispatcher.DispatchHandler {
  const { response } = forwarded;
  let control: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const resume = () => control?.resume();
  const gone = () => {
    if (!isOver) control?.abort(new Error('the client went away'));
  };
  response.on('drain', resume).once('close', gone);
  const instead = (why: Failure | 'nothing') => {
    isOver = true;
    response.off('drain', resume).off('close', gone);
    if (!response.destroyed) forwarded.instead(why);
  };
  return {
    onRequestStart: (controller) => {
      control = controller;
      if (response.destroyed) controller.abort(new Error('the client went away'));
    },
    onResponseStart: (controller, status) => {
      if (status < 200 || isOver) return;
      const raw = rawOf(controller);
      const headers = headerIn(raw, nothingHeader) === undefined ? forwarded.answered(status, raw) : 'nothing';
      if (Array.isArray(headers)) return void response.writeHead(status, headers);
      instead(headers);
      controller.abort(new Error('the answer is not passed on'));
    },
    onResponseData: (controller, chunk) => {
      if (isOver) return;
      if (!response.write(chunk) && response.writableLength > mostWaiting) controller.pause();
    },
    onResponseEnd: () => {
      if (isOver) return;
      isOver = true;
      response.end();
    },
    onResponseError: (_controller, error) => {
      if (isOver) return;
      // A connection that the runtime was just closing: nothing was done yet.
      if (!response.headersSent && isRepeatable && isReset(error) && !response.destroyed) {
        isOver = true;
        response.off('drain', resume).off('close', gone);
        return again(forwarded);
      }
      if (!response.headersSent) return instead(failureOf(error));
      isOver = true;
      // Never an answer that looks whole and is not.
      response.destroy();
    },
  };
}

/** How many bytes of an answer may wait for the client before the runtime is held up. */
const mostWaiting = 262_144;

function again(forwarded: Forwarded): void {
  const { request, pool, path, headers } = forwarded;
  try {
    pool.dispatch({ method: request.method as Dispatcher.HttpMethod, path, headers }, handlerOf(forwarded, false));
  } catch (error) {
    forwarded.instead(failureOf(error));
  }
}

function rawOf({ rawHeaders }: Dispatcher.DispatchController): RawHeaders {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}

function isReset(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

function failureOf(error: unknown): Failure {
  if (error instanceof TooLong)
    return {
      code: 'payload_too_large',
      detail: `The body is longer than the ${error.maxBody} bytes that the instance takes (its option apiMaxLength).`,
    };
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError)
    return { code: 'gateway_timeout', detail: 'The instance did not begin its answer in time.' };
  if (error instanceof errors.RequestContentLengthMismatchError)
    return { code: 'invalid_request', detail: 'The body is not as long as its Content-Length says.' };
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError)
    return { code: 'invalid_request', detail: 'The request has a header that cannot be passed on.' };
  return { code: 'bad_gateway', detail: 'The instance ended the connection before it answered.' };
}
