// Holds the records in a backup to their chain, as they are read back from it.
import { basename } from 'node:path';
import type { Damage } from '../damage.ts';
import type { OpenFile } from '../file-system.ts';
import { verifyFile } from '../record-verify.ts';
import type { Capture } from './capture.ts';
import { justLook, type OnFile } from './read.ts';

/** Looks at every file of a backup that is made of a picture; `damage`: what was found there, and what was known of the picture. */
export function checkingRecords(captured: Pick<Capture, 'segments' | 'damage'>): {
  readonly onFile: OnFile;
  readonly damage: () => readonly Damage[];
} {
  const found = [...captured.damage];
  return {
    damage: () => found,
    onFile: async (path, content) => {
      const segment = captured.segments.find(({ name }) => path === `store/records/${name}`);
      if (!segment) return justLook(path, content);
      const { damage } = await verifyFile(inOrder(content), path, segment);
      // What the picture tells of it has another path, and says no more.
      const known = new Set(damage.map((one) => basename(one.path)));
      const others = found.filter((one) => !known.has(basename(one.path)));
      found.splice(0, found.length, ...others, ...damage);
    },
  };
}

/** What comes in pieces, as a file that is read from its beginning to its end. */
function inOrder(content: AsyncIterable<Uint8Array>): Pick<OpenFile, 'read'> {
  const pieces = content[Symbol.asyncIterator]();
  let left: Uint8Array = new Uint8Array();
  return {
    read: async (into) => {
      while (left.length === 0) {
        const { value, done } = await pieces.next();
        if (done) return 0;
        left = value;
      }
      const count = Math.min(into.length, left.length);
      into.set(left.subarray(0, count));
      left = left.subarray(count);
      return count;
    },
  };
}
