// Whether what a store writes stands where it is looked for: its folder may be deleted, moved or replaced under it, and another process let in.
import { basename } from 'node:path';
import { WriteFailed } from './engine-state.ts';
import { codeOf, type FileSystem, wordsOf } from './file-system.ts';
import type { Segment } from './journal.ts';
import type { Journal } from './journal-state.ts';

/** Nothing was written: what is open is not what others find, so that nobody would find it again. It goes on where the folder comes back. */
export class LostFooting extends Error {
  override readonly name = 'LostFooting';
}

/**
 * It was written and is durable, where nobody finds it now: whoever brings the folder back brings this, too. What has no answer stays without one, and is
 * cut off before anything else is written.
 */
export class LostBehind extends Error {
  override readonly name = 'LostBehind';
}

/** Looks whether what is written now will be found. Says so as that changes. Never rejects. */
export async function look(journal: Journal): Promise<string | undefined> {
  const { files, folder, log } = journal.options;
  const { segment } = journal;
  const lost = await whyLost(files, folder, segment).catch(
    (error: unknown) =>
      `it cannot be told whether ${folder} is where it was (${wordsOf(error)}): it is looked at again`,
  );
  // It went on in another one meanwhile, which was made at its path.
  if (segment !== journal.segment) return journal.lost;
  if (lost !== undefined && journal.lost === undefined) log(`nothing is kept for now: ${lost}`);
  if (lost === undefined && journal.lost !== undefined) log(`${folder} is back, and writes are kept again`);
  journal.lost = lost;
  return lost;
}

/** Throws `LostFooting` where what is written now would be found by nobody. */
export async function requireFooting(journal: Journal): Promise<void> {
  const lost = await look(journal);
  if (lost !== undefined) throw new LostFooting(lost);
}

/** What was written and is durable is acknowledged only where others find it: one who came meanwhile has read the store without it. */
export async function requireFound(journal: Journal): Promise<void> {
  const lost = await look(journal);
  if (lost === undefined) return;
  journal.doubtful = true;
  throw new LostBehind(lost);
}

/**
 * Cuts off, durably, what was written when it was lost. It stands at its path again, so that nobody has opened it for writing since: nobody has it in
 * hand that this was kept.
 */
export async function cutDoubtful(journal: Journal): Promise<void> {
  if (!journal.doubtful) return;
  const { file, size } = journal.segment;
  try {
    await file.truncate(size);
    await file.datasync();
  } catch (error) {
    journal.failed = true;
    throw new WriteFailed(true, error);
  }
  journal.doubtful = false;
}

/**
 * Why what is written into a file would be found by nobody; nothing where it stands at its path. Every process that opens a store for writing
 * gives its last segment another inode, so that this tells of that one, too.
 */
async function whyLost(files: FileSystem, folder: string, { path, file }: Segment): Promise<string | undefined> {
  if (await file.isAt(path)) return undefined;
  const names = await namesOf(files, folder);
  const then = 'bring it back, and writes go on; or start again where it is now';
  if (names === undefined) return `the folder ${folder} is gone (deleted, moved or not mounted): ${then}`;
  if (!names.includes(basename(path)))
    return `${path} is gone (deleted, or another folder stands in the place of the store's): ${then}`;
  return `another process has taken the store, or another folder stands in the place of ${folder}: what is written here would be found by nobody. End one of the two`;
}

async function namesOf(files: FileSystem, folder: string): Promise<readonly string[] | undefined> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
