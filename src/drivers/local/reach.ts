// Folders of an instance, opened one by the other, and made where they are missing.
import { mkdir } from 'node:fs/promises';
import { giveLikeFolder } from './beneath.ts';
import type { Folder } from './folder.ts';
import { codeOf, type OpenFolder, openAlong, openWithin, within } from './open-folder.ts';

/** Opens the folders one after another, none of which may be a link; nothing where that does not lead on. */
export function reach({ path }: Folder, names: readonly string[], make = false): Promise<OpenFolder | undefined> {
  return openAlong(path, names, make ? openOrMake : openWithin);
}

/** Opens a folder in one that is open, and makes it where there is none; nothing where something else stands there. */
export async function openOrMake(from: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  const found = await openWithin(from, name);
  if (found) return found;
  await mkdir(within(from, name), { mode: 0o700 }).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  const made = await openWithin(from, name);
  if (made) await giveLikeFolder(from.handle, made.handle);
  return made;
}

/** Whether something else stands in the place. */
export function isTaken(error: unknown): boolean {
  return ['EEXIST', 'EISDIR', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error));
}
