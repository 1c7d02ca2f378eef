// Paths that must not lead out of a folder, also not through symlinks.
import { realpathSync } from 'node:fs';
import { isAbsolute, join, posix, sep } from 'node:path';
import { failureOf, type OpenProblem } from './open.ts';

/** Whether `path` is `folder` or below it. Both are absolute and real. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A relative path made plain (`a/../b` → `b`), or `undefined` when it is none, or leads out of where it starts. */
export function plainPath(path: string): string | undefined {
  if (path === '' || path.includes('\0') || isAbsolute(path)) return undefined;
  const plain = posix.normalize(path);
  return plain === '..' || plain.startsWith('../') || plain === '.' ? undefined : plain;
}

/** The real path of what a relative path names below a real folder, or why it is not to be had. */
export function confine(
  folder: string,
  path: string,
): { readonly real: string } | { readonly reason: 'outside' | OpenProblem; readonly code?: string } {
  const plain = plainPath(path);
  if (plain === undefined) return { reason: 'outside' };
  try {
    const real = realpathSync(join(folder, plain));
    return isInside(folder, real) ? { real } : { reason: 'outside' };
  } catch (error) {
    return failureOf(error);
  }
}
