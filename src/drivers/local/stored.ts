// What people made in an instance, in its files: flows, credentials and modules; read as a whole, and replaced as a whole.
import { lstat, mkdir, open, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mostContentBytes, mostFileBytes, type Stored } from '../../core/instances/content.ts';
import { sameValue } from '../../core/model/leaves.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { DriverFailed, type Parts, type Written } from '../driver.ts';
import { giveLike, plainText } from './beneath.ts';
import {
  type ContextMarks,
  contextFolder,
  contextMarks,
  contextOf,
  contextTexts,
  takeContext,
  writeContext,
} from './context.ts';
import { reencrypted } from './credentials.ts';
import { removeTree } from './deep.ts';
import { type Folder, makeFolder } from './folder.ts';
import { modulesToInstall } from './modules.ts';
import { nothingThere } from './open-folder.ts';

/** Where the runtime keeps them, below its user directory. */
export const storedFiles = { flows: 'flows.json', credentials: 'flows_cred.json', modules: 'package.json' } as const;

/**
/**
 * What an instance has. A deploy writes two files, and so does what takes over a restore: they are read while they rest, so that they are the same before
 * and after. Context is read with them, where it is asked for.
 */
export function readStored(folder: Folder, parts: Parts = {}): Promise<Stored> {
  return whileResting(folder, parts, (marks) => readAt(folder, marks));
}

/**
 * Does something with the files of an instance that holds only if they stay as they are meanwhile, as often as that takes; `work` answers nothing where it
 * sees that they did not. Rejects with `DriverFailed` where they never rest.
 */
export async function whileResting<T>(
  folder: Folder,
  parts: Parts,
  work: (marks: Marks) => Promise<T | undefined>,
): Promise<T> {
  let deadline = performance.now() + mostChangingMs;
  while (performance.now() < deadline) {
    const marks = await restOf(folder, parts, deadline);
    const began = performance.now();
    // What is thrown over something half-written means nothing.
    const done = await work(marks).then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    // Work may wait for its turn; by half of that, so that it comes to an end all the same.
    deadline += (performance.now() - began) / 2;
    await sleep(betweenLooksMs);
    if (!sameValue(marks, await marksOf(folder, parts))) continue;
    const value = done();
    if (value !== undefined) return value;
  }
  throw changing();
}

/**
 * The marks of the files once they rest, and the flows, which a deploy writes last, are not older than the credentials. A deploy that never ended (its
 * runtime was killed) is waited for in vain, and is what the instance has.
 */
async function restOf(folder: Folder, parts: Parts, deadline: number): Promise<Marks> {
  let before = await marksOf(folder, parts);
  const enough = performance.now() + mostHalfMs;
  while (performance.now() < deadline) {
    await sleep(betweenLooksMs);
    const after = await marksOf(folder, parts);
    if (sameValue(before, after) && (!isHalfDeployed(after) || performance.now() > enough)) return after;
    before = after;
  }
  throw changing();
}

/** What stands in the files; nothing where these are others than the marks say. */
export async function readAt(folder: Folder, marks: Marks): Promise<Stored | undefined> {
  const parts = { context: marks.context !== undefined };
  const texts = await textsIn(folder, marks.context);
  const context = parts.context ? await contextTexts(folder) : undefined;
  if (!sameValue(marks, await marksOf(folder, parts))) return undefined;
  return { ...storedIn(texts), ...(context ? { context: contextOf(context) } : {}) };
}

function changing(): DriverFailed {
  return new DriverFailed('FlowsChanging', 'its flows change faster than they can be read');
}

/** How long files are waited for that never rest, and for the end of a deploy, in milliseconds. */
const [mostChangingMs, mostHalfMs, betweenLooksMs] = [9000, 2000, 20];

/** By which a file is told from what it was: one that has arrived counts instead of the one whose place it will take. */
interface Mark {
  readonly ino: string;
  readonly size: number;
  readonly modified: string;
}

export type Marks = Readonly<Record<keyof Texts, Mark | undefined>> & {
  /** Where it is to be read. */
  readonly context?: ContextMarks;
};

async function marksOf(folder: Folder, { context: isAsked = false }: Parts): Promise<Marks> {
  const markOf = async (name: keyof Texts): Promise<Mark | undefined> => {
    for (const path of placesOf(folder, name)) {
      const found = await lstat(path, { bigint: true }).catch(() => undefined);
      if (found) return { ino: String(found.ino), size: Number(found.size), modified: String(found.mtimeNs) };
    }
    return undefined;
  };
  return {
    ...{ flows: await markOf('flows'), credentials: await markOf('credentials'), modules: await markOf('modules') },
    ...(isAsked ? { context: await contextMarks(folder) } : {}),
  };
}

