// Folders in which flows may have put anything, each opened by the one before: what takes the place of one meanwhile, a link above all, makes no difference.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder that is open, and its path. */
export interface OpenFolder {
  readonly handle: FileHandle;
  readonly path: string;
}

const foldersOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder of Weir's own; nothing where there is none, or a link. Whoever gets it closes it. */
export function openFolder(path: string): Promise<OpenFolder | undefined> {
  return opened(path, path);
}

/** Opens a folder in one that is open. */
export function openWithin(from: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  return opened(within(from, name), join(from.path, name));
}

/** Opens folders one after another, each by `step`; nothing where that does not lead on. */
export async function openAlong(
  path: string,
  names: readonly string[],
  step: typeof openWithin = openWithin,
): Promise<OpenFolder | undefined> {
  let at = await openFolder(path);
  for (const name of names) {
    if (!at) return undefined;
    const from: OpenFolder = at;
    at = await closing(from, () => step(from, name));
  }
  return at;
}

async function opened(at: string, path: string): Promise<OpenFolder | undefined> {
  const handle = await open(at, foldersOnly).catch(nothingThere);
  return handle && { handle, path };
}

/** Where something in it is: on Linux by the folder that is open, whatever stands at its path by now. Good until it is closed. */
export function within({ handle, path }: OpenFolder, name = ''): string {
  return join(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path, name);
}

/** Closes it when the work is done. */
export async function closing<T>({ handle }: OpenFolder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}

/** Nothing, for an error that says that nothing of the kind that was asked for is there; any other is thrown. */
export function nothingThere(error: unknown): undefined {
  // ELOOP and ENOTDIR: a link or a file where a folder should be. ENXIO: a socket. EISDIR: a folder where a file should be.
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK', 'EISDIR'].includes(codeOf(error))) return undefined;
  throw error;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
