// A file that goes into a backup: how it is read while others may write to it.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, type FileSystem, type OpenFile } from '../file-system.ts';

/** A file on its way. `size` in bytes is what its content comes to. */
export interface Opened {
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A file of the backup; `open` answers nothing where it is gone. */
export interface Source {
  readonly path: string;
  open(): Promise<Opened | undefined>;
}

/** A part of an open file, from its beginning; whoever opened it closes it. */
export function partOf(path: string, file: OpenFile, size: number): Source {
  return { path, open: async () => ({ size, content: piecesOf(file, size), close: async () => {} }) };
}

/** A file that is never changed. */
export function wholeFile(files: FileSystem, at: string, path: string): Source {
  return {
    path,
    open: async () => {
      const file = await files.open(at, 'read').catch(goneIsNothing);
      if (!file) return undefined;
      const size = await file.size();
      return { size, content: piecesOf(file, size), close: () => file.close() };
    },
  };
}

/** Some text. */
export function textFile(path: string, text: string): Source {
  const bytes = Buffer.from(text);
  return { path, open: async () => ({ size: bytes.length, content: onePiece(bytes), close: async () => {} }) };
}

/**
 * A file that a program may be writing to: read until two looks at it agree. What is larger than 16 MiB, or is never left alone, is taken as it
 * comes; where it gets shorter meanwhile, zeros stand for what is missing. What is no plain file any more, or cannot be opened, is told to `left`.
 */
export function changingFile(at: string, path: string, left: (why: string) => void): Source {
  return {
    path,
    open: async () => {
      for (let tries = 0; tries < 5; tries += 1) {
        const steady = await readSteadily(at, left);
        if (steady !== 'changed') return steady;
        await sleep(20);
      }
      const handle = await openPlain(at, left);
      return handle && streamed(handle);
    },
  };
}

/** Pieces of a file from its beginning, so many bytes in all. Throws where it is shorter, unless zeros may stand for the rest. */
async function* piecesOf(file: Pick<OpenFile, 'read'>, size: number, padded = false): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(1 << 18, size - at));
    const count = await file.read(piece, at);
    if (count === 0 && !padded) throw new Error(`the file ends at byte ${at} instead of ${size}`);
    yield count === 0 ? piece : piece.subarray(0, count);
    at += count === 0 ? piece.length : count;
  }
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

const mostSteady = 1 << 24;

async function readSteadily(at: string, left: (why: string) => void): Promise<Opened | undefined | 'changed'> {
  const handle = await openPlain(at, left);
  if (!handle) return undefined;
  try {
    const before = await handle.stat({ bigint: true });
    if (before.size > mostSteady) return 'changed';
    const bytes = await handle.readFile();
    const after = await handle.stat({ bigint: true });
    const same = before.mtimeNs === after.mtimeNs && BigInt(bytes.length) === after.size;
    return same ? { size: bytes.length, content: onePiece(bytes), close: async () => {} } : 'changed';
  } finally {
    await handle.close();
  }
}

/** Whoever may write there can put a link, a pipe or a second name of something else in its place: none is followed, waited for or read. */
async function openPlain(at: string, left: (why: string) => void): Promise<FileHandle | undefined> {
  const handle = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const why = closed[codeOf(error) ?? ''];
      if (why === undefined) return goneIsNothing(error);
      left(why);
      return undefined;
    },
  );
  const found = await handle?.stat();
  if (!found || (found.isFile() && found.nlink === 1)) return handle;
  await handle?.close();
  left('it is no plain file, or has a second name');
  return undefined;
}

const noPlain = 'it is no plain file';
const closed: Readonly<Record<string, string>> = {
  ELOOP: noPlain,
  EMLINK: noPlain,
  ENXIO: noPlain,
  ENAMETOOLONG: 'its path is too long',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

async function streamed(handle: FileHandle): Promise<Opened> {
  const { size } = await handle.stat();
  const read = async (into: Uint8Array, at: number) => (await handle.read(into, 0, into.length, at)).bytesRead;
  return { size, content: piecesOf({ read }, size, true), close: () => handle.close() };
}

function goneIsNothing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
  throw error;
}
