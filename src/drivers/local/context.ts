// The persistent context of an instance, in files of its user directory: read for a snapshot, and replaced as a whole.
import { lstat, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Context, isContextPath, mostFileBytes } from '../../core/instances/content.ts';
import { DriverFailed } from '../driver.ts';
import { giveLike, plainText } from './beneath.ts';
import { removeTree } from './deep.ts';
import type { Folder } from './folder.ts';
import { closing, type OpenFolder, openWithin, within } from './open-folder.ts';
import { reach } from './reach.ts';

/** The folder below the user directory in which the runtime keeps it: a folder a flow, and one file for it and for each of its nodes. */
export const contextFolder = 'context';

/** What tells context from what it was, also while the runtime writes it; and how large its files are, in bytes. */
export interface ContextMarks {
  readonly files: readonly string[];
  readonly bytes: number;
}

/** How many files are looked at. */
const mostFiles = 10_000;

/** The marks of what it is now. Rejects with `DriverFailed` for what is no context. */
export async function contextMarks(folder: Folder): Promise<ContextMarks> {
  const files: string[] = [];
  let bytes = 0;
  for await (const { at, name, path } of entriesOf(folder)) {
    const found = await lstat(within(at, name), { bigint: true }).catch(() => undefined);
    if (!found) continue;
    files.push([path, found.ino, found.size, found.mtimeNs].join(' '));
    if (isContextPath(path)) bytes += Number(found.size);
  }
  return { files: files.sort(), bytes };
}

/** The files, as their texts; `contextOf` says what they mean. Rejects with `DriverFailed` for one that is a link or something else. */
export async function contextTexts(folder: Folder): Promise<Context> {
  const found: Context[number][] = [];
  for await (const { at, name, path } of entriesOf(folder)) {
    // What is being written has another name until it is there as a whole.
    if (!name.endsWith('.json')) continue;
    const called = `${contextFolder}/${path}`;
    if (!isContextPath(path)) throw broken(called, 'has a name that a snapshot cannot hold');
    const text = await plainText(within(at), name, mostFileBytes, called);
    if (text !== undefined) found.push({ path, text });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Context as a snapshot keeps it. Throws `DriverFailed` for a file that no runtime wrote. */
export function contextOf(texts: Context): Context {
  return texts.map(({ path, text }) => ({ path, text: JSON.stringify(valueIn(path, text)) }));
}

/** An empty file is what the runtime takes for none. */
function valueIn(path: string, text: string): object {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw broken(`${contextFolder}/${path}`, 'is not what a runtime writes');
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function broken(path: string, what: string): DriverFailed {
  return new DriverFailed('ContextBroken', `its file ${path} ${what}`);
}

interface Entry {
  readonly at: OpenFolder;
  readonly name: string;
  /** Below the folder of context. */
  readonly path: string;
}

/** What the runtime would look at. Context that has arrived counts instead of that whose place it will take. */
async function* entriesOf(folder: Folder): AsyncGenerator<Entry> {
  const root = (await rootAt(folder, 'arrived')) ?? (await rootAt(folder, 'home'));
  if (!root) return;
  let left = mostFiles;
  try {
    for (const entry of await readdir(within(root), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isSymbolicLink()) throw inTheWay(`${contextFolder}/${entry.name}`);
      const at = entry.isDirectory() ? await openWithin(root, entry.name) : undefined;
      if (!at) continue;
      const names = await closing(at, async () => readdir(within(at)));
      left -= names.length;
      if (left < 0) throw new DriverFailed('TooLarge', `its context is more than ${mostFiles} files`);
      yield* opened(root, entry.name, names);
    }
  } finally {
    await root.handle.close();
  }
}

async function* opened(root: OpenFolder, folder: string, names: readonly string[]): AsyncGenerator<Entry> {
  const at = await openWithin(root, folder);
  if (!at) return;
  try {
    for (const name of names) yield { at, name, path: `${folder}/${name}` };
  } finally {
    await at.handle.close();
  }
}

async function rootAt(folder: Folder, above: 'arrived' | 'home'): Promise<OpenFolder | undefined> {
  const root = await reach(folder, [above, contextFolder]);
  if (root) return root;
  const there = await lstat(join(folder[above], contextFolder)).catch(() => undefined);
  // A runtime would follow a link, and a snapshot without what it leads to would be one without context.
  if (there && !there.isDirectory()) throw inTheWay(contextFolder);
  return undefined;
}

function inTheWay(path: string): DriverFailed {
  return new DriverFailed('FileInTheWay', `its folder ${path} is a link or a file: only a folder is read`);
}

/** Writes context beside what an instance has, onto the disk; `takeContext` takes it over. */
export async function writeContext(folder: Folder, context: Context, sync: (path: string) => Promise<void>) {
  const top = join(folder.incoming, contextFolder);
  await makeLike(folder.home, top);
  const byFolder = Map.groupBy(context, ({ path }) => path.slice(0, path.indexOf('/')));
  for (const [name, files] of byFolder) {
    await makeLike(folder.home, join(top, name));
    for (const { path, text } of files) await writeDurably(folder.home, join(top, path), text);
    await sync(join(top, name));
  }
  await sync(top);
}

async function makeLike(home: string, path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  const made = await open(path);
  await giveLike(home, made).finally(() => made.close());
}

async function writeDurably(home: string, path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await giveLike(home, file);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Moves context that has arrived into its place; whatever stood there is moved out of the user directory, links as they are. */
export async function takeContext({ arrived, home, outgoing }: Folder): Promise<void> {
  const place = join(home, contextFolder);
  await removeTree(outgoing);
  await rename(place, outgoing).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES' || error.code === 'EPERM')
      throw new DriverFailed('FileInTheWay', 'its context cannot be moved: a flow has taken the right to write to it');
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(join(arrived, contextFolder), place);
}
