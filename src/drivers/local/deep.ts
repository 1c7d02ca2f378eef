// Folders whose paths are longer than the system takes: a program makes such by stepping into each before it makes the next.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { DriverFailed } from '../driver.ts';

/**
 * Deletes all below a path, and the path, however deep that goes, and however much it is; links are deleted and never followed. By a process of its own:
 * Node lists a folder as a whole and asks for all its files at once, so that a flow's million of files would hold up this one for seconds, or end it.
 */
export async function removeTree(path: string): Promise<void> {
  if (ownRm() === undefined) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  else await removeLiveTree(path);
}

/**
 * Deletes what stands at a path while programs may be changing it: never by paths, because a link may take the place of a folder after it was looked at.
 * The path may be below an open folder (`/proc/self/fd/…`).
 */
export async function removeLiveTree(path: string): Promise<void> {
  await rm(path, { force: true }).catch(async (error: NodeJS.ErrnoException) => {
    if (!['EISDIR', 'ERR_FS_EISDIR', 'EPERM'].includes(error.code ?? '')) throw error;
    // What is `self` here is another process there.
    await removeStepping(path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`));
  });
}

/** Not by the PATH: it may be run as root. */
const ownRm = () => ['/bin/rm', '/usr/bin/rm', '/run/current-system/sw/bin/rm'].find((one) => existsSync(one));

/** The system's own steps from folder to folder, and needs no paths. */
async function removeStepping(path: string): Promise<void> {
  const command = ownRm();
  if (command === undefined) throw notDeleted('there is no rm on this machine to delete it with');
  const child = spawn(command, ['-rf', '--', path], { stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } });
  let said = '';
  child.stderr.on('data', (piece) => {
    said = `${said}${piece}`.slice(0, mostSaid);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw notDeleted(said.trim() || `rm ended with ${code}`);
}

const mostSaid = 300;

function notDeleted(why: string): DriverFailed {
  return new DriverFailed('NotDeleted', `what it holds cannot be deleted: ${why}`);
}

/** The system takes no path of that length. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG';
}

/** How long a path is that is handed to the system in one piece, and one that is followed at all, in bytes. */
const [mostPiece, mostPath] = [3000, 64 * 1024];

/** A path as its bytes, a character each: names that programs make need not be UTF-8. */
export type BytePath = string;

/** As the system takes it. */
export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** A folder at a path of any length, as a short path that holds while `handle` is open. Rejects where it cannot be had. */
export async function openDeep(path: BytePath): Promise<{ readonly at: string; readonly handle: FileHandle }> {
  if (path.length > mostPath) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  let above: FileHandle | undefined;
  for (const piece of piecesOf(path)) {
    const from = above;
    above = await open(bytesOf(from ? `${placeOf(from)}/${piece}` : piece), foldersOnly).finally(() => from?.close());
  }
  if (!above) throw new TypeError('no path');
  return { at: placeOf(above), handle: above };
}

const foldersOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Only Linux has it. */
function placeOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** An absolute path, cut between folders; the first piece begins at the root. */
function piecesOf(path: BytePath): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const name of path.split('/').slice(1)) {
    if (piece !== '' && piece.length + name.length > mostPiece) {
      pieces.push(piece);
      piece = name;
    } else piece = pieces.length === 0 || piece !== '' ? `${piece}/${name}` : name;
  }
  return [...pieces, piece];
}
