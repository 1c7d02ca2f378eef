// The SHA-256 of a file, a piece at a time.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileSystem } from './file-system.ts';

/** In hexadecimal; gives others their turn. */
export async function digestOf(files: FileSystem, path: string): Promise<string> {
  const file = await files.open(path, 'read');
  try {
    const digest = createHash('sha256');
    const piece = Buffer.allocUnsafe(1 << 18);
    for (let at = 0; ; ) {
      const count = await file.read(piece, at);
      if (count === 0) return digest.digest('hex');
      digest.update(piece.subarray(0, count));
      at += count;
      await nextTurn();
    }
  } finally {
    await file.close();
  }
}
