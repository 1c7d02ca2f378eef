// Hints that something below a tree may have changed. They may come late, twice, or not at all: polling is the truth.
import { type FSWatcher, lstatSync, readlinkSync, watch as watchFolder } from 'node:fs';
import { basename, dirname, join, parse as parsePath, resolve, sep } from 'node:path';
import { watch as watchTree } from 'chokidar';

export interface HintListener {
  /** Something may have changed. */
  onEvent(): void;
  /** No hints will come any more (the system has no watches left): `error` says why. */
  onTrouble(error: Error): void;
}

export interface Hint {
  close(): Promise<void>;
}

/** Arms hints for a tree's folder, for each link on the way to it and for the folders that hold them. */
export type Arm = (root: string, listener: HintListener) => Hint;

/**
 * With chokidar, which is shown folders only: a folder's own watch tells of the files in it, and ten thousand files cost no watch each. What it
 * cannot see (the root replaced, a link on the way to it turned) the folders above tell.
 */
export const armHints: Arm = (root, listener) => {
  let closed = false;
  const onEvent = () => {
    if (!closed) listener.onEvent();
  };
  const onTrouble = (error: unknown) => {
    if (!closed && error instanceof Error) listener.onTrouble(error);
  };
  const above = watchAbove(root, onEvent, onTrouble);
  const tree = watchTree(root, {
    ignoreInitial: true,
    ignorePermissionErrors: true,
    ignored: (path, stat) => stat?.isFile() === true || isNoise(path, root),
  });
  tree.on('raw', (_event, path: string | null) => {
    if (path === null || !isNoise(path, root)) onEvent();
  });
  tree.on('all', onEvent).on('ready', onEvent);
  // What is wrong with one path, such as a link in a circle, is no reason to hear of nothing else.
  tree.on('error', (error) => (isExhaustion(error) ? onTrouble(error) : onEvent()));
  return {
    async close() {
      closed = true;
      for (const watcher of above) watcher.close();
      await tree.close();
    },
  };
};

/**
 * What has to stay the same for armed hints to be any good: the folders on the way to the tree, and the tree's own, each by its inode. Another text
 * means: arm again.
 */
export function placeId(root: string): string {
  const { holders, real } = wayTo(root);
  return [...holders.keys(), real].map((folder) => `${folder} ${inodeOf(folder)}`).join('\n');
}

/** Lock files and leftovers of editors; names that begin with two dots are Kubernetes' and count. */
function isNoise(path: string, root: string): boolean {
  const name = basename(path);
  return (
    path !== root &&
    ((name.startsWith('.') && !name.startsWith('..')) ||
      name.endsWith('~') ||
      name === '4913' ||
      name === 'node_modules')
  );
}

function watchAbove(root: string, onEvent: () => void, onTrouble: (error: unknown) => void): FSWatcher[] {
  const watchers: FSWatcher[] = [];
  for (const [folder, names] of wayTo(root).holders) {
    try {
      const watcher = watchFolder(folder, (_event, name) => {
        if (name === null || names.has(name)) onEvent();
      });
      watchers.push(watcher.on('error', onEvent));
    } catch (error) {
      if (isExhaustion(error)) onTrouble(error);
    }
  }
  return watchers;
}

function isExhaustion(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOSPC' || error.code === 'EMFILE' || error.code === 'ENFILE')
  );
}

/** The folders that hold the tree's folder and the links on the way to it, each with the names in it that matter. */
function wayTo(root: string): { readonly holders: ReadonlyMap<string, ReadonlySet<string>>; readonly real: string } {
  const holders = new Map<string, Set<string>>();
  const hold = (path: string) => {
    const names = holders.get(dirname(path)) ?? new Set();
    holders.set(dirname(path), names.add(basename(path)));
  };
  let path = resolve(root);
  for (let links = 0; links < 40; links += 1) {
    const link = firstLink(path);
    if (link === undefined) break;
    hold(link);
    path = resolve(dirname(link), readlinkSync(link), path.slice(link.length + 1));
  }
  hold(path);
  return { holders, real: path };
}

function firstLink(path: string): string | undefined {
  const { root } = parsePath(path);
  let at = root;
  for (const step of path.slice(root.length).split(sep).filter(Boolean)) {
    at = join(at, step);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
  }
  return undefined;
}

function inodeOf(folder: string): string {
  try {
    const { dev, ino } = lstatSync(folder);
    return `${dev}:${ino}`;
  } catch {
    return '-';
  }
}
