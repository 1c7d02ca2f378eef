// Files that are read again and again: the last few of them stay open.
import type { FileSystem, OpenFile } from './file-system.ts';

/** Opens files for reading, or finds them open. */
export interface OpenFiles {
  /** Does something with a file, which stays open until that is over. Rejects with what the disk says. */
  using<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T>;
  /** Closes all but these: what is removed takes room for as long as it is open. Those that are used are closed as soon as that is over. */
  keepOnly(paths: ReadonlySet<string>): Promise<void>;
}

interface Entry {
  readonly file: Promise<OpenFile>;
  users: number;
  dropped: boolean;
}

/** Keeps so many files open. */
export function createOpenFiles(files: FileSystem, most: number): OpenFiles {
  const entries = new Map<string, Entry>();

  return {
    using: async (path, work) => {
      const entry = entries.get(path) ?? { file: files.open(path, 'read'), users: 0, dropped: false };
      entries.delete(path);
      entries.set(path, entry);
      entry.users += 1;
      dropOldest();
      try {
        return await work(await entry.file);
      } catch (error) {
        // One that could not be opened, or read, is tried anew.
        drop(path, entry);
        throw error;
      } finally {
        entry.users -= 1;
        await letGo(entry);
      }
    },
    keepOnly: async (paths) => {
      const others = [...entries].filter(([path]) => !paths.has(path));
      for (const [path, entry] of others) drop(path, entry);
      await Promise.all(others.map(([, entry]) => letGo(entry)));
    },
  };

  function dropOldest(): void {
    for (const [path, entry] of entries) {
      if (entries.size <= most) return;
      drop(path, entry);
      void letGo(entry);
    }
  }

  function drop(path: string, entry: Entry): void {
    entry.dropped = true;
    if (entries.get(path) === entry) entries.delete(path);
  }

  async function letGo({ file, users, dropped }: Entry): Promise<void> {
    if (users > 0 || !dropped) return;
    // A file that could not be opened has nothing to close.
    await file.then((opened) => opened.close()).catch(() => {});
  }
}
