// Puts entries of the audit log into a file, one a line, which is on the disk before anybody counts on it.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WrittenFile } from '../../core/proposals/note-audit-delivered.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import type { Batch } from './batch.ts';
import { type Desk, targetIn } from './desk.ts';
import { newestIdIn, tornFrom } from './file-lines.ts';
import { requireFit, Unfit, wordsFor } from './file-words.ts';
import { rotate } from './rotate.ts';
import type { Sink } from './sink.ts';

/** A file that is open, as it was opened. */
interface Opened {
  readonly path: string;
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
  size: number;
}

/** The file that is declared at the moment: another path is another file from the next batch on. */
export function fileSink(desk: Desk, name: string): Sink {
  let opened: Opened | undefined;
  const declared = () => {
    const target = targetIn(desk, name);
    return target && 'file' in target ? target.file : undefined;
  };
  const letGo = async () => {
    const before = opened;
    opened = undefined;
    await before?.handle.close().catch(() => {});
  };
  return {
    put: async (batch) => {
      const file = declared();
      if (!file) return { came: 'later', reason: 'it is declared no more' };
      try {
        await write(file, batch);
        return { came: 'taken' };
      } catch (error) {
        await letGo();
        return { came: 'later', reason: wordsFor(error, file.path) };
      }
    },
    newest: async () => {
      const file = declared();
      if (!file) return undefined;
      try {
        opened = await openFile(file.path);
        return opened.size > 0 ? await newestIdIn(opened.handle, opened.size) : await newestBefore(file.path);
      } catch {
        // Why it cannot be read is told when it is to be written.
        return undefined;
      }
    },
    close: letGo,
  };

  async function write(file: WrittenFile, batch: Batch): Promise<void> {
    if (opened && !(await isStill(opened, file.path))) await letGo();
    opened ??= await openFile(file.path);
    const bytes = Buffer.from(batch.map(({ json }) => `${json}\n`).join(''));
    if (opened.size > 0 && opened.size + bytes.length > file.maxMegabytes << 20) {
      await letGo();
      await rotate(file.path, file.keep);
      opened = await openFile(file.path);
    }
    await append(opened, bytes);
  }

  async function openFile(path: string): Promise<Opened> {
    await requireFit(path, desk.storeFolder);
    const file = await openAt(path);
    const torn = await tornFrom(file.handle, file.size).catch(async (error: unknown) => {
      await file.handle.close();
      throw error;
    });
    if (torn === file.size) return file;
    await file.handle.truncate(torn);
    desk.log('warn', `${path}: the last ${file.size - torn} bytes were no whole entry, and are cut off`);
    return { ...file, size: torn };
  }
}

/** What is there is opened as it is, and what is not is made; a link is not followed, and nothing is waited for. */
async function openAt(path: string): Promise<Opened> {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  const flags = O_RDWR | O_APPEND | ownFlags() | (isThere ? 0 : O_CREAT | O_EXCL);
  const handle = await open(path, flags, 0o600);
  try {
    if (!isThere) await syncFolder(dirname(path));
    const { dev, ino, size, isFile } = await handle.stat().then((stats) => ({ ...stats, isFile: stats.isFile() }));
    if (!isFile) throw new Unfit(`${path} is no file`);
    return { path, handle, dev, ino, size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Windows has neither. */
function ownFlags(): number {
  return (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
}

/** Whether what is open is what stands at the path: others rotate, too. */
async function isStill({ path, dev, ino }: Opened, wanted: string): Promise<boolean> {
  if (path !== wanted) return false;
  const there = await lstat(path).catch(() => undefined);
  return there?.dev === dev && there.ino === ino;
}

/** What could not be written whole is taken back, so that nothing stands twice when it is written again. */
async function append(file: Opened, bytes: Buffer): Promise<void> {
  try {
    for (let done = 0; done < bytes.length; )
      done += (await file.handle.write(bytes, done, bytes.length - done)).bytesWritten;
    await file.handle.datasync();
    file.size += bytes.length;
  } catch (error) {
    await file.handle.truncate(file.size).catch(() => {});
    throw error;
  }
}

/** The newest entry of the file of before: a new one may have been begun just now. */
async function newestBefore(path: string): Promise<string | undefined> {
  const handle = await open(`${path}.1`, constants.O_RDONLY | ownFlags());
  try {
    const stats = await handle.stat();
    return stats.isFile() ? await newestIdIn(handle, stats.size) : undefined;
  } finally {
    await handle.close();
  }
}
