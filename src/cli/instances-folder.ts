// Where the instances of a server are, and that no other server has them too; and how much of the disk its store keeps for itself.
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';
import type { Options } from '../options.ts';
import { lockFolder } from '../store/lock.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Io } from './io.ts';

/** The folder that holds one folder an instance: `instances` of the store, where nothing else is said. */
export function instancesFolder({ store, instances }: Pick<Options, 'store' | 'instances'>, { cwd }: Pick<Io, 'cwd'>) {
  return instances === undefined ? join(resolve(cwd, store), 'instances') : resolve(cwd, instances);
}

/** In the store: where its instances were when they were last looked after, where that is elsewhere. It is not there for those in the store, which go with every copy of it. */
const note = 'instances-folder';

/**
 * The folder of the instances, once it is certain that they are not elsewhere: with another folder they would all be started a second time, with no
 * flows, and a backup would hold none. Rejects with `StoreUnavailable`.
 */
export async function knownInstancesFolder(options: Options, io: Io): Promise<string> {
  const folder = instancesFolder(options, io);
  if (options.instances !== undefined) await requireUsable(folder);
  const store = resolve(io.cwd, options.store);
  const before = (await readFile(join(store, note), 'utf8').catch(() => '')).trim() || join(store, 'instances');
  if (before === folder || !(await holdsInstances(before))) return folder;
  throw new StoreUnavailable(
    'unreadable',
    `the instances of this store are in ${before}: add --instances ${before}; to have them in ${folder}, stop what runs and move that folder there first (in a copy of a store that is to have none, delete ${join(store, note)})`,
  );
}

/** A folder that is not there yet can be made. */
async function requireUsable(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unusable(folder, error);
  });
  if (found && !found.isDirectory()) throw unusable(folder, new Error('it is not a folder'));
}

async function holdsInstances(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => /^[A-Za-z0-9]/.test(name));
}

/**
 * Takes the folder of the instances for this process; answers what lets it go again. Two servers would each end what the other runs. The one in the
 * store is whoever's the store is. Rejects with `StoreUnavailable`.
 */
export async function holdInstances(options: Options, io: Io): Promise<() => Promise<void>> {
  const folder = await knownInstancesFolder(options, io);
  const noted = join(resolve(io.cwd, options.store), note);
  if (folder === join(resolve(io.cwd, options.store), 'instances')) await rm(noted, { force: true });
  else await writeFile(noted, `${folder}\n`, { mode: 0o600 });
  if (options.instances === undefined) return async () => {};
  try {
    // Not in the folder itself, where a name may be that of an instance.
    await mkdir(join(folder, '.weir'), { recursive: true, mode: 0o700 });
    return await lockFolder(join(folder, '.weir'));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw unusable(folder, error);
    const who = error.holder === undefined ? 'another Weir' : `another Weir, ${error.holder}`;
    const message = `the instances in ${folder} are looked after by ${who}: stop it first, or name another folder with --instances`;
    throw error.reason === 'locked' ? new StoreUnavailable('locked', message, { cause: error }) : error;
  }
}

function unusable(folder: string, error: unknown): StoreUnavailable {
  const message = `the folder of the instances ${folder} cannot be used, because ${reasonOf(error)}: name another with --instances`;
  return new StoreUnavailable('unreadable', message, { cause: error });
}

/** How much the store keeps for itself, in bytes: as much as was asked for, but no more than a tenth of a small disk. */
export async function reserveAt({ store, reserve }: Pick<Options, 'store' | 'reserve'>, { cwd }: Pick<Io, 'cwd'>) {
  const wanted = reserve * 1024 * 1024;
  const size = wanted === 0 ? 0 : await diskSize(resolve(cwd, store));
  return size === undefined ? wanted : Math.min(wanted, Math.floor(size / 10));
}

/** The size of the disk that a folder is on, or will be. */
async function diskSize(folder: string): Promise<number | undefined> {
  try {
    const { blocks, bsize } = await statfs(folder);
    return blocks * bsize;
  } catch {
    return dirname(folder) === folder ? undefined : diskSize(dirname(folder));
  }
}
