// Reads one file whole, whatever somebody put in its place: never blocks on a pipe, never takes more than it should.
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { linesOf, sourceOf } from './places.ts';

/** A regular file's bytes and its `stat` from just before they were read, or why there are none. */
export type Opened =
  | { readonly bytes: Buffer; readonly stat: Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino' | 'dev'> }
  | { readonly reason: OpenProblem; readonly code?: string };

/** `gone`: not there (any more); `denied`: no permission; `kind`: no regular file; `size`: over the limit; `failed`: the system says `code`. */
export type OpenProblem = 'gone' | 'denied' | 'kind' | 'size' | 'failed';

/**
 * Opens and reads a regular file of at most `limit` bytes. Its path is real: a symlink that took its place since it was resolved is not
 * followed. Never throws for what the file system answers.
 */
export function openRegular(path: string, limit: number): Opened {
  let file: number | undefined;
  try {
    // To open a pipe lets its writer go on, and a device may do anything. What takes its place meanwhile is found out after.
    if (!statSync(path).isFile()) return { reason: 'kind' };
    file = openSync(path, flags);
    const stat = fstatSync(file);
    if (!stat.isFile()) return { reason: 'kind' };
    return stat.size > limit ? { reason: 'size' } : readAll(file, stat, limit);
  } catch (error) {
    return failureOf(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What an error of a file system call means. */
export function failureOf(error: unknown): { readonly reason: OpenProblem; readonly code: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { reason: 'gone', code };
  if (code === 'EACCES' || code === 'EPERM') return { reason: 'denied', code };
  // A socket cannot be opened at all.
  return code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP'
    ? { reason: 'kind', code }
    : { reason: 'failed', code };
}

/** Bytes → text without a byte order mark; `invalid` is where the first byte stands that is not UTF-8 (line and column in that text). */
export function decode(bytes: Buffer): {
  readonly text: string;
  readonly invalid?: { readonly line: number; readonly column: number };
} {
  const whole = bytes.toString('utf8');
  const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole;
  if (isUtf8(bytes)) return { text };
  const before = bytes
    .subarray(0, firstInvalid(bytes, whole))
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const { line, column } = sourceOf(linesOf('', before), before.length, before.length);
  return { text, invalid: { line, column } };
}

// A pipe that nobody writes to would hold up `open` for ever.
const flags =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | (constants.O_NOFOLLOW ?? 0);

function readAll(file: number, stat: Stats, limit: number): Opened {
  let bytes = Buffer.allocUnsafe(stat.size + 1);
  let length = 0;
  for (;;) {
    const count = readSync(file, bytes, length, bytes.length - length, null);
    if (count === 0) return { bytes: bytes.subarray(0, length), stat };
    length += count;
    if (length > limit) return { reason: 'size' };
    // It grew since it was asked for its size.
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(limit + 1, length * 2 + 64));
  }
}

/** The first byte that is lost when the text is written again, moved back to where its character begins. */
function firstInvalid(bytes: Buffer, decoded: string): number {
  const again = Buffer.from(decoded);
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at += 1;
  while (at > 0 && !isUtf8(bytes.subarray(0, at))) at -= 1;
  return at;
}
