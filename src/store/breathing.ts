// A file that is read from end to end while others have their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenFile } from './file-system.ts';

/** The same file, read in pieces of so many bytes at most, with a turn of the event loop before each. */
export function breathing<F extends Pick<OpenFile, 'read'>>(file: F, pieceSize = 1 << 18): F {
  return {
    ...file,
    read: async (into: Uint8Array, position: number) => {
      await nextTurn();
      return file.read(into.subarray(0, pieceSize), position);
    },
  };
}
