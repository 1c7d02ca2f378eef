// Appends a group to the journal, durable once this resolves; on a full disk with what the reserve gives.
import { NotWritten, WriteFailed } from './engine-state.ts';
import { wordsOf, writeFully } from './file-system.ts';
import type { Journal } from './journal-state.ts';
import { nextTry } from './probe.ts';
import { isFull } from './reserve.ts';
import { diskFullWords } from './store.ts';

/** Where the disk is full the reserve makes room, as much as it takes: others may take what is given before it is written to. */
export async function append(journal: Journal, bytes: Uint8Array): Promise<void> {
  const { options } = journal;
  let wanted = bytes.length;
  for (let isLast = false; ; ) {
    const error = await tryToAppend(journal, bytes);
    if (error === undefined) break;
    if (!isFull(error)) throw ailing(journal, error);
    if (isLast) throw outOfRoom(journal, error);
    isLast = !(await options.reserve.give(wanted));
    wanted *= 2;
  }
  if (journal.full) options.log('the disk of the store has room again, and writes are kept again');
  journal.full = false;
}

/** Why it was not written, where it was not. Then nothing of it is left, durably: it was in nobody's hands yet that it might be kept. */
async function tryToAppend(journal: Journal, bytes: Uint8Array): Promise<unknown> {
  const { file, size } = journal.segment;
  let isWritten = false;
  try {
    await writeFully(file, bytes, size);
    isWritten = true;
    await file.datasync();
    return undefined;
  } catch (error) {
    try {
      // What a failed sync left behind nobody knows, unless all that was missing is room for what is cut off now.
      if (isWritten && !isFull(error)) throw error;
      await file.truncate(size);
      await file.datasync();
      return error;
    } catch {
      journal.failed = true;
      throw new WriteFailed(true, error);
    }
  }
}

function outOfRoom(journal: Journal, error: unknown): NotWritten {
  if (!journal.full) journal.options.log(`nothing is kept for now (${wordsOf(error)}): ${diskFullWords}`);
  journal.full = true;
  return new NotWritten(diskFullWords);
}

function ailing(journal: Journal, error: unknown): NotWritten {
  const why = `the disk of the store takes no writes (${wordsOf(error)}): it is tried again, and goes on by itself once it takes them`;
  journal.options.log(`nothing is kept for now: ${why}`);
  journal.ailing = nextTry({ why, tries: 0, next: 0 });
  return new NotWritten(why);
}
