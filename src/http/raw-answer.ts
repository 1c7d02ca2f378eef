// A problem as the bytes of an answer, for connections on which HTTP itself does not answer.
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';

/** The whole answer, after which the connection ends. */
export function rawAnswer(status: number, headers: OutgoingHttpHeaders, body: string): string {
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
