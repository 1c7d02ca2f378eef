// The folder of an instance: what lies where in it, for its owner alone.
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeTree } from './deep.ts';

/** Where the things of one instance are; all are absolute paths. */
export interface Folder {
  readonly path: string;
  /** The user directory of the runtime: flows, credentials and modules. */
  readonly home: string;
  readonly settings: string;
  readonly settingsData: string;
  /** What runs, so that it is found again. */
  readonly record: string;
  readonly log: string;
  /** The token of the runtime's own administration, while it runs. */
  readonly token: string;
  /** The port that it keeps. */
  readonly port: string;
  /** Which modules are installed. */
  readonly modules: string;
  /** Flows that are being written beside those that it has; and such as are written, and only have to be moved into their place. */
  readonly incoming: string;
  readonly arrived: string;
  /** What makes room for them, until it is deleted. */
  readonly outgoing: string;
}

/** The folder of an instance below `instances`. Throws for an id that is no plain name. */
export function folderOf(instances: string, id: string): Folder {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is no id of an instance`);
  const path = join(instances, id);
  const at = (name: string) => join(path, name);
  return {
    path,
    home: at('home'),
    settings: at('settings.cjs'),
    settingsData: at('settings.json'),
    record: at('run.json'),
    log: at('runtime.log'),
    token: at('admin-token'),
    port: at('port'),
    modules: at('modules.json'),
    incoming: at('incoming'),
    arrived: at('arrived'),
    outgoing: at('outgoing'),
  };
}

/** Makes the folder, and closes it to everybody else. */
export async function makeFolder(folder: Folder): Promise<void> {
  for (const path of [folder.path, folder.home]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
  }
}

/** The ids of the instances that have a folder. */
export async function idsIn(instances: string): Promise<string[]> {
  const names = await readdir(instances).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^[A-Za-z0-9]/.test(name));
}

/** How the name of a folder begins that is being deleted. */
const leaving = '.gone-';

/** Deletes what was left of folders when Weir ended while it deleted them; says which it could not, and why. */
export async function removeLeftovers(
  instances: string,
  failed: (path: string, error: unknown) => void,
): Promise<void> {
  for (const name of await readdir(instances).catch(() => [])) {
    const path = join(instances, name);
    if (name.startsWith(leaving)) await removeTree(path).catch((error: unknown) => failed(path, error));
  }
}

/** Deletes it. It is taken out of the way first, so that nothing finds half of it. */
export async function removeFolder(folder: Folder): Promise<void> {
  const gone = join(dirname(folder.path), `${leaving}${basename(folder.path)}`);
  // Of an earlier one that Weir did not finish.
  await removeTree(gone);
  const left = await rename(folder.path, gone).then(
    () => gone,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      // A full disk may have no room for another name, and is what a deletion helps against.
      if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return folder.path;
      throw error;
    },
  );
  if (left !== undefined) await removeTree(left);
}

/**
 * Writes a file that its owner alone may read, all or nothing, whatever happens to Weir. When the power fails nothing runs any more that these files
 * tell of, so they need not be on the disk.
 */
export async function writePrivate(path: string, content: string): Promise<void> {
  const next = `${path}.new`;
  const write = async () => {
    // Made anew: a link that stands there leads to what is not Weir's to write.
    await rm(next, { force: true });
    await writeFile(next, content, { mode: 0o600, flag: 'wx' });
    await rename(next, path);
  };
  await write().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EISDIR' && error.code !== 'ERR_FS_EISDIR') throw error;
    // A folder has no business where a file of Weir's own is.
    for (const one of [next, path]) await removeFolderAt(one);
    await write();
  });
}

async function removeFolderAt(path: string): Promise<void> {
  const isFolder = await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) await removeTree(path);
}

/** The text of a file; nothing where there is none. */
export async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The text of a file of Weir's own. One that is there and cannot be read says as little as one that is missing. */
export function keptText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A machine that is full says nothing about the file.
    if (error.code === 'EMFILE' || error.code === 'ENFILE' || error.code === 'ENOMEM') throw error;
    return undefined;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
