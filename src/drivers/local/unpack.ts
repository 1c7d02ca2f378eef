// The bytes of a snapshot, written into an instance: read, encrypted anew and laid out by a thread of its own, because that takes seconds of what is large.
import { createHash } from 'node:crypto';
import { contentIn, deployText } from '../../core/instances/content.ts';
import { createFairTurns } from '../../lib/fair-turns.ts';
import { inWorker, workerFor } from '../../lib/in-worker.ts';
import { DriverFailed, type PackedContent, type Unpacked } from '../driver.ts';
import { explained } from './explained.ts';
import type { Folder } from './folder.ts';
import { writeStored } from './stored.ts';

interface Job extends Omit<PackedContent, 'turn'> {
  readonly folder: Folder;
}

type Done = Unpacked | { readonly reason: string; readonly message: string };

const mark = 'unpack';
const work = workerFor<Job, Done>(import.meta.url, mark, ({ bytes }) => [bytes.buffer]);

/** One thread writes for all, a piece of each team after the other. What is to be restored is restored, however long that takes. */
const all = Number.POSITIVE_INFINITY;
const inTurn = createFairTurns(
  { atOnce: 1, places: all, perKey: all },
  () => new DriverFailed('Busy', 'too many wait'),
);

/** Replaces what an instance has, as `writeStored` does. Rejects with `DriverFailed`. */
export async function unpackStored(folder: Folder, { turn, ...wanted }: PackedContent): Promise<Unpacked> {
  const done = await inTurn(turn ?? folder.path, () => work({ ...wanted, folder }));
  if ('deploy' in done) return done;
  throw new DriverFailed(done.reason, done.message);
}

async function unpack({ folder, bytes, ...secrets }: Job): Promise<Done> {
  try {
    const content = contentIn(new TextDecoder().decode(bytes));
    if (!content) throw new DriverFailed('ContentUnreadable', 'its snapshot was written by another version of Weir');
    const { format: _, settings: __, ...stored } = content;
    const now = await writeStored(folder, { stored, ...secrets });
    return { deploy: createHash('sha256').update(deployText(now)).digest('hex') };
  } catch (cause) {
    // Here, because the code of a failure does not get out of the thread.
    const error = explained(cause);
    if (error instanceof DriverFailed) return { reason: error.reason, message: error.message };
    throw error;
  }
}

inWorker(mark, unpack);
