// Restores a backup into a folder that has no store: all of it or nothing, whatever interrupts it.
import { dirname, join } from 'node:path';
import { reasonOf } from '../../lib/reason-of.ts';
import type { Damage } from '../damage.ts';
import { codeOf, diskFileSystem, type FileSystem, wordsOf, writeFully } from '../file-system.ts';
import { listFolder, restoringName, unreadable } from '../folder.ts';
import { type Format, presentFormat } from '../format.ts';
import { findKeys, type KeySource, keyFileName, keyMissing, keysIn, mostKeyBytes } from '../key-file.ts';
import { type Loaded, load } from '../load.ts';
import { type Lock, lockFolder } from '../lock.ts';
import { listRecordSegments } from '../record-segments.ts';
import { verifySegment } from '../record-verify.ts';
import type { Keyring } from '../seal.ts';
import { StoreUnavailable } from '../store.ts';
import { keyEntry } from './contents.ts';
import { BackupFailed } from './failed.ts';
import { type Contents, justLook, type OnFile, readBackup } from './read.ts';

/** Where the key is, and who is told what is wrong with its file; for tests: the disk below, and who may write to the folder. */
export interface RestoreOptions {
  readonly keys?: KeySource;
  readonly log?: (message: string) => void;
  readonly format?: Format;
  readonly files?: FileSystem;
  readonly lock?: Lock;
}

/** What was restored; `keyPath`: where the keys are that came with it. */
export interface Restored extends Contents {
  readonly keyPath?: string;
  /** What is wrong with the records, as it was in the store that the backup was made of. */
  readonly damage: readonly Damage[];
}

/**
 * Restores the backup at `path` into `folder`, which is made, or is empty. All of the backup is read and checked before anything is written. Throws
 * `BackupFailed` or `StoreUnavailable`, and leaves the folder as it was.
 */
export async function restore(path: string, folder: string, options: RestoreOptions = {}): Promise<Restored> {
  const { files = diskFileSystem, lock = lockFolder } = options;
  const { format: given = presentFormat } = options;
  const found = await keysAt(options, files, folder);
  const came = { text: undefined as string | undefined };
  const checked = await readBackup(files, path, given, lookingForKeys(path, came));
  const { keyring, placesKeys } = keysFor(path, checked, found, came.text);
  const format = { ...given, keyring };
  const wasThere = await checkEmpty(files, folder);
  const made: Made = { files: [], folders: new Set() };
  let damage: readonly Damage[] = [];
  try {
    await files.makeFolder(folder);
    const unlock = await lock(folder);
    try {
      await checkEmpty(files, folder);
      damage = await unpack({ files, folder, format, path, placesKeys }, checked, made);
    } finally {
      await unlock();
    }
  } catch (error) {
    if (!wasThere) await files.removeFolder(folder).catch(() => {});
    throw error instanceof BackupFailed || error instanceof StoreUnavailable ? error : notRestored(folder, error);
  }
  return { ...checked, damage, ...(placesKeys && { keyPath: join(folder, keyFileName) }) };
}

async function keysAt(options: RestoreOptions, files: FileSystem, folder: string): Promise<Keyring> {
  const { format = presentFormat, keys = {}, log = () => {} } = options;
  return format.keyring ?? (await findKeys(files, folder, keys, log));
}

/** The keys that open the backup: those that are at hand, or else those that came with it, which go into the folder then. */
function keysFor(
  path: string,
  { heading: { keys: needed = [] } }: Contents,
  found: Keyring,
  came: string | undefined,
): { readonly keyring: Keyring; readonly placesKeys: boolean } {
  const own = came === undefined ? [] : keysIn(came, `the backup ${path}`);
  if (found.keys.length === 0 && own.length > 0)
    return { keyring: { keys: own, looked: `the backup ${path}` }, placesKeys: true };
  const missing = needed.find((id) => !found.keys.some((key) => key.id === id));
  if (missing === undefined) return { keyring: found, placesKeys: false };
  if (own.some(({ id }) => id === missing)) throw namedOther(path, missing, found);
  throw keyMissing(path, missing, found);
}

function namedOther(path: string, id: string, { keys, looked }: Keyring): StoreUnavailable {
  const others = keys.map((key) => key.id).join(', ');
  return new StoreUnavailable(
    'key',
    `the secrets in ${path} are encrypted with the key ${id}, which is in it, and ${looked} holds ${others}: put that key there, too, or restore without naming another (--secret-key-file, WEIR_SECRET_KEY, a ${keyFileName} in the folder). Nothing was changed`,
  );
}

/** Keeps the keys of a backup, and looks at all else. */
function lookingForKeys(path: string, came: { text: string | undefined }): OnFile {
  return async (name, content) => {
    if (name !== keyEntry) return justLook(name, content);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      if (size > mostKeyBytes)
        throw new BackupFailed('damaged', `${path} is damaged: its ${name} is too long to hold keys`);
      pieces.push(piece);
    }
    came.text = Buffer.concat(pieces).toString('utf8');
  };
}

