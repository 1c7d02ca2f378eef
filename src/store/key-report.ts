// What there is to say of the keys of a store, and of the keys that its files want, without opening it.
import { join } from 'node:path';
import { codeOf, diskFileSystem, type FileSystem } from './file-system.ts';
import { hasStore, listFolder } from './folder.ts';
import { keysOfFiles } from './journal.ts';
import { findKeys, formerKeysName, type KeySource, keyFileName, keyMissing, keysIn, readText } from './key-file.ts';
import { StoreUnavailable } from './store.ts';

/** Keys are told by their ids. */
export interface KeyReport {
  /** Where they are looked for: a path, or the name of a variable. */
  readonly place: string;
  /** Those that are there; the first one encrypts. */
  readonly present: readonly string[];
  /** The permissions of their file, in the bits of POSIX. */
  readonly mode?: number;
  /** Those that files of the store are encrypted with. */
  readonly wanted: readonly string[];
  /** Those of before, for backups of then, and their file. */
  readonly former: readonly string[];
  readonly formerPath: string;
  /** Why the store cannot be opened with what is there. */
  readonly problem?: string;
}

/** Looks at the keys of a store, and changes nothing. A server may be using it. */
export async function lookAtKeys(
  folder: string,
  source: KeySource,
  files: FileSystem = diskFileSystem,
): Promise<KeyReport> {
  const place = source.text === undefined ? (source.file ?? join(folder, keyFileName)) : 'WEIR_SECRET_KEY';
  const formerPath = join(folder, formerKeysName);
  const nothing = { place, formerPath, present: [], wanted: [], former: [] };
  try {
    const keyring = await findKeys(files, folder, source, () => {});
    const present = keyring.keys.map(({ id }) => id);
    const mode = source.text === undefined && present.length > 0 ? await files.mode(place) : undefined;
    const listing = await listFolder(files, folder);
    const found = hasStore(listing) ? await keysOfFiles(files, folder, listing) : new Map<string, string>();
    const [missing] = [...found].filter(([id]) => !present.includes(id));
    return {
      ...{ place, formerPath, present, wanted: [...found.keys()], former: await formerKeys(files, formerPath) },
      ...(mode === undefined ? {} : { mode }),
      ...(missing ? { problem: keyMissing(missing[1], missing[0], keyring).message } : {}),
    };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { ...nothing, problem: error.message };
    if (codeOf(error) === undefined) throw error;
    // A file that is turned over meanwhile, or may not be read: the line of the store says so.
    return nothing;
  }
}

async function formerKeys(files: FileSystem, path: string): Promise<readonly string[]> {
  const text = await readText(files, path).catch(() => undefined);
  return text === undefined ? [] : keysIn(text, path).map(({ id }) => id);
}
