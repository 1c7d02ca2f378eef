// Gives a store another key: everything is encrypted anew, and read with that key alone before the one before it is let go.
import { join, resolve } from 'node:path';
import { codeOf, diskFileSystem, type FileSystem } from './file-system.ts';
import { hasStore, listStore, noStore, unreadable } from './folder.ts';
import { type Format, presentFormat } from './format.ts';
import { checkUnsealed } from './journal.ts';
import { openStore } from './json-file.ts';
import {
  findKeys,
  formerKeysName,
  type KeySource,
  keyFileName,
  keysIn,
  newKey,
  readText,
  writeKeys,
} from './key-file.ts';
import { type Loaded, load } from './load.ts';
import { type Lock, lockFolder } from './lock.ts';
import { listRecordSegments } from './record-segments.ts';
import type { Keyring, SealKey } from './seal.ts';
import { StoreUnavailable } from './store.ts';

/** Where the key is, and who is told what is wrong with its file; for tests: the disk below, and who may write to the folder. */
export interface RekeyOptions {
  readonly keys?: KeySource;
  readonly log?: (message: string) => void;
  readonly files?: FileSystem;
  readonly lock?: Lock;
}

/** What a store is encrypted with now. */
export interface Rekeyed {
  readonly id: string;
  /** Where that key is, for a sentence. */
  readonly place: string;
  /** The keys before it, by their ids, and the file in the folder that holds them; without one they still stand beside the first. */
  readonly former: readonly string[];
  readonly formerPath?: string;
}

/**
 * Encrypts a store anew: with a new key, where the key is in the folder of the store, and else with the first of those that were named. A file of the
 * store that has several keys was left so by a run that was interrupted, or by a person: the first of them is taken. Whenever this is interrupted, the
 * keys that are needed are there. Throws `StoreUnavailable`.
 */
export async function rekey(folder: string, options: RekeyOptions = {}): Promise<Rekeyed> {
  const { files = diskFileSystem, lock = lockFolder, keys = {}, log = () => {} } = options;
  const store: Place = { files, folder: resolve(folder), log };
  if (!hasStore(await listStore(files, store.folder))) throw noStore(store.folder);
  const unlock = await lock(store.folder);
  try {
    return await rekeyLocked(store, keys);
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : unreadable(store.folder, error);
  } finally {
    await unlock();
  }
}

interface Place {
  readonly files: FileSystem;
  readonly folder: string;
  readonly log: (message: string) => void;
}

async function rekeyLocked(store: Place, source: KeySource): Promise<Rekeyed> {
  const { files, folder, log } = store;
  const keyring = await findKeys(files, folder, source, log);
  const isOwn = await isOwnFile(store, source);
  const former = isOwn ? await formerKeys(store) : [];
  const before = await loadWith(store, keyring);
  if (!isOwn && keyring.keys.length < 2) throw needsAnother(keyring);
  const own = join(folder, keyFileName);
  if (isOwn && keyring.keys.length < 2) await writeKeys(files, folder, [newKey(), ...keyring.keys]);
  const both = isOwn ? await findKeys(files, folder, {}, () => {}) : keyring;
  const [first, ...others] = both.keys;
  if (!first) throw new Error('there is no key, though one was written');
  await sealAnew(store, both);
  await dropOthers(store, first, before.log.position);
  const told = { id: first.id, former: others.map(({ id }) => id) };
  if (!isOwn) return { ...told, place: keyring.looked };
  if (others.length === 0) return { ...told, place: own };
  const formerPath = await writeKeys(files, folder, [...others, ...without(former, others)], formerKeysName);
  await writeKeys(files, folder, [first]);
  return { ...told, place: own, formerPath };
}

/** A file that was named, or that stands elsewhere, is written by whoever put it there: it may come from a vault, and be read-only. */
async function isOwnFile({ files, folder }: Place, { text, file }: KeySource): Promise<boolean> {
  const own = join(folder, keyFileName);
  if (text !== undefined || (file !== undefined && resolve(file) !== own)) return false;
  return !(await files.isLink(own).catch(falseWhereMissing));
}

function falseWhereMissing(error: unknown): false {
  if (codeOf(error) === 'ENOENT') return false;
  throw error;
}

async function formerKeys({ files, folder }: Place): Promise<readonly SealKey[]> {
  const path = join(folder, formerKeysName);
  const text = await readText(files, path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  });
  return text === undefined ? [] : keysIn(text, path);
}

function without(keys: readonly SealKey[], others: readonly SealKey[]): readonly SealKey[] {
  return keys.filter(({ id }) => !others.some((other) => other.id === id));
}

async function loadWith({ files, folder }: Place, keyring: Keyring): Promise<Loaded> {
  const listing = await listStore(files, folder);
  if (!hasStore(listing)) throw noStore(folder);
  if (keyring.keys.length === 0) await checkUnsealed(files, folder, listing, keyring);
  const format: Format = { ...presentFormat, keyring };
  return load(files, folder, listing, await listRecordSegments(files, folder, format), format);
}

/** Opening a store writes anew what the first key has not encrypted. */
async function sealAnew({ files, folder, log }: Place, keyring: Keyring): Promise<void> {
  const format: Format = { ...presentFormat, keyring };
  const lock: Lock = async () => async () => {};
  const store = await openStore(folder, { create: false, files, format, log, lock, onKeyChanged: () => {} });
  await store.close();
}

/** Lets go what is older than the newest snapshot, and what was set aside as damaged, once the rest is known to open with one key alone. */
async function dropOthers(store: Place, key: SealKey, position: number): Promise<void> {
  const { files, folder } = store;
  const { log, lost } = await loadWith(store, { keys: [key], looked: 'the first of its keys' });
  if (lost) throw lost.error;
  if (log.position !== position)
    throw new Error(`the store stands at commit ${log.position} instead of ${position} once it was encrypted anew`);
  const listing = await listStore(files, folder);
  const newest = listing?.snapshots.at(-1)?.number ?? 0;
  const damaged = (await files.list(folder)).filter((name) => /^snapshot-\d{12}\.jsonl\.damaged$/.test(name));
  const old = [
    ...(listing?.snapshots ?? []).filter(({ number }) => number < newest).map(({ name }) => name),
    ...(listing?.journals ?? []).filter(({ number }) => number <= newest).map(({ name }) => name),
    ...damaged,
  ];
  for (const name of old) await files.unlink(join(folder, name));
  await files.syncFolder(folder);
}

function needsAnother({ looked, keys }: Keyring): StoreUnavailable {
  const id = keys[0]?.id ?? 'none';
  const how =
    looked === 'WEIR_SECRET_KEY'
      ? 'put a new one and a comma before it (openssl rand -base64 32)'
      : `put a new one on a line before it (openssl rand -base64 32): whoever made the file changes it, and Weir does not`;
  return new StoreUnavailable(
    'key',
    `the store was not encrypted anew, because ${looked} holds only the key that it has (${id}): ${how}; then run this again, and take the old one out`,
  );
}