interface Job {
  readonly files: FileSystem;
  readonly folder: string;
  readonly format: Format;
  readonly path: string;
  readonly placesKeys: boolean;
}

/** What was made, in order. */
interface Made {
  readonly files: string[];
  readonly folders: Set<string>;
}

/** Throws where there is something in a folder; answers whether there is a folder. */
async function checkEmpty(files: FileSystem, folder: string): Promise<boolean> {
  const names = await files.list(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(folder, error);
  });
  const others = (names ?? []).filter((name) => !/^(lock-.*\.sock|lost\+found|secret\.key)$/.test(name));
  if (others.length > 0) throw occupied(folder, others);
  return names !== undefined;
}

/** While the mark stands in the folder nothing takes it for a store: it goes when everything else is durable. */
async function unpack(job: Job, checked: Contents, made: Made): Promise<readonly Damage[]> {
  const { files, folder } = job;
  try {
    await writeFile(files, join(folder, restoringName), textOf(job.path), made);
    await files.syncFolder(folder);
    const again = await readBackup(files, job.path, job.format, (name, content) => place(job, name, content, made));
    if (JSON.stringify(again) !== JSON.stringify(checked)) throw changed(job.path);
    for (const path of [...made.folders, folder]) await files.syncFolder(path);
    const damage = await checkLoads(job, checked);
    await files.unlink(join(folder, restoringName));
    await files.syncFolder(folder);
    return damage;
  } catch (error) {
    await takeAway(files, made);
    throw error;
  }
}

async function* textOf(path: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`A backup (${path}) is being restored into this folder.\n`);
}

async function place(
  { files, folder, placesKeys }: Job,
  name: string,
  content: AsyncIterable<Uint8Array>,
  made: Made,
): Promise<void> {
  if (name === keyEntry && !placesKeys) return justLook(name, content);
  const path = join(folder, name.slice('store/'.length));
  await makeFolders(files, folder, dirname(path), made);
  await writeFile(files, path, content, made);
}

async function makeFolders(files: FileSystem, top: string, folder: string, made: Made): Promise<void> {
  if (folder === top || made.folders.has(folder)) return;
  await makeFolders(files, top, dirname(folder), made);
  made.folders.add(folder);
  await files.makeFolder(folder);
}

async function writeFile(
  files: FileSystem,
  path: string,
  content: AsyncIterable<Uint8Array>,
  made: Made,
): Promise<void> {
  made.files.push(path);
  const file = await files.open(path, 'create');
  try {
    let size = 0;
    for await (const piece of content) {
      await writeFully(file, piece, size);
      size += piece.length;
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** A backup whose checksums are right may still be none of a store: what cannot be opened is not left behind. Answers what is wrong with records. */
async function checkLoads(job: Job, { heading: { position } }: Contents): Promise<readonly Damage[]> {
  const { log, records, damage } = await loadedIn(job).catch((error: unknown) => {
    const isTold = error instanceof StoreUnavailable && (error.reason === 'newer' || error.reason === 'key');
    throw isTold ? error : notLoaded(job.path, wordsOf(error), error);
  });
  if (log.position !== position) throw notLoaded(job.path, `it ends at commit ${log.position} instead of ${position}`);
  const found = [...damage];
  for (const segment of records) found.push(...(await verifySegment(job.files, job.folder, segment)).damage);
  return found;
}

async function loadedIn({ files, folder, format }: Job): Promise<Loaded> {
  const listing = await listFolder(files, folder);
  if (!listing) throw new Error(`${folder} is gone`);
  return load(files, folder, listing, await listRecordSegments(files, folder, format), format);
}

function notLoaded(path: string, why: string, cause?: unknown): BackupFailed {
  return new BackupFailed('damaged', `${path} is damaged: the store in it cannot be loaded (${why})`, { cause });
}

/** Last made, first gone; the mark was the first. */
async function takeAway(files: FileSystem, made: Made): Promise<void> {
  const [mark, ...others] = made.files;
  for (const path of others.reverse()) await files.unlink(path).catch(() => {});
  for (const path of [...made.folders].reverse()) await files.removeFolder(path).catch(() => {});
  if (mark !== undefined) await files.unlink(mark).catch(() => {});
}

function occupied(folder: string, names: readonly string[]): BackupFailed {
  const what = names.includes(restoringName)
    ? 'a restore into it was interrupted: delete what is in it, then restore again'
    : names.some((name) => /^(journal|snapshot)-\d{12}\.jsonl$/.test(name))
      ? 'there is a store in it: name another folder, or move it away'
      : `it is not empty (${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}): name another folder`;
  return new BackupFailed('occupied', `nothing was restored into ${folder}, because ${what}`);
}

function changed(path: string): BackupFailed {
  return new BackupFailed('damaged', `${path} was changed while it was read: nothing was restored`);
}

function notRestored(folder: string, error: unknown): BackupFailed {
  return new BackupFailed(
    'not_restored',
    `nothing was restored: ${folder} cannot be written, because ${reasonOf(error)}`,
    {
      cause: error,
    },
  );
}
