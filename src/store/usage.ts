// What a store takes of its disk, and how much is left there: looked at while it is open, and told before it is too late.
import { join } from 'node:path';
import { backupMark } from './backup-mark.ts';
import { codeOf, type FileSystem } from './file-system.ts';
import { listFolder } from './folder.ts';
import { reserveName } from './reserve.ts';
import { type Parts, parts, type Usage } from './store.ts';

export interface UsageOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly log: (message: string) => void;
  /** What the last snapshot took: two of them have to fit beside those that are there. */
  readonly snapshotBytes: () => number;
  /** How often the room is looked at, in milliseconds. */
  readonly lookMs?: number;
}

/** Looks at the disk as long as it is not closed. */
export interface UsageWatch {
  /** As far as it was looked at. */
  usage(): Usage;
  close(): Promise<void>;
}

const [roomMs, filesMs] = [10_000, 60_000];

/** A file after another takes time on a store with many: so much more passes before the next look. */
const restFactor = 100;

/** Begins to look. */
export function watchUsage(options: UsageOptions): UsageWatch {
  const { files, folder } = options;
  let usage: Usage = {};
  let nextFiles = 0;
  let looking = Promise.resolve();
  const closing = new AbortController();
  const look = async () => {
    const disk = await files.room(folder).catch(() => undefined);
    usage = { ...usage, ...(disk && { disk, ...fillingOf(usage, disk, options) }) };
    if (!disk || performance.now() < nextFiles) return;
    const begun = performance.now();
    usage = { ...usage, ...(await measured(files, folder, closing.signal)) };
    const took = performance.now() - begun;
    nextFiles = performance.now() + Math.max(filesMs, took * restFactor);
  };
  const start = () => {
    // What cannot be looked at now is looked at the next time.
    looking = looking.then(look).catch(() => {});
  };
  start();
  const timer = setInterval(start, options.lookMs ?? roomMs).unref();
  return {
    usage: () => usage,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await looking;
    },
  };
}

/** A tenth of the disk or a gibibyte, whichever is less; never less than what the next two snapshots take. */
function leastFree(size: number, snapshotBytes: number): number {
  return Math.max(Math.min(size / 10, 1 << 30), 2 * snapshotBytes);
}

/** Whether there is little left; said once as that begins, and once as it is over, by a tenth more than it began with. */
function fillingOf({ filling }: Usage, disk: Required<Usage>['disk'], { log, snapshotBytes }: UsageOptions) {
  const least = leastFree(disk.size, snapshotBytes());
  const isFilling = disk.free < (filling === undefined ? least : least * 1.1);
  if (!isFilling) {
    if (filling !== undefined) log(`the disk of the store has ${mib(disk.free)} left again`);
    return { filling: undefined };
  }
  const words = `the disk of the store has ${mib(disk.free)} left of ${mib(disk.size)}, and below ${mib(least)} it counts as filling up: make room, or nothing is kept once it is full`;
  if (filling === undefined) log(words);
  return { filling: words };
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / (1 << 20))} MiB`;
}

/** How much each part of the store takes, and when the newest snapshot and the newest backup were made. */
async function measured(files: FileSystem, folder: string, stop: AbortSignal): Promise<Partial<Usage>> {
  const bytes: Record<keyof Parts, number> = { ...parts };
  const add = async (below: string, partOf: (name: string) => keyof Parts) => {
    for (const name of await namesIn(files, join(folder, below))) {
      if (stop.aborted) return;
      bytes[partOf(name)] += (await files.stat(join(folder, below, name)))?.size ?? 0;
    }
  };
  await add('.', partOfName);
  await add('records', (name) => (name.startsWith('audit-') ? 'audit' : 'history'));
  await add('index', () => 'index');
  await add('blobs', () => 'blobs');
  const newest = (await listFolder(files, folder))?.snapshots.at(-1)?.name;
  const snapshot = newest === undefined ? undefined : await files.stat(join(folder, newest));
  const backup = await files.stat(join(folder, backupMark));
  return {
    bytes,
    ...(snapshot && { snapshotAt: snapshot.changedAt }),
    ...(backup && { backupAt: backup.changedAt }),
  };
}

function partOfName(name: string): keyof Parts {
  if (name.startsWith('journal-')) return 'journal';
  if (name.startsWith('snapshot-')) return 'snapshots';
  return name === reserveName ? 'reserve' : 'other';
}

async function namesIn(files: FileSystem, folder: string): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
