// The reserve of a store: disk that is taken while there is some, and given back piece by piece when the disk is full, so that commits go on.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, type FileSystem, type OpenFile, writeFully } from './file-system.ts';

/** The file that holds it, in the folder of the store. */
export const reserveName = 'reserve';

/** A reserve. None of these rejects. */
export interface Reserve {
  /** Takes what is missing of it, as far as the disk has room; `false` where the disk has none. */
  take(): Promise<boolean>;
  /** Gives back at least so many bytes; `false` where it has nothing left. */
  give(bytes: number): Promise<boolean>;
  /** Whether it holds all that it shall. */
  isWhole(): boolean;
}

/** What is taken at a time. A disk that cannot give as much is left alone: the store's own files need some. */
const stepBytes = 4 << 20;

/** What is given at a time at least: what takes up room all the time must not get it all before it is written to. */
const leastGiven = 256 << 10;

/** Whether an error says that there is no room. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
}

/** The reserve in a folder, of so many bytes; nothing is taken yet. Whatever stands there of an earlier one can be given. */
export function createReserve(files: FileSystem, folder: string, wanted: number): Reserve {
  const path = join(folder, reserveName);
  /** Not known before it is looked at. */
  let held: number | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<boolean>): Promise<boolean> => {
    const turn = last.then(work).catch(() => false);
    last = turn;
    return turn;
  };
  return {
    take: () =>
      inTurn(async () => {
        if (wanted === 0 || held === wanted) return true;
        const { before, after } = await withFile(files, path, true, (file) => fill(file, wanted));
        held = after;
        return after > before;
      }),
    give: (bytes) =>
      inTurn(async () => {
        if (held === 0) return false;
        const [size, left] = await withFile(files, path, false, (file) => shrink(file, Math.max(bytes, leastGiven)));
        held = left;
        return size > left;
      }),
    isWhole: () => held === undefined || held >= wanted,
  };
}

async function withFile<T>(
  files: FileSystem,
  path: string,
  make: boolean,
  work: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await files.open(path, 'write').catch((error: unknown) => {
    if (make && codeOf(error) === 'ENOENT') return files.open(path, 'create');
    throw error;
  });
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Bytes that no file system keeps in less room than they have. */
async function fill(file: OpenFile, wanted: number): Promise<{ readonly before: number; readonly after: number }> {
  const before = await file.size();
  if (before > wanted) await file.truncate(wanted);
  let after = Math.min(before, wanted);
  const noise = after < wanted ? randomBytes(Math.min(stepBytes, wanted - after)) : new Uint8Array();
  while (after < wanted) {
    const piece = noise.subarray(0, wanted - after);
    try {
      await writeFully(file, piece, after);
      after += piece.length;
    } catch {
      await file.truncate(after);
      break;
    }
  }
  return { before, after };
}

async function shrink(file: OpenFile, bytes: number): Promise<readonly [size: number, left: number]> {
  const size = await file.size();
  const left = Math.max(0, size - bytes);
  await file.truncate(left);
  return [size, left];
}
