// What the head of a request has to be before anything looks at what it asks: said once, and in no way that two readers take differently.
import type { IncomingMessage } from 'node:http';
import { Problem } from './errors.ts';

/** Why the head of a request cannot be taken; nothing where it can. Asked of every request, of those for instances, too. */
export function problemOfHead({ rawHeaders, httpVersion, headers }: IncomingMessage): Problem | undefined {
  const [hosts, credentials] = [timesIn(rawHeaders, 'host'), timesIn(rawHeaders, 'authorization')];
  if (hosts > 1) return invalid(`The request has ${hosts} headers Host: send one.`);
  if (hosts === 0 && httpVersion !== '1.0') return invalid('The request has no header Host: send one.');
  if (hosts === 1 && !/^[\w.:[\]-]+$/.test(headers.host ?? '')) return invalid('The header Host names no host.');
  if (credentials > 1) return invalid(`The request has ${credentials} headers Authorization: send one.`);
  return isUnknownExpectation(headers.expect, httpVersion) ? unexpected() : undefined;
}

/** How often a header stands there, names and values one after another. It is asked of every request: few names are as long. */
function timesIn(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) times += 1;
  }
  return times;
}

/** HTTP/1.0 knows no expectations, and HTTP one only (RFC 9110, 10.1.1). */
function isUnknownExpectation(expect: string | undefined, httpVersion: string): boolean {
  return expect !== undefined && httpVersion !== '1.0' && expect.trim().toLowerCase() !== '100-continue';
}

/** Where the next request begins is not certain after such a head. */
const headers = { connection: 'close' };

function invalid(detail: string): Problem {
  return new Problem('invalid_request', { detail, headers });
}

function unexpected(): Problem {
  return new Problem('expectation_failed', {
    detail: 'The header Expect can be 100-continue only: leave it out.',
    headers,
  });
}
