// The mark that a backup leaves in the store that it was made of, so that its age is known there.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type FileSystem, writeFully } from './file-system.ts';

/** The file, in the folder of the store; its time is that of the newest backup. */
export const backupMark = 'last-backup';

/** Leaves the mark. Throws what the disk says: a backup does not depend on it. */
export async function leaveMark(files: FileSystem, folder: string, words: string): Promise<void> {
  // Whoever owns the folder may have put a link there, and who makes backups may be somebody with more rights: nothing is followed.
  const made = join(folder, `${backupMark}.${randomBytes(6).toString('hex')}.tmp`);
  const file = await files.open(made, 'new');
  try {
    await writeFully(file, Buffer.from(`${words}\n`), 0);
    await file.datasync();
  } finally {
    await file.close();
  }
  await files.rename(made, join(folder, backupMark));
}
