// The files that an instance serves as they are: below its user directory, and never by a link out of it, whatever flows have put there.
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { type StaticFile, staticPathProblem } from '../../core/instances/static-files.ts';
import { DriverFailed, type OpenedFile } from '../driver.ts';
import { giveLike } from './beneath.ts';
import { removeLiveTree } from './deep.ts';
import { type Folder, makeFolder } from './folder.ts';
import { closing, nothingThere, type OpenFolder, openWithin, within } from './open-folder.ts';
import { isTaken, reach } from './reach.ts';

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

async function gather(at: OpenFolder, path: string, found: StaticFile[], budget: { left: number }): Promise<void> {
  for (const entry of await readdir(within(at), { withFileTypes: true, encoding: 'buffer' })) {
    budget.left -= 1;
    if (budget.left < 0) return;
    // What is no text would be read as the name of another.
    const name = isUtf8(entry.name) ? entry.name.toString() : '';
    const own = below(path, name);
    if (name === '' || staticPathProblem(own) !== undefined) continue;
    if (entry.isFile()) found.push(...(await fileAt(at, name, own)));
    const next = entry.isDirectory() ? await openWithin(at, name) : undefined;
    if (next) await closing(next, () => gather(next, own, found, budget));
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

async function fileAt(at: OpenFolder, name: string, path: string): Promise<StaticFile[]> {
  const stats = await lstat(within(at, name), { bigint: true }).catch(nothingThere);
  return stats && isServed(stats) ? [fileOf(path, stats)] : [];
}

/** Opens a file for reading; nothing where there is none that is served. */
export async function openFile(folder: Folder, path: string): Promise<OpenedFile | undefined> {
  const [folders, name] = partsOf(path);
  const parent = await reach(folder, folders);
  if (!parent) return undefined;
  // A pipe that nobody writes to would hold up whoever opens it.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await closing(parent, () => open(within(parent, name), flags).catch(nothingThere));
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
    const next = within(parent, '.incoming');
    await removeLiveTree(next);
    try {
      await writeNew(next, content, folder.home);
      await rename(next, within(parent, name));
    } catch (error) {
      await rm(next, { force: true });
      throw isTaken(error) ? inTheWay(path) : error;
    }
    await parent.handle.sync();
    return fileOf(path, await lstat(within(parent, name), { bigint: true }));
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
    await unlink(within(parent, name)).catch(nothingThere);
    await parent.handle.sync();
  });
  for (let left = folders.length; left > place.length; left -= 1) {
    const above = await reach(folder, folders.slice(0, left - 1));
    const last = folders[left - 1];
    if (above && last !== undefined) await closing(above, () => rmdir(within(above, last)).catch(() => {}));
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

function inTheWay(path: string): DriverFailed {
  return new DriverFailed(
    'FileInTheWay',
    `on the way to ${path} is something else: a file, a link, or a folder of that name`,
  );
}
