// What people made in an instance, in its files: flows, credentials and modules; read as a whole, and replaced as a whole.
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mostContentBytes, type Stored } from '../../core/instances/content.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { DriverFailed, type Written } from '../driver.ts';
import { giveLike, plainSize, plainText } from './beneath.ts';
import { reencrypted } from './credentials.ts';
import { type Folder, makeFolder } from './folder.ts';
import { modulesToInstall } from './modules.ts';

/** Where the runtime keeps them, below its user directory. */
export const storedFiles = { flows: 'flows.json', credentials: 'flows_cred.json', modules: 'package.json' } as const;

/** What an instance has. A deploy writes two files: they are read until two readings are the same. */
export async function readStored(folder: Folder): Promise<Stored> {
  let texts = await textsIn(folder);
  for (let tries = 0; tries < mostReadings; tries++) {
    await sleep(betweenReadingsMs);
    const again = await textsIn(folder);
    if (JSON.stringify(again) === JSON.stringify(texts)) return storedIn(texts);
    texts = again;
  }
  throw new DriverFailed('FlowsChanging', 'its flows change faster than they can be read');
}

const mostReadings = 50;
const betweenReadingsMs = 20;

interface Texts {
  readonly flows: string | undefined;
  readonly credentials: string | undefined;
  readonly modules: string | undefined;
}

async function textsIn({ home }: Folder): Promise<Texts> {
  const names = [storedFiles.flows, storedFiles.credentials, storedFiles.modules];
  const sizes = await Promise.all(names.map((name) => plainSize(home, name)));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > mostContentBytes) throw tooLarge(bytes);
  const [flows, credentials, modules] = await Promise.all(names.map((name) => plainText(home, name, mostContentBytes)));
  return { flows, credentials, modules };
}

function tooLarge(bytes: number): DriverFailed {
  const mib = (size: number) => Math.ceil(size / 1024 / 1024);
  const message = `it holds ${mib(bytes)} MiB of flows, and a snapshot holds at most ${mib(mostContentBytes)} MiB`;
  return new DriverFailed('TooLarge', message);
}

function storedIn({ flows = '[]', credentials = '{}', modules = '{}' }: Texts): Stored {
  const list = parsed(flows, 'flows');
  const secrets = parsed(credentials, 'credentials');
  const manifest = parsed(modules, 'modules');
  if (!Array.isArray(list) || !list.every(isRecord)) throw broken('flows');
  if (!isRecord(secrets)) throw broken('credentials');
  if (!isRecord(manifest)) throw broken('modules');
  return {
    flows: list,
    ...(Object.keys(secrets).length > 0 ? { credentials: secrets } : {}),
    modules: dependenciesIn(manifest),
  };
}

/** An empty file is what the runtime takes for none. */
function parsed(text: string, name: keyof Texts): unknown {
  try {
    return text.trim() === '' ? (name === 'flows' ? [] : {}) : JSON.parse(text);
  } catch {
    throw broken(name);
  }
}

function broken(name: keyof Texts): DriverFailed {
  return new DriverFailed('FlowsBroken', `its file ${storedFiles[name]} is not what a runtime writes`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function dependenciesIn({ dependencies }: Record<string, unknown>): Record<string, string> {
  const known = Object.entries(isRecord(dependencies) ? dependencies : {});
  return Object.fromEntries(known.flatMap(([name, version]) => (typeof version === 'string' ? [[name, version]] : [])));
}

/**
 * Replaces what an instance has, which must not run: everything is written beside it first, then taken over at one moment, and moved into its
 * place; what Weir does not get to is moved by `finishWriting`.
 */
export async function writeStored(folder: Folder, wanted: Written): Promise<Stored> {
  const { stored, encryptedWith, credentialSecret } = wanted;
  const credentials = stored.credentials && reencrypted(stored.credentials, encryptedWith, credentialSecret);
  await makeFolder(folder);
  await finishWriting(folder);
  await rm(folder.incoming, { recursive: true, force: true });
  await mkdir(folder.incoming, { mode: 0o700 });
  const files = {
    [storedFiles.flows]: stored.flows,
    [storedFiles.credentials]: credentials ?? {},
    ...(await moduleFiles(folder, stored.modules)),
  };
  try {
    for (const [name, value] of Object.entries(files)) await writeDurably(folder, name, value);
    await syncFolder(folder.incoming);
  } catch (error) {
    await rm(folder.incoming, { recursive: true, force: true });
    throw error;
  }
  await rename(folder.incoming, folder.arrived);
  await syncFolder(folder.path);
  await finishWriting(folder);
  return { flows: stored.flows, ...(credentials ? { credentials } : {}), modules: stored.modules };
}

/** Nothing where it has these modules already; else its manifest with them, and the note that they have to be installed. */
async function moduleFiles(folder: Folder, modules: Stored['modules']): Promise<Record<string, unknown>> {
  const text = (await plainText(folder.home, storedFiles.modules, mostContentBytes)) ?? '{}';
  const manifest = parsed(text, 'modules');
  const known = isRecord(manifest) ? manifest : {};
  const sorted = (of: Stored['modules']) => JSON.stringify(Object.entries(of).sort());
  if (sorted(dependenciesIn(known)) === sorted(modules)) return {};
  const named = { name: 'instance', private: true, version: '0.0.1', ...known, dependencies: modules };
  return { [storedFiles.modules]: named, [modulesNote]: modulesToInstall };
}

/** The name of the note while it is on its way. */
const modulesNote = 'modules.json';

/** Moves what was taken over into its place, where that was not done. */
export async function finishWriting(folder: Folder): Promise<void> {
  const names = await readdir(folder.arrived).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!names) return;
  for (const name of names) {
    const at = name === modulesNote ? folder.modules : join(folder.home, name);
    await rename(join(folder.arrived, name), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EISDIR' && error.code !== 'ENOTEMPTY') throw error;
      throw new DriverFailed('FileInTheWay', `in the place of its file ${name} is a folder: a flow has to delete it`);
    });
  }
  await syncFolder(folder.home);
  await rmdir(folder.arrived);
}

async function writeDurably({ incoming, home }: Folder, name: string, value: unknown): Promise<void> {
  const file = await open(join(incoming, name), 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value, null, 4)}\n`);
    if (name !== modulesNote) await giveLike(home, file);
    await file.datasync();
  } finally {
    await file.close();
  }
}
