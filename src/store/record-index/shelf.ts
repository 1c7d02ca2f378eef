// The folder of the index: which runs there are, and how one is written.
import { join } from 'node:path';
import { createSlicer, inSlices } from '../../lib/slice.ts';
import { codeOf, type FileSystem, writeFully } from '../file-system.ts';
import { namesIn, numbered } from '../folder.ts';
import type { RecordSegment } from '../record-segments.ts';
import { type Covered, encodeRun, type Term } from './encode.ts';
import { DamagedRun, openRun, type Run } from './run.ts';

/** Where the index stands. Nothing in it is missed: what is not there is made anew. */
export function indexFolder(folder: string): string {
  return join(folder, 'index');
}

/** The runs that are there; what is none, of another version or damaged is removed. */
export async function openRuns(files: FileSystem, folder: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (const name of await namesIn(files, indexFolder(folder))) {
    if (!/^audit-\d{12}-\d{12}\.idx(\.tmp)?$/.test(name)) continue;
    const path = join(indexFolder(folder), name);
    const run = name.endsWith('.tmp') ? undefined : await openRun(files, path).catch(unlessDamaged);
    if (run) runs.push(run);
    else await removeFile(files, path);
  }
  return runs;
}

/** Writes a run and opens it. Throws what the disk says, and leaves nothing behind then. */
export async function writeRun(
  files: FileSystem,
  folder: string,
  { first, last }: Pick<RecordSegment, 'first' | 'last'>,
  covered: readonly Covered[],
  terms: Iterable<Term>,
): Promise<Run> {
  const path = join(indexFolder(folder), `audit-${numbered(first)}-${numbered(last)}.idx`);
  const pieces = await inSlices(encodeRun(covered, terms), createSlicer());
  await files.makeFolder(indexFolder(folder));
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    let size = 0;
    for (const piece of pieces) {
      await writeFully(file, piece, size);
      size += piece.length;
    }
    await file.datasync();
  } catch (error) {
    await file.close().catch(() => {});
    await removeFile(files, `${path}.tmp`).catch(() => {});
    throw error;
  }
  await file.close();
  await files.rename(`${path}.tmp`, path);
  return openRun(files, path);
}

/** Removes a file that may be gone already. */
export async function removeFile(files: FileSystem, path: string): Promise<void> {
  await files.unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedRun)) throw error;
}
