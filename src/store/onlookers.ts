// Whether everybody on this machine may read a store: it holds password hashes. A group that may was let in by somebody, as volumes of Kubernetes do.
import { join } from 'node:path';
import { codeOf, type FileSystem } from './file-system.ts';
import { type FolderListing, namesIn } from './folder.ts';

/** So many blobs are looked at: what was copied with other modes was copied as a whole. */
const someBlobs = 16;

/** The files of a store that everybody may read, and the command that closes them, in words; nothing where there are none. */
export async function toldOfOnlookers(
  files: FileSystem,
  folder: string,
  { journals, snapshots }: FolderListing,
): Promise<string | undefined> {
  const open: string[] = [];
  const look = async (path: string, names: readonly string[]) => {
    // Where nobody else may pass, it does not matter what is beyond.
    if (!mayPass(await modeOf(files, path))) return;
    for (const name of names) if (mayRead(await modeOf(files, join(path, name)))) open.push(join(path, name));
  };
  const own = [...journals, ...snapshots].map(({ name }) => name);
  await look(folder, own);
  if (mayPass(await modeOf(files, folder)))
    for (const [name, most] of [['records', undefined] as const, ['blobs', someBlobs] as const]) {
      const path = join(folder, name);
      await look(path, (await namesIn(files, path)).slice(0, most));
    }
  const [first, ...others] = open;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more ${others.length === 1 ? 'file' : 'files'}`;
  return `everybody on this machine may read ${first}${more} of the store, password hashes included: run chmod -R o= ${folder}`;
}

const mayPass = (mode: number) => (mode & 0o001) !== 0;
const mayRead = (mode: number) => (mode & 0o004) !== 0;

/** Nobody but the owner, where the system has no modes; also of what is gone by now. */
async function modeOf(files: FileSystem, path: string): Promise<number> {
  try {
    return (await files.mode(path)) ?? 0;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 0;
  }
}
