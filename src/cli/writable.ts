// Whether something can be written where a line says, as far as that can be told before anything is done.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Throws where it is plain that no file can be written there. */
export function requireWritable(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw withCode('EISDIR', `${path} is a folder`);
  if (there) accessSync(path, constants.W_OK);
  else accessSync(`${dirname(path)}/`, constants.W_OK);
}

/** Throws where it is plain that no file can be written into a folder; one that is missing would be made, with those above it. */
export function requireWritableFolder(path: string): void {
  const there = nearestThere(path);
  if (!statSync(there).isDirectory())
    throw there === path ? new Error('it is not a folder') : withCode('ENOTDIR', there);
  accessSync(`${there}/`, constants.W_OK | constants.X_OK);
}

/** The path, or the nearest one above it that is there. Throws where that cannot be told. */
export function nearestThere(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      statSync(at);
      return at;
    } catch (error) {
      // Below a file nothing can be.
      const isNone = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
      if (!isNone || dirname(at) === at) throw error;
    }
  }
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
