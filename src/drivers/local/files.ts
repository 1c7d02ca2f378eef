// The files that an instance serves as they are: below its user directory, and never by a link out of it, whatever flows have put there.
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type StaticFile, staticPathProblem } from '../../core/instances/static-files.ts';
import { DriverFailed, type OpenedFile } from '../driver.ts';
import { giveLike, giveLikeFolder } from './beneath.ts';
import { type Folder, makeFolder } from './folder.ts';

/** Where they are, below the folder of the instance. */
const place = ['home', 'files'] as const;

/** The files that there are, by path: plain files with names that can be served. */
export async function listFiles(folder: Folder): Promise<StaticFile[]> {
  const found: StaticFile[] = [];
  const root = await reach(folder, place);
  if (!root) return found;
  await closing(root, () => gather(root, '', found, { left: mostEntries }));
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** How many entries of all folders are looked at: flows may have made any number. */
const mostEntries = 5000;

async function gather(at: Place, path: string, found: StaticFile[], budget: { left: number }): Promise<void> {
  for (const entry of await readdir(inside(at), { withFileTypes: true })) {
    budget.left -= 1;
    if (budget.left < 0) return;
    const own = path === '' ? entry.name : `${path}/${entry.name}`;
    if (staticPathProblem(own) !== undefined) continue;
    if (entry.isFile()) found.push(...(await fileAt(at, entry.name, own)));
    const next = entry.isDirectory() ? await step(at, entry.name) : undefined;
    if (next) await closing(next, () => gather(next, own, found, budget));
  }
}

async function fileAt(at: Place, name: string, path: string): Promise<StaticFile[]> {
  const stats = await lstat(inside(at, name), { bigint: true }).catch(nothingThere);
  return stats && isServed(stats) ? [fileOf(path, stats)] : [];
}

/** Opens a file for reading; nothing where there is none that is served. */
export async function openFile(folder: Folder, path: string): Promise<OpenedFile | undefined> {
  const [folders, name] = partsOf(path);
  const parent = await reach(folder, folders);
  if (!parent) return undefined;
  // A pipe that nobody writes to would hold up whoever opens it.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await closing(parent, () => open(inside(parent, name), flags).catch(nothingThere));
  if (!handle) return undefined;
  const stats = await handle.stat({ bigint: true });
  if (!isServed(stats)) {
    await handle.close();
    return undefined;
  }
  const file = fileOf(path, stats);
  const whole = { start: 0, end: Math.max(file.size - 1, 0) };
  const read = (part: { readonly start: number; readonly end: number } = whole) => handle.createReadStream(part);
  return { ...file, read, close: () => handle.close() };
}

/** Writes a file, all or nothing and onto the disk, and the folders that it is in. Throws `DriverFailed` where something else is in its place. */
export async function putFile(folder: Folder, path: string, content: Uint8Array): Promise<StaticFile> {
  const [folders, name] = partsOf(path);
  await makeFolder(folder);
  const parent = await reach(folder, folders, true);
  if (!parent) throw inTheWay(path);
  return closing(parent, async () => {
    // Of a Weir that ended meanwhile. Nothing that begins with a dot is served.
    const next = inside(parent, '.incoming');
    await rm(next, { force: true, recursive: true });
    try {
      await writeNew(next, content, folder.home);
      await rename(next, inside(parent, name));
    } catch (error) {
      await rm(next, { force: true });
      throw isTaken(error) ? inTheWay(path) : error;
    }
    await parent.handle.sync();
    return fileOf(path, await lstat(inside(parent, name), { bigint: true }));
  });
}

async function writeNew(path: string, content: Uint8Array, home: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await giveLike(home, file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Deletes a file, and the folders that are empty then. */
export async function removeFile(folder: Folder, path: string): Promise<void> {
  const [folders, name] = partsOf(path);
  const parent = await reach(folder, folders);
  if (!parent) return;
  await closing(parent, async () => {
    await unlink(inside(parent, name)).catch(nothingThere);
    await parent.handle.sync();
  });
  for (let left = folders.length; left > place.length; left -= 1) {
    const above = await reach(folder, folders.slice(0, left - 1));
    const last = folders[left - 1];
    if (above && last !== undefined) await closing(above, () => rmdir(inside(above, last)).catch(() => {}));
  }
}

/** A folder that is open, and its path. */
interface Place {
  readonly handle: FileHandle;
  readonly path: string;
}

/** On Linux by the folder that is open, so that what takes its place meanwhile makes no difference. */
function inside({ handle, path }: Place, name = ''): string {
  return join(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path, name);
}

/** Opens the folders one after another, none of which may be a link; nothing where that does not lead on. */
async function reach({ path }: Folder, names: readonly string[], make = false): Promise<Place | undefined> {
  let at: Place | undefined = await opened(path, path);
  for (const name of names) {
    if (!at) return undefined;
    const from: Place = at;
    at = await closing(from, () => step(from, name, make));
  }
  return at;
}

async function step(from: Place, name: string, make = false): Promise<Place | undefined> {
  const path = inside(from, name);
  const found = await opened(path, join(from.path, name));
  if (found || !make) return found;
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
  const made = await opened(path, join(from.path, name));
  if (made) await giveLikeFolder(from.handle, made.handle);
  return made;
}

async function opened(at: string, path: string): Promise<Place | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(at, flags).catch(nothingThere);
  return handle && { handle, path };
}

async function closing<T>({ handle }: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}

/** The folders from that of the instance on, and the name. Throws for a path that no file may have. */
function partsOf(path: string): readonly [folders: readonly string[], name: string] {
  const problem = staticPathProblem(path);
  if (problem !== undefined) throw new TypeError(`${JSON.stringify(path)} is no path of a file: ${problem}`);
  const segments = path.split('/');
  return [[...place, ...segments.slice(0, -1)], segments.at(-1) ?? ''];
}

interface Stats {
  readonly ino: bigint;
  readonly size: bigint;
  readonly nlink: bigint;
  readonly mtimeNs: bigint;
  readonly mtimeMs: bigint;
  isFile(): boolean;
}

/** A second name of a file may be one from outside. */
function isServed(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1n;
}

function fileOf(path: string, { ino, size, mtimeNs, mtimeMs }: Stats): StaticFile {
  const version = [ino, size, mtimeNs].map((number) => number.toString(36)).join('-');
  return { path, size: Number(size), modifiedAt: new Date(Number(mtimeMs)).toISOString(), version };
}

function nothingThere(error: unknown): undefined {
  // ELOOP and ENOTDIR: a link or a file where a folder should be. ENXIO: a socket. EISDIR, EPERM: a folder where a file should be.
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK', 'EISDIR'].includes(codeOf(error))) return undefined;
  throw error;
}

function isTaken(error: unknown): boolean {
  return ['EEXIST', 'EISDIR', 'ENOTEMPTY', 'ENOTDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function inTheWay(path: string): DriverFailed {
  return new DriverFailed(
    'FileInTheWay',
    `on the way to ${path} is something else: a file, a link, or a folder of that name`,
  );
}
