// Tries a disk that took no write, until it takes them again: seldom, and without touching what is there.
import { join } from 'node:path';
import { writeFully } from './file-system.ts';
import type { Ailing, Journal } from './journal-state.ts';

/** The file that is written to find out; it is removed at once. */
const probeName = 'probe.tmp';

const [firstMs, longestMs] = [1000, 30_000];

/** The same, tried once more: twice as long after the last time, half a minute at most. */
export function nextTry({ why, tries }: Ailing): Ailing {
  return { why, tries: tries + 1, next: performance.now() + Math.min(firstMs * 2 ** tries, longestMs) };
}

/** Tries it, where its time has come. Says so when it takes writes again. Never rejects. */
export async function probe(journal: Journal): Promise<void> {
  const { ailing, options } = journal;
  if (ailing === undefined || performance.now() < ailing.next) return;
  if (await takesWrites(journal)) {
    journal.ailing = undefined;
    options.log('the disk of the store takes writes again, and they are kept again');
  } else journal.ailing = nextTry(ailing);
}

/** As much as a small commit, and as durable. */
async function takesWrites({ options: { files, folder } }: Journal): Promise<boolean> {
  const path = join(folder, probeName);
  try {
    const file = await files.open(path, 'create');
    try {
      await writeFully(file, new Uint8Array(4096), 0);
      await file.datasync();
    } finally {
      await file.close();
      await files.unlink(path);
    }
    return true;
  } catch {
    return false;
  }
}
