// What the end of a file of entries holds: its last line, and what a crash left of one.
import type { FileHandle } from 'node:fs/promises';
import { Unfit } from './file-words.ts';

const [lineFeed, brace] = [10, 123];
const pieceBytes = 1 << 16;

/** Where the last line begins that has no end; the size of the file where all have one. Throws `Unfit` for what Weir has not written. */
export async function tornFrom(file: FileHandle, size: number): Promise<number> {
  const start = await behindLastFeed(file, size);
  if (start === size) return size;
  const [first] = await bytesAt(file, start, 1);
  if (first !== brace)
    throw new Unfit('its last line has no end, and is no entry: it is not a file of the audit log, so name another');
  return start;
}

/** The id of the last entry of a file whose lines are whole; nothing where its last line is none. */
export async function newestIdIn(file: FileHandle, size: number): Promise<string | undefined> {
  if (size === 0) return undefined;
  const start = await behindLastFeed(file, size - 1);
  try {
    const entry: unknown = JSON.parse((await bytesAt(file, start, size - start)).toString('utf8'));
    const id = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Behind the last line feed before `end`; 0 where there is none. */
async function behindLastFeed(file: FileHandle, end: number): Promise<number> {
  for (let high = end; high > 0; ) {
    const low = Math.max(0, high - pieceBytes);
    const at = (await bytesAt(file, low, high - low)).lastIndexOf(lineFeed);
    if (at >= 0) return low + at + 1;
    high = low;
  }
  return 0;
}

async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