/** What is taken over stands in `arrived` until it is moved, one file after another. */
function placesOf({ arrived, home }: Folder, name: keyof Texts): readonly string[] {
  return [join(arrived, storedFiles[name]), join(home, storedFiles[name])];
}

/** Times are those of one disk, in nanoseconds. */
function isHalfDeployed({ flows, credentials }: Marks): boolean {
  return flows !== undefined && credentials !== undefined && BigInt(credentials.modified) > BigInt(flows.modified);
}

interface Texts {
  readonly flows: string | undefined;
  readonly credentials: string | undefined;
  readonly modules: string | undefined;
}

async function textsIn(folder: Folder, context?: ContextMarks): Promise<Texts> {
  const { flows, credentials, modules } = await marksOf(folder, {});
  const bytes = [flows, credentials, modules].reduce((sum, mark) => sum + (mark?.size ?? 0), context?.bytes ?? 0);
  if (bytes > mostFileBytes) throw tooLarge(bytes, context ? 'flows and context' : 'flows');
  const textOf = async (name: keyof Texts) =>
    (await plainText(folder.arrived, storedFiles[name], mostFileBytes)) ??
    (await plainText(folder.home, storedFiles[name], mostFileBytes));
  return { flows: await textOf('flows'), credentials: await textOf('credentials'), modules: await textOf('modules') };
}

function tooLarge(bytes: number, what: string): DriverFailed {
  const mib = (size: number) => Math.ceil(size / 1024 / 1024);
  return new DriverFailed(
    'TooLarge',
    `it holds ${mib(bytes)} MiB of ${what}, and a snapshot holds at most ${mib(mostContentBytes)} MiB`,
  );
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
export async function writeStored(folder: Folder, wanted: Written, sync: Sync = syncFolder): Promise<Stored> {
  const { stored, encryptedWith, credentialSecret } = wanted;
  const credentials = stored.credentials && reencrypted(stored.credentials, encryptedWith, credentialSecret);
  await makeFolder(folder);
  await finishWriting(folder, sync);
  await mkdir(folder.incoming, { mode: 0o700 });
  const files = {
    ...(await moduleFiles(folder, stored.modules)),
    [storedFiles.credentials]: credentials ?? {},
    // Last, as a deploy does it.
    [storedFiles.flows]: stored.flows,
  };
  try {
    if (stored.context) await writeContext(folder, stored.context, sync);
    for (const [name, value] of Object.entries(files)) {
      await requireNoFolder(folder, name);
      await writeDurably(folder, name, value);
    }
    await sync(folder.incoming);
    await rename(folder.incoming, folder.arrived);
  } catch (error) {
    await removeTree(folder.incoming);
    throw error;
  }
  await sync(folder.path).catch((error: unknown) => takeBack(folder, error));
  // It has all of this from here on, so this cannot fail any more: what is not moved now is moved before the next start.
  await finishWriting(folder, sync).catch(() => {});
  return { flows: stored.flows, ...(credentials ? { credentials } : {}), modules: stored.modules };
}

/** Nothing has been moved yet. What cannot be taken back is there, and stays. */
async function takeBack({ incoming, arrived }: Folder, error: unknown): Promise<void> {
  const isBack = await rename(arrived, incoming).then(
    () => true,
    () => false,
  );
  if (!isBack) return;
  await removeTree(incoming);
  throw error;
}

/** Makes the names in a folder durable. */
type Sync = (folder: string) => Promise<void>;

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

/** Moves what was taken over into its place, where that was not done, and deletes what was not taken over. */
export async function finishWriting(folder: Folder, sync: Sync = syncFolder): Promise<void> {
  await removeTree(folder.incoming);
  // What cannot be deleted hurts nobody, and goes with the instance.
  await removeTree(folder.outgoing).catch(() => {});
  const names = await readdir(folder.arrived).catch(nothingThere);
  if (!names) return;
  if (names.includes(contextFolder)) await takeContext(folder);
  for (const name of names) {
    if (name === contextFolder) continue;
    await rename(join(folder.arrived, name), placeOf(folder, name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EISDIR' || error.code === 'ENOTEMPTY' ? folderInTheWay(name) : error;
    });
  }
  await sync(folder.home);
  await rmdir(folder.arrived);
  await removeTree(folder.outgoing).catch(() => {});
}

function placeOf({ modules, home }: Folder, name: string): string {
  return name === modulesNote ? modules : join(home, name);
}

/** Found out before anything is taken over: then it could not be moved. */
async function requireNoFolder(folder: Folder, name: string): Promise<void> {
  const found = await lstat(placeOf(folder, name)).catch(() => undefined);
  if (found?.isDirectory()) throw folderInTheWay(name);
}

function folderInTheWay(name: string): DriverFailed {
  return new DriverFailed('FileInTheWay', `in the place of its file ${name} is a folder: a flow has to delete it`);
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
