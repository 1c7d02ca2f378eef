// Folders in an instance, opened one by the other: flows may put a link in the place of any of them, at any time.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { giveLikeFolder } from './beneath.ts';
import type { Folder } from './folder.ts';

/** A folder that is open, and its path. */
export interface Place {
  readonly handle: FileHandle;
  readonly path: string;
}

/** On Linux by the folder that is open, so that what takes its place meanwhile makes no difference. */
export function inside({ handle, path }: Place, name = ''): string {
  return join(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path, name);
}

/** Opens the folders one after another, none of which may be a link; nothing where that does not lead on. */
export async function reach({ path }: Folder, names: readonly string[], make = false): Promise<Place | undefined> {
  let at: Place | undefined = await opened(path, path);
  for (const name of names) {
    if (!at) return undefined;
    const from: Place = at;
    at = await closing(from, () => step(from, name, make));
  }
  return at;
}

/** Opens a folder in one that is open; nothing where there is none, or `make` cannot make it. */
export async function step(from: Place, name: string, make = false): Promise<Place | undefined> {
  const path = inside(from, name);
  const found = await opened(path, join(from.path, name));
  if (found || !make) return found;
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  const made = await opened(path, join(from.path, name));
  if (made) await giveLikeFolder(from.handle, made.handle);
  return made;
}

async function opened(at: string, path: string): Promise<Place | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(at, flags).catch(nothingThere);
  return handle && { handle, path };
}

/** Closes a folder after the work in it. */
export async function closing<T>({ handle }: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}

/** For what is not there, or is something else than was looked for. */
export function nothingThere(error: unknown): undefined {
  // ELOOP and ENOTDIR: a link or a file where a folder should be. ENXIO: a socket. EISDIR, EPERM: a folder where a file should be.
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK', 'EISDIR'].includes(codeOf(error))) return undefined;
  throw error;
}

/** Whether something else stands in the place. */
export function isTaken(error: unknown): boolean {
  return ['EEXIST', 'EISDIR', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
