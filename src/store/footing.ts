// Whether what a store writes stands where it is looked for: its folder may be deleted, moved or replaced under it, and another process let in.
import { basename } from 'node:path';
import { codeOf, type FileSystem, type OpenFile } from './file-system.ts';

/** An open file, and the path at which others find it. */
export interface Standing {
  readonly path: string;
  readonly file: OpenFile;
}

/** Nothing was written: what is open is not what others find, so that nobody would find it again. It goes on where the folder comes back. */
export class LostFooting extends Error {
  override readonly name = 'LostFooting';
}

/**
 * Why what is written into a file would be found by nobody; nothing where it stands at its path. Every process that opens a store for writing
 * gives its last segment another inode, so that this tells of that one, too.
 */
export async function whyLost(
  files: FileSystem,
  folder: string,
  { path, file }: Standing,
): Promise<string | undefined> {
  if (await file.isAt(path)) return undefined;
  const names = await namesOf(files, folder);
  const then = 'bring it back, and writes go on; or start again where it is now';
  if (names === undefined) return `the folder ${folder} is gone (deleted, moved or not mounted): ${then}`;
  if (!names.includes(basename(path)))
    return `${path} is gone (deleted, or another folder stands in the place of the store's): ${then}`;
  return `another process has taken the store, or another folder stands in the place of ${folder}: what is written here would be found by nobody. End one of the two`;
}

async function namesOf(files: FileSystem, folder: string): Promise<readonly string[] | undefined> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
