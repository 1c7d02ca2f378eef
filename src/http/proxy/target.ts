// Which instance a request is for: by the path below /i/, or by a host name of its own. Looked at before anything else, on the bytes that were sent.
import type { IncomingMessage } from 'node:http';
import { instancesSegment } from '../../core/instances/address.ts';
import { problemOfHead } from '../request-head.ts';

/** Where people reach instances. */
export interface Place {
  /** The domain below which each instance has a host name, in lower case; nothing where there is none. */
  readonly domain: string | undefined;
  /** The host of the base URL, which is Weir's own also where it stands below that domain. */
  readonly ownHost: string;
}

/** A request for an instance. */
export interface Target {
  readonly by: 'path' | 'host';
  /** The id as it stands in the path, or in lower case as it stands in the host name. */
  readonly name: string;
  /** Path and query below the instance, from the first slash on; empty where even that is missing. */
  readonly rest: string;
}

/** What a request is for; nothing where it is for Weir itself. */
export function targetOf({ url = '', headers: { host } }: IncomingMessage, place: Place): Target | undefined {
  const name = place.domain === undefined || host === undefined ? undefined : nameIn(host, place.domain, place.ownHost);
  if (name !== undefined) return { by: 'host', name, rest: url };
  if (!url.startsWith(prefix)) return undefined;
  const end = url.slice(prefix.length).search(/[/?#]/);
  const id = end < 0 ? url.slice(prefix.length) : url.slice(prefix.length, prefix.length + end);
  return id === '' ? undefined : { by: 'path', name: id, rest: url.slice(prefix.length + id.length) };
}

const prefix = `/${instancesSegment}/`;

/** The part of a host name before the domain; nothing where it is not below it. What is below it is never Weir itself. */
function nameIn(host: string, domain: string, ownHost: string): string | undefined {
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return name !== ownHost && name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined;
}

/** Why a request cannot be passed on, whoever sent it; nothing where it can. */
export function requestProblem(request: IncomingMessage, { by, rest }: Target): string | undefined {
  const { headers } = request;
  if (by === 'host' && !rest.startsWith('/')) return 'The address must be a path.';
  const problem = problemOfHead(request);
  if (problem) return problem.message;
  if (headers.host === undefined) return 'It needs one header Host, which names a host.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined))
    return 'The length of its body must be told once, in one way: by Content-Length, or by chunks.';
  if (headers['content-length'] !== undefined && !/^\d{1,15}$/.test(headers['content-length']))
    return 'Its Content-Length is no number.';
  return pathProblem(rest);
}

/** Whether a connection is to become a WebSocket (RFC 6455, 4.1): by a request that has no body. */
export function isWebSocket({ method, httpVersion, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return method === 'GET' && httpVersion === '1.1' && !hasBody && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/**
 * Hops before and behind must agree on what a path is. Dots would be one here and another there, and so would backslashes; an encoded slash in a
 * segment is the business of the flow that takes it.
 */
export function pathProblem(rest: string): string | undefined {
  // No target has a fragment (RFC 9112, 3.2): one reader ends the path there, another does not.
  if (rest.includes('#')) return 'The address holds a #, which none may hold: write %23.';
  const path = rest.split('?', 1)[0] ?? '';
  // Runtimes cut off some that are no ASCII as if they were spaces.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
  if (/[\\\u0000-\u0020\u007f-\uffff]|%(?:5c|00|0a|0d)/i.test(path))
    return 'The path holds a character that none may hold.';
  if (!path.includes('%') && !path.includes('/.')) return undefined;
  try {
    const segments = decodeURIComponent(path).split('/');
    return segments.some((segment) => segment === '.' || segment === '..')
      ? 'The path holds dots that lead elsewhere.'
      : undefined;
  } catch {
    return 'The path holds an escape that stands for nothing.';
  }
}
