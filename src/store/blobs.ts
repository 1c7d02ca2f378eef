// Blobs: bytes that resources name by their SHA-256, durable before anything names them, and deleted when nothing does any more.
import { createHash } from 'node:crypto';
import { isBlobNamed } from '../core/model/named-blobs.ts';
import type { View } from '../core/model/view.ts';
import { createSlicer, type Slicer } from '../lib/slice.ts';
import { type Blobs, DamagedBlob, diskFullWords, NoRoom, NotKept } from './store.ts';

/** Where an engine has its blobs. */
export interface Shelf {
  /** Makes the bytes durable under a name; all of them or none. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  remove(name: string): Promise<void>;
  /** The names of all that are there whole; takes away what was left half-written. */
  tidy(): Promise<readonly string[]>;
}

/** What blobs need of the engine that they belong to: what is durable, and why nothing is written now. */
export interface Around {
  readonly view: () => View;
  readonly refusal: () => string | undefined;
  /** Whether there is more room than commits may need. */
  readonly hasRoom: () => boolean;
}

/** The blobs on a shelf. What is put and what is collected take turns, so that nothing is taken for kept that is on its way out. */
export function createBlobs(shelf: Shelf, around: Around): Blobs {
  const held = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const hold = (name: string, by: number) => {
    const count = (held.get(name) ?? 0) + by;
    if (count > 0) held.set(name, count);
    else held.delete(name);
  };
  const requireWritable = () => {
    const refusal = around.refusal();
    if (refusal !== undefined) throw new NotKept(refusal);
  };
  return {
    put: async (bytes) => {
      requireWritable();
      if (!around.hasRoom()) throw new NoRoom(diskFullWords);
      const name = await digestOf(bytes);
      hold(name, 1);
      try {
        await inTurn(() => shelf.write(name, bytes));
      } catch (error) {
        hold(name, -1);
        throw error;
      }
      let isHeld = true;
      const release = () => {
        if (isHeld) hold(name, -1);
        isHeld = false;
      };
      return { name, release };
    },
    get: async (name) => {
      const bytes = isName(name) ? await shelf.read(name) : undefined;
      if (bytes && (await digestOf(bytes)) !== name)
        throw new DamagedBlob(`the blob ${name} is not what was written: bring it back from a backup`);
      return bytes;
    },
    collect: async () => {
      requireWritable();
      const names = await inTurn(() => shelf.tidy());
      const isNeeded = (name: string) => held.has(name) || isBlobNamed(around.view(), name);
      let count = 0;
      for (const name of names.filter((one) => !isNeeded(one)))
        await inTurn(async () => {
          // Looked at anew for each: whoever commits meanwhile still holds what it names.
          if (around.refusal() !== undefined || isNeeded(name)) return;
          await shelf.remove(name);
          count += 1;
        });
      return count;
    },
  };
}

/** The name of a blob is the SHA-256 of its bytes, in hexadecimal. */
export function isName(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** A piece at a time, so that nobody is held up by a large one. */
async function digestOf(bytes: Uint8Array, slicer: Slicer = createSlicer()): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (slicer.spent()) await slicer.breathe();
    hash.update(bytes.subarray(at, at + pieceBytes));
  }
  return hash.digest('hex');
}

const pieceBytes = 1024 * 1024;

/** Blobs in memory. */
export function memoryShelf(): Shelf {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    write: async (name, bytes) => void blobs.set(name, Uint8Array.from(bytes)),
    // Whoever reads may hand its bytes on, and be left without them.
    read: async (name) => blobs.get(name)?.slice(),
    remove: async (name) => void blobs.delete(name),
    tidy: async () => [...blobs.keys()],
  };
}
