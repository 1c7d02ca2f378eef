// What an instance holds as the bytes of a snapshot: read, checked, written as text and digested by a thread of its own, because that takes seconds of what is large.
import { createHash } from 'node:crypto';
import { type Content, contentText, deployText } from '../../core/instances/content.ts';
import { inWorker, workerFor } from '../../lib/in-worker.ts';
import { DriverFailed, type Packed } from '../driver.ts';
import { explained } from './explained.ts';
import type { Folder } from './folder.ts';
import { readStored } from './stored.ts';

interface Job {
  readonly folder: Folder;
  readonly settings: Content['settings'];
}

type Done = { readonly packed: Packed } | { readonly reason: string; readonly message: string };

const mark = 'pack';
const work = workerFor<Job, Done>(import.meta.url, mark);

/** What an instance has now, and the settings that it ran with, as a snapshot keeps them. One after another. Rejects with `DriverFailed`. */
export async function packStored(folder: Folder, settings: Content['settings']): Promise<Packed> {
  const done = await work({ folder, settings });
  if ('packed' in done) return done.packed;
  throw new DriverFailed(done.reason, done.message);
}

async function pack({ folder, settings }: Job): Promise<Done> {
  try {
    const stored = await readStored(folder);
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

inWorker(mark, pack, (done) => ('packed' in done ? [done.packed.bytes.buffer] : []));
