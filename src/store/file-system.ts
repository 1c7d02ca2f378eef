// The file-system port: the few calls that the journal stands on, and their real implementation.
import { type BigIntStats, constants, statSync } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir, rename, rmdir, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders } from '../lib/make-folders.ts';
import { syncFolder } from '../lib/sync-folder.ts';

/**
 * What a store does with its folder. Nothing is promised to outlive a power loss but what `datasync` (a file's bytes) or
 * `syncFolder` (a folder's names) confirmed. Errors are those of node:fs, with their `code`.
 */
export interface FileSystem {
  /** Makes a folder and the missing ones above it (0700), and makes their names durable. */
  makeFolder(path: string): Promise<void>;
  /** Leaves a folder to its owner alone (0700), where that is ours to say. */
  restrictFolder(path: string): Promise<void>;
  /** The names in a folder. */
  list(path: string): Promise<string[]>;
  /** Who may do what with a file, in the bits of POSIX; nothing where the system has none. */
  mode(path: string): Promise<number | undefined>;
  /** The size of a file in bytes, and when it was last changed, in milliseconds since 1970; nothing where there is none. */
  stat(path: string): Promise<{ readonly size: number; readonly changedAt: number } | undefined>;
  /** How much of the disk of a folder this process may still take, and how large it is, in bytes. */
  room(folder: string): Promise<{ readonly free: number; readonly size: number }>;
  /** Whether a name is a link to something that stands elsewhere; also where that is gone. */
  isLink(path: string): Promise<boolean>;
  /** `create` makes an empty file (0600), whatever stood there, `new` only where nothing did, not even a link; the others want it to exist. */
  open(path: string, mode: 'read' | 'write' | 'create' | 'new'): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Removes a folder that is empty. */
  removeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** An open file. `read` and `write` may do less than asked, and answer how many bytes they did. */
export interface OpenFile {
  size(): Promise<number>;
  read(into: Uint8Array, position: number): Promise<number>;
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  datasync(): Promise<void>;
  /** Whether this very file is what a path leads to now. */
  isAt(path: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The disk. */
export const diskFileSystem: FileSystem = {
  makeFolder,
  restrictFolder: async (path) => chmod(path, 0o700).catch(() => {}),
  list: (path) => readdir(path),
  mode: async (path) => (process.platform === 'win32' ? undefined : (await stat(path)).mode & 0o777),
  stat: async (path) => {
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    return found && { size: found.size, changedAt: found.mtimeMs };
  },
  room: async (folder) => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, size: blocks * bsize };
  },
  isLink: async (path) => (await lstat(path)).isSymbolicLink(),
  open: async (path, mode) => {
    const handle = await open(path, flags[mode], 0o600);
    if (mode === 'read') await requirePlain(path, handle);
    return openFile(handle);
  },
  rename,
  unlink,
  removeFolder: rmdir,
  syncFolder,
};

/** Writes all bytes, in as many calls as it takes. */
export async function writeFully(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const count = await file.write(bytes.subarray(done), position + done);
    if (count === 0) throw new Error(`the disk took ${done} of ${bytes.length} bytes and then none`);
    done += count;
  }
}

/** Reads from `position` until `into` is full or the file ends; answers what was read. */
export async function readFully<B extends ArrayBufferLike>(
  file: OpenFile,
  into: Uint8Array<B>,
  position: number,
): Promise<Uint8Array<B>> {
  let done = 0;
  while (done < into.length) {
    const count = await file.read(into.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return into.subarray(0, done);
}

/** The code of a node:fs error (`ENOENT`), or nothing. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What an error says, for a sentence. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A pipe that nobody writes to would hold up `open` for ever. Windows has no such flag, and no such files. */
const flags = { read: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), write: 'r+', create: 'w+', new: 'wx+' };

/** A folder says itself that it is none when it is read. Whatever else stands there has no bytes at a position (`ESPIPE`). */
async function requirePlain(path: string, handle: FileHandle): Promise<void> {
  const found = await handle.stat();
  if (found.isFile() || found.isDirectory()) return;
  await handle.close();
  throw Object.assign(new Error(`ESPIPE: ${path} is no plain file`), { code: 'ESPIPE', path });
}

function openFile(handle: FileHandle): OpenFile {
  /** It stays the same file for as long as it is open. */
  let own: BigIntStats | undefined;
  return {
    size: async () => (await handle.stat()).size,
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    datasync: () => handle.datasync(),
    isAt: async (path) => {
      own ??= await handle.stat({ bigint: true });
      const there = whatStandsAt(path);
      return there?.ino === own.ino && there.dev === own.dev;
    },
    close: () => handle.close(),
  };
}

/** Asked twice for each write: a pool of threads would take longer to answer than the kernel. */
function whatStandsAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  await makeFolders(path, 0o700);
  // Also those that stood already: a process that died may have made them and not come to this.
  for (let made = path; made !== dirname(made); made = dirname(made))
    await syncFolder(dirname(made)).catch((error) => {
      if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error;
    });
}
