// The keys that a store is encrypted with: where they are found, and how the first one is made.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';
import { codeOf, type FileSystem, readFully, writeFully } from './file-system.ts';
import { unreadable } from './folder.ts';
import { type Keyring, type SealKey, sealKeyOf } from './seal.ts';
import { StoreUnavailable } from './store.ts';

/** Where keys may come from: their text (`WEIR_SECRET_KEY`), a file that was named, or else the file in the folder of the store. */
export interface KeySource {
  readonly text?: string | undefined;
  readonly file?: string | undefined;
}

type Log = (message: string) => void;

/** The name of the key's file in the folder of a store, and of the one that holds the keys before it: backups of then are opened with those. */
export const keyFileName = 'secret.key';
export const formerKeysName = 'secret.key.old';

/**
 * The keys that are there; none where the store has no file of its own yet. Throws `StoreUnavailable` where what is there holds no key, where anybody
 * may change it, and where a file was named that is not there: only the store's own file is ever made.
 */
export async function findKeys(
  files: FileSystem,
  folder: string,
  { text, file }: KeySource,
  log: Log,
): Promise<Keyring> {
  if (text !== undefined) return { keys: keysIn(text, 'WEIR_SECRET_KEY'), looked: 'WEIR_SECRET_KEY' };
  const path = file ?? join(folder, keyFileName);
  try {
    const keys = keysIn(await readText(files, path), path);
    checkMode(path, (await files.mode(path)) ?? 0, log);
    return { keys, looked: path };
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const isMissing = codeOf(error) === 'ENOENT';
    if (file !== undefined)
      throw isMissing ? notThere(file) : unusable(path, `it cannot be read, because ${reasonOf(error)}`);
    if (!isMissing) throw unreadable(path, error);
    return { keys: [], looked: `${path}, which is not there` };
  }
}

/** More than any keys take: what is longer is no such file. */
export const mostKeyBytes = 1 << 16;

/** The text of a file of keys. Throws what the disk throws. */
export async function readText(files: FileSystem, path: string): Promise<string> {
  const opened = await files.open(path, 'read');
  try {
    return Buffer.from(await readFully(opened, new Uint8Array(mostKeyBytes), 0)).toString('utf8');
  } finally {
    await opened.close();
  }
}

/** A mounted secret is often readable by others, and cannot be otherwise: that is told. One that others may write is refused. */
function checkMode(path: string, mode: number, log: Log): void {
  if ((mode & 0o002) !== 0)
    throw new StoreUnavailable(
      'key',
      `the key of the store in ${path} cannot be used: everybody on this machine may write to it. Check that it is yours, then run: chmod 600 ${path}`,
    );
  if ((mode & 0o004) !== 0) log(`${path}: everybody on this machine may read the key of the store: run chmod 600`);
}

function notThere(file: string): StoreUnavailable {
  return new StoreUnavailable(
    'key',
    `the key of the store cannot be read: there is no file ${file}. Put the key of the store there, or make one for a new store: openssl rand -base64 32 > ${file}; chmod 600 ${file}`,
  );
}

/** Makes the store's own file of a key, durable before anything is encrypted with it. The folder has to be there. */
export async function makeKey(files: FileSystem, folder: string): Promise<Keyring> {
  const keys = [newKey()];
  return { keys, looked: await writeKeys(files, folder, keys) };
}

/** A key that nobody has seen. */
export function newKey(): SealKey {
  return sealKeyOf(randomBytes(32));
}

/** Writes keys, one a line, into a file of the store's own; durable once this resolves with its path. */
export async function writeKeys(
  files: FileSystem,
  folder: string,
  keys: readonly SealKey[],
  name = keyFileName,
): Promise<string> {
  const path = join(folder, name);
  try {
    // What was left there may be readable by others, or lead elsewhere: the keys go into a file that is made for them.
    await files.unlink(`${path}.tmp`).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    const made = await files.open(`${path}.tmp`, 'create');
    try {
      await writeFully(made, Buffer.from(textOfKeys(keys)), 0);
      await made.datasync();
    } finally {
      await made.close();
    }
    await files.rename(`${path}.tmp`, path);
    await files.syncFolder(folder);
  } catch (error) {
    throw unreadable(folder, error);
  }
  return path;
}

/** Keys as their file holds them. */
export function textOfKeys(keys: readonly SealKey[]): string {
  return keys.map(({ bytes }) => `${Buffer.from(bytes).toString('base64')}\n`).join('');
}

/** The refusal of files that are encrypted with a key that is not at hand. */
export function keyMissing(path: string, id: string, { keys, looked }: Keyring): StoreUnavailable {
  const found = keys.length === 0 ? '' : `, which has ${keys.map((key) => key.id).join(', ')}`;
  return new StoreUnavailable(
    'key',
    `the secrets in ${path} are encrypted with the key ${id}, and that is not in ${looked}${found}: put it there, or name its file with --secret-key-file. Nothing was changed`,
  );
}

/** Keys as text: 32 bytes in Base64 each, one a line or separated by commas. Throws `StoreUnavailable` for anything else. */
export function keysIn(text: string, where: string): readonly SealKey[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0) throw unusable(where, 'it is empty');
  return words.map((word) => {
    const bytes = Buffer.from(word, 'base64');
    if (bytes.length !== 32 || bytes.toString('base64') !== word)
      throw unusable(where, 'it holds something that is not 32 bytes in Base64');
    return sealKeyOf(bytes);
  });
}

function unusable(where: string, why: string): StoreUnavailable {
  const advice = 'give it a key, as "openssl rand -base64 32" makes one, or the one that the store had';
  return new StoreUnavailable('key', `the key of the store in ${where} cannot be used: ${why}. ${advice}`);
}
