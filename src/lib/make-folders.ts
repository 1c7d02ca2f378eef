// Makes a folder and those above it. Node's own way never ends where a file system refuses new names as if the folder above were missing (/proc).
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder and the missing ones above it; one that is there is left as it is. Rejects with an error of node:fs, with its `code`. */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error;
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory()) return;
    throw codeOf(error) === 'EEXIST' ? Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' }) : error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
