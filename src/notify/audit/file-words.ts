// Whether the audit log may be written to a path, and why not, in words that can follow "because".
import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { messageOf } from '../../lib/message-of.ts';
import { codeOf } from '../../store/file-system.ts';

/** A path that the audit log is not written to. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

/** Throws `Unfit` for what is no file, and for a place inside of the store, which would be taken for a part of it. */
export async function requireFit(path: string, storeFolder: string): Promise<void> {
  const [folder, store] = await Promise.all([realpath(dirname(path)), realpath(storeFolder).catch(() => undefined)]);
  if (store !== undefined && isWithin(folder, store))
    throw new Unfit(`${path} is inside of the store ${storeFolder}: name a file elsewhere`);
  const there = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (there && !there.isFile()) throw new Unfit(`${path} is ${sortOf(there)}, and no file: name another`);
}

function isWithin(folder: string, store: string): boolean {
  const way = relative(store, folder);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

type Stats = Awaited<ReturnType<typeof lstat>>;

function sortOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** Why it failed. */
export function wordsFor(error: unknown, path: string): string {
  if (error instanceof Unfit) return error.message;
  const word = words[codeOf(error) ?? ''];
  return word?.(path) ?? `${path} cannot be written: ${messageOf(error)}`;
}

const words: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `the folder ${dirname(path)} does not exist: make it, and let Weir write there`,
  ENOTDIR: (path) => `${dirname(path)} is no folder`,
  EACCES: (path) => `Weir may not write ${path}: give its user the right to`,
  EPERM: (path) => `Weir may not write ${path}: give its user the right to`,
  EROFS: (path) => `${path} is on a disk that takes no writes`,
  ENOSPC: (path) => `the disk of ${path} is full`,
  EDQUOT: (path) => `the disk of ${path} is full for the user of Weir`,
  EIO: (path) => `the disk of ${path} fails`,
  ELOOP: (path) => `${path} is a symbolic link, which is not followed`,
};
