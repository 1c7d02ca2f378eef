// The files of an instance that are served as they are, at its door: found, told of by their headers, and streamed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { staticPathProblem } from '../../core/instances/static-files.ts';
import { isNotModified } from '../etag.ts';
import type { InstanceFiles, OpenedFile } from '../services.ts';

/** The path below that of an instance at which they are. */
const segment = 'static';

/** What a folder is answered with; its files are not listed. */
const indexName = 'index.html';

/** The path of the file that a request asks for, `''` where there can be none; nothing where it asks for something else. */
export function staticPathIn(method: string | undefined, path: string, prefix: string): string | undefined {
  const start = `${prefix}/${segment}/`;
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(start)) return undefined;
  const asked = path.slice(start.length).split(/[?#]/, 1)[0] ?? '';
  // A slash that is written as an escape separates nothing.
  if (/%2f/i.test(asked)) return '';
  const decoded = decodeURIComponent(asked) + (asked === '' || asked.endsWith('/') ? indexName : '');
  return staticPathProblem(decoded) === undefined ? decoded : '';
}

/** What a file is answered with. */
export interface Served {
  readonly files: InstanceFiles;
  readonly id: string;
  readonly path: string;
  /** The policy that its pages have (CSP); nothing where they have an origin of their own. */
  readonly policy: string | undefined;
  /** Whether it is for the team alone, and nothing between may keep it. */
  readonly isForTeam: boolean;
  readonly closing: boolean;
}

/** Answers a request with a file; `false` where there is none. Rejects, having answered nothing, where it cannot be read. */
export async function serveFile(request: IncomingMessage, response: ServerResponse, served: Served): Promise<boolean> {
  const file = served.path === '' ? undefined : await served.files.open(served.id, served.path);
  if (!file) return redirected(request, response, served);
  const { status, part, headers } = answerFor(request, file);
  response.writeHead(status, { ...headersOf(file, served), ...headers });
  if (!part || part.end < part.start || request.method === 'HEAD' || response.destroyed) {
    await file.close();
    response.end();
  } else stream(file, part, response);
  return true;
}

/** To the folder of that name, where it has an index: what stands in that is relative to it. */
async function redirected(request: IncomingMessage, response: ServerResponse, served: Served): Promise<boolean> {
  const { files, id, path } = served;
  const index = `${path}/${indexName}`;
  if (path === '' || path.endsWith(`/${indexName}`) || staticPathProblem(index) !== undefined) return false;
  const found = await files.open(id, index);
  if (!found) return false;
  await found.close();
  const query = /\?[^#]*/.exec(request.url ?? '')?.[0] ?? '';
  const cache = served.isForTeam ? 'private, no-cache' : 'no-cache';
  const location = `./${path.slice(path.lastIndexOf('/') + 1)}/${query}`;
  response.writeHead(301, { location, 'cache-control': cache, 'content-length': 0 }).end();
  return true;
}

/** A part of a file, both ends included. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** What a request gets of a file: nothing where it has it, a part where it asks for one, else all of it. */
function answerFor(
  request: IncomingMessage,
  file: OpenedFile,
): { readonly status: number; readonly part?: Part; readonly headers: Readonly<Record<string, string | number>> } {
  if (known(request, file)) return { status: 304, headers: {} };
  const range = rangeIn(request, file);
  if (range === 'none')
    return { status: 416, headers: { 'content-range': `bytes */${file.size}`, 'content-length': 0 } };
  const part = range ?? { start: 0, end: file.size - 1 };
  const headers = { 'content-length': part.end - part.start + 1 };
  if (!range) return { status: 200, part, headers };
  return {
    status: 206,
    part,
    headers: { ...headers, 'content-range': `bytes ${part.start}-${part.end}/${file.size}` },
  };
}

/**
 * The part that a request asks for (RFC 9110, 14): `none` where it begins behind the end. Nothing where it asks for all, for several parts (which get all
 * of it), for something that is none, or for a part of what the file was before.
 */
function rangeIn({ method, headers }: IncomingMessage, file: OpenedFile): Part | 'none' | undefined {
  const { range = '', 'if-range': condition } = headers;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range.trim()) ?? [];
  if (method !== 'GET' || (first === '' && last === '')) return undefined;
  if (condition !== undefined && condition !== etagOf(file) && condition !== modifiedOf(file)) return undefined;
  if (first === '') {
    const start = Math.max(0, file.size - Number(last));
    return start >= file.size ? 'none' : { start, end: file.size - 1 };
  }
  const [start, end] = [Number(first), last === '' ? file.size - 1 : Math.min(Number(last), file.size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= file.size ? 'none' : { start, end };
}

/** Never an answer that looks whole and is not: one that cannot be read to its end is cut off. */
function stream(file: OpenedFile, part: Part, response: ServerResponse): void {
  const source = file.read(part);
  const length = part.end - part.start + 1;
  let sent = 0;
  source.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  source.on('error', () => response.destroy());
  source.on('end', () => (sent === length ? response.end() : response.destroy()));
  response.once('close', () => source.destroy());
  source.pipe(response, { end: false });
}

function headersOf(file: OpenedFile, { policy, isForTeam, closing }: Served): Record<string, string> {
  return {
    'content-type': types[extname(file.path).toLowerCase()] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cache-control': isForTeam ? 'private, no-cache' : 'no-cache',
    'accept-ranges': 'bytes',
    etag: etagOf(file),
    'last-modified': modifiedOf(file),
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    ...(closing ? { connection: 'close' } : {}),
  };
}

function modifiedOf({ modifiedAt }: OpenedFile): string {
  return new Date(modifiedAt).toUTCString();
}

function etagOf({ version }: OpenedFile): string {
  return `"${version}"`;
}

/** Whether the client has it (RFC 9110, 13.1): by its ETag, or where it names none by its time. */
function known({ headers }: IncomingMessage, file: OpenedFile): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags !== undefined) return isNotModified(tags, etagOf(file));
  return since !== undefined && Math.floor(Date.parse(file.modifiedAt) / 1000) * 1000 <= Date.parse(since);
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/vnd.microsoft.icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.pdf': 'application/pdf',
  '.wasm': 'application/wasm',
  '.zip': 'application/zip',
};
