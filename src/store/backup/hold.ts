// Holds the journal and the snapshots of a store as they are now, while another process goes on and removes them.
import { join } from 'node:path';
import type { FileSystem, OpenFile } from '../file-system.ts';
import type { FolderListing } from '../folder.ts';

/** An open file that ends where it ended when it was opened: all before that had been written. */
export interface Held {
  readonly file: OpenFile;
  readonly release: () => Promise<void>;
}

/** Opens them, by path, into `held`; answers a disk on which they stay as they are. */
export async function holdFiles(
  files: FileSystem,
  folder: string,
  { snapshots, journals }: FolderListing,
  held: Map<string, Held>,
): Promise<FileSystem> {
  for (const { name } of [...snapshots, ...journals]) await hold(files, join(folder, name), held);
  return { ...files, open: async (path, mode) => held.get(path)?.file ?? files.open(path, mode) };
}

/** Closes them. */
export async function letGo(held: ReadonlyMap<string, Held>): Promise<void> {
  for (const { release } of held.values()) await release().catch(() => {});
}

async function hold(files: FileSystem, path: string, held: Map<string, Held>): Promise<void> {
  const file = await files.open(path, 'read');
  held.set(path, { file, release: () => file.close() });
  const size = await file.size();
  const bounded: OpenFile = {
    ...file,
    size: async () => size,
    read: async (into, at) => (at >= size ? 0 : file.read(into.subarray(0, size - at), at)),
    close: async () => {},
  };
  held.set(path, { file: bounded, release: () => file.close() });
}
