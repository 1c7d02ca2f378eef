// Watches over the records of a store that is open: what is read is verified afterwards, once, and what is wrong with any is remembered and told.
import { basename } from 'node:path';
import { type Damage, damageWords } from './damage.ts';
import type { FileSystem } from './file-system.ts';
import type { RecordSegment } from './record-segments.ts';
import { verifySegment } from './record-verify.ts';

/** What is known of the records of a store. */
export interface RecordWatch {
  /** All that was found so far. */
  damage(): readonly Damage[];
  /** A segment was read: it is verified as soon as nobody waits for the answer. */
  met(segment: RecordSegment): void;
  /** Something is wrong with a segment: it was read, and this was found. */
  suspect(segment: RecordSegment): void;
  /** Whether something is wrong with a segment, as far as it is known. */
  isSuspect(segment: RecordSegment): boolean;
  /** How many records of a segment can be shown. */
  countOf(segment: RecordSegment): Promise<number>;
  /** Resolves when nothing is being verified; nothing begins any more. */
  close(): Promise<void>;
}

/** A watch that begins with what was found as the store was opened. */
export function watchRecords(
  files: FileSystem,
  folder: string,
  log: (message: string) => void,
  found: readonly Damage[],
): RecordWatch {
  const known = new Map<string, Damage>();
  const verified = new Map<string, Promise<number>>();
  const suspects = new Set<string>();
  let busy: Promise<unknown> = Promise.resolve();
  let closed = false;
  for (const damage of found) note(damage);

  return {
    damage: () => [...known.values()],
    met: (segment) => {
      if (!verified.has(segment.name)) verify(segment).catch(() => {});
    },
    suspect: (segment) => {
      if (suspects.has(segment.name)) return;
      suspects.add(segment.name);
      if (!verified.has(segment.name)) verify(segment).catch(() => {});
    },
    isSuspect: ({ name }) => suspects.has(name),
    countOf: async (segment) => {
      if (!suspects.has(segment.name)) return segment.count;
      return verified.get(segment.name) ?? verify(segment);
    },
    close: () => {
      closed = true;
      return busy.then(() => {});
    },
  };

  /** One at a time, and each of them once. */
  function verify(segment: RecordSegment): Promise<number> {
    const verifying = busy.then(async () => {
      if (closed) return segment.count;
      const { readable, damage, isGone } = await verifySegment(files, folder, segment);
      // What is gone meanwhile was dropped by retention, or is told by the next start.
      if (isGone) return 0;
      if (damage.length > 0) suspects.add(segment.name);
      for (const one of damage) note(one);
      return readable;
    });
    // What could not be read now is not damaged for that: whoever reads it next begins again, and is told why.
    busy = verifying.catch(() => verified.delete(segment.name));
    verified.set(segment.name, verifying);
    return verifying;
  }

  function note(damage: Damage): void {
    const key = `${damage.path}:${damage.offset}`;
    if (known.has(key)) return;
    known.set(key, damage);
    // Its count is not to be believed before it was looked at.
    suspects.add(basename(damage.path));
    log(`the records of the store are damaged: ${damageWords(damage)}. "weir store check" tells all that is wrong`);
  }
}
