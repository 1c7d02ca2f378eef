// Gives the answer of a runtime to a client, no faster than the client takes it.
//
// It goes through Node's own ServerResponse, never past it to the socket: Node then knows where each answer ends, keeps the answers to pipelined
// requests in their order, frames them for HTTP/1.0 and 1.1 anew (what a runtime frames cannot reach a client), and closes or keeps the connection.
import type { ServerResponse } from 'node:http';
import { answerHeaders, type RawHeaders } from './heads.ts';
import type { Piece } from './upstream/order.ts';

/** How many bytes of an answer may wait for the client before the runtime is held up. */
const mostWaiting = 262_144;

/** Up to here a last piece goes out as one with the head: as text of one byte a character, which is what heads are. */
const mostWithHead = 12_288;

/** From here on a piece is lent, and not copied, if its connection can spare its buffer for so long. */
const leastLent = 65_536;

/** Writes a piece. False where nothing more may come until `resume` is called. */
export function respond(response: ServerResponse, piece: Piece, resume: () => void): boolean {
  if (piece.isLast) end(response, piece);
  else if (!passOn(response, piece)) {
    response.once('drain', resume);
    return false;
  }
  return true;
}

function passOn(response: ServerResponse, { bytes, giveBack }: Piece): boolean {
  // As large as this, Node always tells when it has been taken.
  const isLent = giveBack !== undefined && bytes.length >= Math.max(leastLent, response.writableHighWaterMark);
  if (!isLent || response.socket === null)
    return response.write(Buffer.from(bytes)) || response.writableLength <= mostWaiting;
  response.write(bytes);
  // Node would send it only at the end of this turn. Mostly the system takes all of it at once, and the buffer is free again.
  response.socket.uncork();
  return response.writableLength === 0;
}

function end(response: ServerResponse, { bytes, trailers, giveBack }: Piece): void {
  if (trailers.length > 0) response.addTrailers(pairsOf(trailersOf(trailers)));
  if (giveBack !== undefined && bytes.length >= leastLent) return void response.end(bytes, giveBack);
  if (bytes.length === 0) response.end();
  else if (bytes.length <= mostWithHead) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(Buffer.from(bytes));
  giveBack?.();
}

/** Nothing that a head decides about may come behind the body (RFC 9110, 6.5.1). */
const ofHeads: ReadonlySet<string> = new Set([
  ...['set-cookie', 'location', 'host', 'www-authenticate', 'authorization', 'cache-control', 'expires', 'vary', 'age'],
  ...['date', 'refresh', 'link', 'origin-trial', 'referrer-policy', 'permissions-policy', 'x-frame-options'],
]);

function trailersOf(raw: RawHeaders): string[] {
  const kept = answerHeaders(raw, { sharedPath: undefined, policy: undefined });
  return kept.filter((_text, at) => {
    const name = kept[at - (at % 2)]?.toLowerCase() ?? '';
    return !ofHeads.has(name) && !/^(?:content-|access-control-|cross-origin-)/.test(name);
  });
}

function pairsOf(raw: RawHeaders): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}
