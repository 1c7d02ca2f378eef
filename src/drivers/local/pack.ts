// What an instance holds as the bytes of a snapshot: read, checked, written as text and digested by a thread of its own, because that takes seconds of what is large.
import { createHash } from 'node:crypto';
import { type Content, contentText, deployText } from '../../core/instances/content.ts';
import { createFairTurns } from '../../lib/fair-turns.ts';
import { inWorker, workerFor } from '../../lib/in-worker.ts';
import { DriverFailed, type InTurn, type Packed, type Parts } from '../driver.ts';
import { explained } from './explained.ts';
import type { Folder } from './folder.ts';
import { type Marks, readAt, whileResting } from './stored.ts';

interface Job {
  readonly folder: Folder;
  readonly settings: Content['settings'];
  /** By which it is seen whether the files are still those that rested. */
  readonly marks: Marks;
}

type Done = 'changed' | { readonly packed: Packed } | { readonly reason: string; readonly message: string };

const mark = 'pack';
const work = workerFor<Job, Done>(import.meta.url, mark);

/** One thread packs for all. However much another team asks for, a turn comes after one piece of each; who waits for too long is told to try again. */
const inTurn = createFairTurns(
  { atOnce: 1, places: Number.POSITIVE_INFINITY, perKey: 17, maxWaitMs: 120_000 },
  () => new DriverFailed('Busy', 'too many other snapshots are being taken: try again later'),
);

/** What an instance has now, and the settings that it ran with, as a snapshot keeps them. Only what rests takes a turn. Rejects with `DriverFailed`. */
export async function packStored(
  folder: Folder,
  settings: Content['settings'],
  { turn, ...parts }: Parts & InTurn = {},
): Promise<Packed> {
  return whileResting(folder, parts, async (marks) => {
    const done = await inTurn(turn ?? folder.path, () => work({ folder, settings, marks }));
    if (done === 'changed') return undefined;
    if ('packed' in done) return done.packed;
    throw new DriverFailed(done.reason, done.message);
  });
}

async function pack({ folder, settings, marks }: Job): Promise<Done> {
  try {
    const stored = await readAt(folder, marks);
    if (!stored) return 'changed';
    const content: Content = { format: 1, ...stored, ...(settings ? { settings } : {}) };
    const bytes = new TextEncoder().encode(contentText(content));
    const deploy = createHash('sha256').update(deployText(stored)).digest('hex');
    return { packed: { bytes, deploy, modules: stored.modules, isEmpty: stored.flows.length === 0 } };
  } catch (cause) {
    // Here, because the code of a failure does not get out of the thread.
    const error = explained(cause);
    if (error instanceof DriverFailed) return { reason: error.reason, message: error.message };
    throw error;
  }
}

inWorker(mark, pack, (done) => (done !== 'changed' && 'packed' in done ? [done.packed.bytes.buffer] : []));
