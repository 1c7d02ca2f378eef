// Blobs as files in the folder `blobs` of a store, each named by its SHA-256.
import { join } from 'node:path';
import { isName, type Shelf } from './blobs.ts';
import { codeOf, type FileSystem, readFully, writeFully } from './file-system.ts';
import { namesIn } from './folder.ts';

/** The shelf of a store's folder; the folder `blobs` is made when there is something to put into it. */
export function fileShelf(files: FileSystem, store: string): Shelf {
  const folder = join(store, 'blobs');
  return {
    write: (name, bytes) => write(files, folder, name, bytes),
    read: (name) => read(files, join(folder, name)),
    remove: (name) => files.unlink(join(folder, name)),
    tidy: async () => {
      const names = await namesIn(files, folder);
      for (const name of names) if (/^[0-9a-f]{64}\.tmp$/.test(name)) await files.unlink(join(folder, name));
      return names.filter(isName);
    },
  };
}

/** The same, which changes nothing in a folder that is not the store's any more: `onFooting` throws then. */
export function shelfOnFooting(shelf: Shelf, onFooting: () => Promise<void>): Shelf {
  return {
    ...shelf,
    write: async (name, bytes) => {
      await onFooting();
      await shelf.write(name, bytes);
    },
    remove: async (name) => {
      await onFooting();
      await shelf.remove(name);
    },
    tidy: async () => {
      await onFooting();
      return shelf.tidy();
    },
  };
}

/** Written whole even where a file of that name is there: who puts bytes has them, and that one may have been damaged. */
async function write(files: FileSystem, folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  await files.makeFolder(folder);
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    await writeFully(file, bytes, 0);
    await file.datasync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(`${path}.tmp`).catch(() => {});
    throw error;
  }
  await files.rename(`${path}.tmp`, path);
  await files.syncFolder(folder);
}

async function read(files: FileSystem, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const file = await files.open(path, 'read');
    try {
      return await readFully(file, new Uint8Array(await file.size()), 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
