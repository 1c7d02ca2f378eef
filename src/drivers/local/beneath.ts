// Files in the home of an instance, where its flows may have put anything: links, pipes, and more than fits. None is followed or waited for.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverFailed } from '../driver.ts';
import { removeLiveTree } from './deep.ts';

/**
 * The text of a plain file in a folder; nothing where there is none. Rejects with `DriverFailed`, which names the file as `called`, where something
 * else is there, or more than `mostBytes`.
 */
export async function plainText(
  folder: string,
  name: string,
  mostBytes: number,
  called = name,
): Promise<string | undefined> {
  const file = await open(join(folder, name), readingOnly).catch((error) => missingOrInTheWay(called, error));
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    if (!(await isPlain(file))) throw notPlain(called);
    if (size > mostBytes) throw new DriverFailed('TooLarge', `its file ${called} is too large: ${size} bytes`);
    return await textOf(file, size);
  } finally {
    await file.close();
  }
}

const readingOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A second name of a file may be one from outside. */
async function isPlain(file: FileHandle): Promise<boolean> {
  const found = await file.stat();
  return found.isFile() && found.nlink <= 1;
}

/** No more than its size a moment ago: it may be growing. */
async function textOf(file: FileHandle, size: number): Promise<string> {
  const buffer = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(buffer, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.toString('utf8', 0, read);
}

/** Writes a file in the home of an instance, all or nothing, in place of whatever is there, for the user to whom the home belongs. */
export async function writeInHome(home: string, name: string, content: string): Promise<void> {
  const path = join(home, `${unfinished}${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await giveLike(home, file);
    } finally {
      await file.close();
    }
    await rename(path, join(home, name));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** How the name of a file begins that is being written; digits follow, so that no flow knows it before. */
const unfinished = '.weir-';

/** Deletes what was left in the home of an instance when Weir was killed while it wrote there. */
export async function sweepHome(home: string): Promise<void> {
  for (const name of await readdir(home))
    if (name.startsWith(unfinished) && /^[0-9a-f]{16}$/.test(name.slice(unfinished.length)))
      await removeLiveTree(join(home, name));
}

/** Gives what Weir made in the home of an instance to whom that belongs. Only root can, and only root has to. */
export async function giveLike(home: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(home);
  if (uid !== 0) await file.chown(uid, gid);
}

/** Gives a folder that Weir made to whom the one above belongs. */
export async function giveLikeFolder(above: FileHandle, made: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await above.stat();
  if (uid !== 0) await made.chown(uid, gid);
}

function missingOrInTheWay(name: string, error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  // A link or a socket stands there.
  throw ['ELOOP', 'EMLINK', 'ENXIO'].includes(error.code ?? '') ? notPlain(name) : error;
}

/** Why a file is not read. */
export function notPlain(name: string): DriverFailed {
  return new DriverFailed(
    'FileInTheWay',
    `its file ${name} is a link, a pipe, or has a second name: only a plain file is read`,
  );
}
