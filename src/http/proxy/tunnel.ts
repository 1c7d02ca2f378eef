// A connection that is upgraded, as a WebSocket: the head is passed on and answered, and from then on bytes, both ways, until both have ended.
import type { EventEmitter } from 'node:events';
import { request as ask, type IncomingMessage, STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { hangUp } from '../../lib/hang-up.ts';
import { Problem } from '../errors.ts';
import { containEvents } from './contained.ts';
import { type AnsweredTo, answerHeaders, headerIn, type RawHeaders, without } from './heads.ts';
import { nothingHeader } from './marks.ts';
import type { Patience } from './patience.ts';

/** A connection to be upgraded, and where it goes. */
export interface Tunnelled {
  readonly request: IncomingMessage;
  /** The connection to the client. */
  readonly socket: Duplex;
  /** What came behind its head. */
  readonly head: Buffer;
  /** Scheme, host and port of the runtime. */
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly answeredTo: AnsweredTo;
  readonly patience: Pick<Patience, 'headMs' | 'tunnelMs'>;
  /** Called at most once, while nothing was sent. */
  readonly refuse: (problem: Problem) => void;
  /** Called when it is certain that there will be no tunnel. */
  readonly failed: () => void;
  /** Is told of what was thrown and nobody foresaw: it ends this tunnel, and nothing else. */
  readonly log: (error: unknown) => void;
}

/** Opens it. Answers the function that ends it at once. */
export function openTunnel(tunnelled: Tunnelled): () => void {
  const { request, socket, head, origin, path, headers, patience, answeredTo } = tunnelled;
  const { hostname, port } = new URL(origin);
  let refuse: Tunnelled['refuse'] | undefined = tunnelled.refuse;
  const refuseOnce = (problem: Problem) => {
    if (refuse) {
      tunnelled.failed();
      refuse(problem);
    }
    refuse = undefined;
    upstream.destroy();
  };
  const upstream = ask({
    method: request.method,
    path,
    headers: [...headers, 'connection', 'upgrade', 'upgrade', request.headers.upgrade ?? ''],
    setHost: false,
    // Each side may end before the other.
    createConnection: () => connect({ host: hostname, port: Number(port), allowHalfOpen: true }),
  });
  const end = () => {
    upstream.destroy();
    socket.destroy();
  };
  const contain = (emitter: EventEmitter & { destroy(): unknown }) =>
    containEvents(emitter, (error) => {
      tunnelled.log(error);
      end();
      // Once it is upgraded, its request no longer ends a connection.
      emitter.destroy();
    });
  contain(upstream);
  upstream.once('socket', contain);
  upstream.setTimeout(patience.headMs, () => refuseOnce(new Problem('gateway_timeout', { detail: tooLate })));
  upstream.once('error', () => refuseOnce(new Problem('bad_gateway', { detail: noAnswer })));
  upstream.once('upgrade', (answer, behind, first) => {
    refuse = undefined;
    upstream.setTimeout(0);
    const upgraded = ['connection', 'upgrade', 'upgrade', answer.headers.upgrade ?? ''];
    socket.write(headOf(answer, [...headersOf(answer, answeredTo), ...upgraded]), 'latin1');
    if (first.length > 0) socket.write(first);
    if (head.length > 0) behind.write(head);
    join(socket, behind, patience.tunnelMs);
  });
  upstream.once('response', (answer) => {
    if (headerIn(answer.rawHeaders, nothingHeader) !== undefined)
      return refuseOnce(new Problem('not_found', { detail: 'There is nothing at this address that you may see.' }));
    refuse = undefined;
    contain(answer);
    tunnelled.failed();
    passRefusal(answer, socket, [...headersOf(answer, answeredTo), 'connection', 'close']);
  });
  socket.once('error', () => upstream.destroy()).once('close', () => upstream.destroy());
  upstream.end();
  return end;
}

const tooLate = 'The instance did not take the connection in time.';
const noAnswer = 'The instance ended the connection before it answered.';

/** The answer of a runtime that does not take the connection; and the end of it, whoever holds what open. */
function passRefusal(answer: IncomingMessage, socket: Duplex, headers: RawHeaders): void {
  const cut = setTimeout(() => {
    socket.destroy();
    answer.destroy();
  }, lastWordsMs);
  socket.once('close', () => clearTimeout(cut));
  socket.write(headOf(answer, headers), 'latin1');
  answer.once('error', () => socket.destroy()).once('end', () => hangUp(socket));
  answer.pipe(socket, { end: false });
}

/** RFC 9110, 8.6: an answer that has no content has no length, whatever the runtime says. */
function headersOf({ statusCode = 502, rawHeaders }: IncomingMessage, answeredTo: AnsweredTo): RawHeaders {
  const hasContent = statusCode >= 200 && statusCode !== 204;
  return answerHeaders(hasContent ? rawHeaders : without(rawHeaders, 'content-length'), answeredTo);
}

function headOf({ statusCode = 502, statusMessage }: IncomingMessage, headers: RawHeaders): string {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  return `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode] || ''}\r\n${lines.join('')}\r\n`;
}

/** Passes bytes both ways until both sides have ended. An error on one ends both; after a regular end the other may finish what it has to say. */
function join(client: Duplex, runtime: Duplex, silentMs: number): void {
  const cut = () => {
    client.destroy();
    runtime.destroy();
  };
  for (const [side, other] of [
    [client, runtime],
    [runtime, client],
  ] as const) {
    limitSilence(side, silentMs, cut);
    side.on('error', cut).once('close', () => {
      other.end();
      limitSilence(other, lastWordsMs, cut);
    });
    side.pipe(other);
  }
}

/** How long one side is waited for once the other is gone. */
const lastWordsMs = 10_000;

function limitSilence(side: Duplex, ms: number, cut: () => void): void {
  if ('setTimeout' in side && typeof side.setTimeout === 'function') side.setTimeout(ms, cut);
}
