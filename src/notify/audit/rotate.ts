// Rotates a file: what is there becomes `.1`, what was that `.2`, and so on; the oldest goes.
import { lstat, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../lib/sync-folder.ts';
import { codeOf } from '../../store/file-system.ts';

/** Keeps `keep` files of before. One that is interrupted leaves a gap in the numbers, which the next one fills: nothing more is lost. */
export async function rotate(path: string, keep: number): Promise<void> {
  const numbered = (number: number) => (number === 0 ? path : `${path}.${number}`);
  let free = 1;
  while (free < keep && (await isThere(numbered(free)))) free += 1;
  for (let number = free; number > 0; number -= 1) await rename(numbered(number - 1), numbered(number));
  await syncFolder(dirname(path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
