// How much of the disk the folders of instances take up: walked a piece at a time, so that no tree, however large, holds anybody up.
import type { Dir } from 'node:fs';
import { type FileHandle, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, bytesOf, isTooLong, openDeep } from './deep.ts';
import type { Folder } from './folder.ts';

/** How many entries are looked at in one go: of one walk, and of all. */
export interface DiskBudget {
  readonly aWalk: number;
  readonly all: number;
}

export const usualDiskBudget: DiskBudget = { aWalk: 2000, all: 20_000 };

/** What is known of the disk that instances take up. */
export interface DiskUse {
  /** Walks on through the folders of these instances, and answers what each takes up, in bytes; at least so much where a first walk is not over yet. */
  look(folders: ReadonlyMap<string, Folder>): Promise<ReadonlyMap<string, number>>;
  /** Ends all walks. */
  close(): Promise<void>;
}

/** Packages are many small files that seldom change: they are walked by themselves, so that what flows write is seen soon. */
const modulesName = 'node_modules';

/** The walks of each instance; whoever had its turn in a look stands behind the others. */
type Walks = Map<string, readonly Walk[]>;

/** Makes it. */
export function createDiskUse(budget: DiskBudget = usualDiskBudget): DiskUse {
  const known: Walks = new Map();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  return {
    look: (folders) => inTurn(() => look(known, folders, budget)),
    close: () => inTurn(() => forget(known, [...known.keys()])),
  };
}

async function look(
  known: Walks,
  folders: ReadonlyMap<string, Folder>,
  budget: DiskBudget,
): Promise<ReadonlyMap<string, number>> {
  await forget(
    known,
    [...known.keys()].filter((id) => !folders.has(id)),
  );
  for (const [id, folder] of folders) if (!known.has(id)) known.set(id, walksOf(folder));
  let left = budget.all;
  for (const [id, walks] of [...known]) {
    if (left <= 0) break;
    for (const walk of walks) left -= await walkOn(walk, Math.min(budget.aWalk, left));
    known.delete(id);
    known.set(id, walks);
  }
  return new Map([...known].map(([id, walks]) => [id, walks.reduce((sum, walk) => sum + heldBy(walk), 0)]));
}

async function forget(known: Walks, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    for (const walk of known.get(id) ?? []) await endPass(walk);
    known.delete(id);
  }
}

/** A folder that is being read: at its path, or, where that is too long, through a handle. */
interface Open {
  readonly dir: Dir;
  readonly path: BytePath;
  /** A way to it that the system takes. */
  readonly at: BytePath;
  readonly handle?: FileHandle;
}

/** An entry: its path, and a way to it that the system takes. */
interface Entry {
  readonly path: BytePath;
  readonly at: BytePath;
}

/** A walk through a folder, again and again. */
interface Walk {
  readonly root: BytePath;
  /** A folder that is left to another walk. */
  readonly except?: BytePath;
  /** Folders that are still to be looked into in this pass; nothing where none has begun. */
  pending: BytePath[] | undefined;
  open: Open | undefined;
  /** Files with several names, which count once. */
  readonly seen: Set<string>;
  /** What this pass has found so far, and what the last whole one found. */
  sum: number;
  total: number;
}

function walksOf({ path, home }: Folder): readonly Walk[] {
  const byteOf = (name: string): BytePath => Buffer.from(name).toString('latin1');
  const modules = byteOf(join(home, modulesName));
  const walk = { pending: undefined, open: undefined, sum: 0, total: 0 };
  return [
    { ...walk, root: byteOf(path), except: modules, seen: new Set() },
    { ...walk, root: modules, seen: new Set() },
  ];
}

/** What has grown is seen before the pass is over. */
function heldBy({ sum, total }: Walk): number {
  return Math.max(sum, total);
}

/** Looks at so many entries at most, and not at any a second time; answers how many those were. */
async function walkOn(walk: Walk, most: number): Promise<number> {
  walk.pending ??= [walk.root];
  let count = 0;
  while (count < most) {
    const entry = await nextEntry(walk);
    if (entry === undefined) {
      walk.total = walk.sum;
      await endPass(walk);
      break;
    }
    count += 1;
    await take(walk, entry);
  }
  return count;
}

/** What cannot be read, or is gone by now, takes up nothing. */
async function nextEntry(walk: Walk): Promise<Entry | undefined> {
  for (;;) {
    if (!walk.open) {
      const path = walk.pending?.pop();
      if (path === undefined) return undefined;
      walk.open = await opened(path).catch((error: unknown) => hidden(walk, error));
      if (!walk.open) continue;
    }
    const { dir, path, at } = walk.open;
    const entry = await dir.read().catch(() => null);
    if (entry) return { path: `${path}/${entry.name}`, at: `${at}/${entry.name}` };
    await closeFolder(walk);
  }
}

async function opened(path: BytePath): Promise<Open> {
  // With room for a name.
  if (path.length < mostPlainPath) return { dir: await read(path), path, at: path };
  const { at, handle } = await openDeep(path);
  try {
    return { dir: await read(at), path, at, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function read(at: BytePath): Promise<Dir> {
  return opendir(bytesOf(at), { encoding: 'latin1' });
}

const mostPlainPath = 3000;

/** Where nobody can look there may be anything: it is more than any limit. */
function hidden(walk: Walk, error: unknown): undefined {
  if (isTooLong(error)) walk.sum = Math.max(walk.sum, moreThanAny);
}

/** A pebibyte. */
const moreThanAny = 2 ** 50;

async function take(walk: Walk, { path, at }: Entry): Promise<void> {
  const stats = await lstat(bytesOf(at)).catch((error: unknown) => hidden(walk, error));
  if (!stats) return;
  if (stats.isDirectory() && path !== walk.except) walk.pending?.push(path);
  if (stats.nlink > 1 && !stats.isDirectory()) {
    const name = `${stats.dev} ${stats.ino}`;
    if (walk.seen.has(name)) return;
    walk.seen.add(name);
  }
  // Windows knows no blocks.
  walk.sum += stats.blocks === undefined || stats.blocks === null ? stats.size : stats.blocks * blockBytes;
}

/** As stat(2) counts, whatever the file system does. */
const blockBytes = 512;

async function endPass(walk: Walk): Promise<void> {
  walk.pending = undefined;
  walk.sum = 0;
  walk.seen.clear();
  await closeFolder(walk);
}

async function closeFolder(walk: Walk): Promise<void> {
  const { open } = walk;
  walk.open = undefined;
  await open?.dir.close().catch(() => {});
  await open?.handle?.close().catch(() => {});
}
