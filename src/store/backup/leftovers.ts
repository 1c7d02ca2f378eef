// What a backup that was killed left half-written beside the others.
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../file-system.ts';

/** The name of a backup that is being written into a folder. */
const partial = /^weir-\d{8}T\d{6}\.\d{3}Z\.tar\.gz\.tmp$/;

/** One that goes on writes much more often than this. */
const deadMs = 10 * 60_000;

/**
 * Removes from a folder of backups what was begun and never ended: a backup grows until it has its name, so that one which nobody has touched for
 * ten minutes is nobody's any more. What cannot be looked at or removed stays. Answers the paths of what went.
 */
export async function removeLeftovers(folder: string, now: number = Date.now()): Promise<readonly string[]> {
  const removed: string[] = [];
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === undefined) throw error;
    return [];
  });
  for (const name of names.filter((one) => partial.test(one))) {
    const path = join(folder, name);
    try {
      const found = await stat(path);
      if (!found.isFile() || now - found.mtimeMs < deadMs) continue;
      await unlink(path);
      removed.push(path);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
    }
  }
  return removed;
}
