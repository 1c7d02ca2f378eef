// The files of an instance that are served as they are, at its door: found, told of by their headers, and streamed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { staticPathProblem } from '../../core/instances/static-files.ts';
import { isNotModified } from '../etag.ts';
import type { InstanceFiles, OpenedFile } from '../services.ts';

/** The path below that of an instance at which they are. */
const segment = 'static';

/** The path of the file that a request asks for, `''` where there can be none; nothing where it asks for something else. */
export function staticPathIn(method: string | undefined, path: string, prefix: string): string | undefined {
  const start = `${prefix}/${segment}/`;
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(start)) return undefined;
  const asked = path.slice(start.length).split(/[?#]/, 1)[0] ?? '';
  // A slash that is written as an escape separates nothing.
  if (/%2f/i.test(asked)) return '';
  const decoded = decodeURIComponent(asked);
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
  if (!file) return false;
  const headers = headersOf(file, served);
  const isKnown = known(request, file);
  if (isKnown || request.method === 'HEAD' || file.size === 0 || response.destroyed) {
    await file.close();
    const length = isKnown ? {} : { 'content-length': file.size };
    response.writeHead(isKnown ? 304 : 200, { ...headers, ...length }).end();
    return true;
  }
  response.writeHead(200, { ...headers, 'content-length': file.size });
  stream(file, response);
  return true;
}

/** Never an answer that looks whole and is not: one that cannot be read to its end is cut off. */
function stream(file: OpenedFile, response: ServerResponse): void {
  const source = file.read();
  let sent = 0;
  source.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  source.on('error', () => response.destroy());
  source.on('end', () => (sent === file.size ? response.end() : response.destroy()));
  response.once('close', () => source.destroy());
  source.pipe(response, { end: false });
}

function headersOf(file: OpenedFile, { policy, isForTeam, closing }: Served): Record<string, string> {
  return {
    'content-type': types[extname(file.path).toLowerCase()] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cache-control': isForTeam ? 'private, no-cache' : 'no-cache',
    'accept-ranges': 'none',
    etag: etagOf(file),
    'last-modified': new Date(file.modifiedAt).toUTCString(),
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    ...(closing ? { connection: 'close' } : {}),
  };
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
