// The keys that a store is encrypted with: where they are found, and how the first one is made.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf, whyUnwritable } from '../lib/reason-of.ts';
import { syncFolder } from '../lib/sync-folder.ts';
import { codeOf } from './file-system.ts';
import { type Keyring, type SealKey, sealKeyOf } from './seal.ts';
import { StoreUnavailable } from './store.ts';

/** Where keys may come from: their text (`WEIR_SECRET_KEY`), a file that was named, or else the file in the folder of the store. */
export interface KeySource {
  readonly text?: string | undefined;
  readonly file?: string | undefined;
}

/** The name of the key's file in the folder of a store. */
export const keyFileName = 'secret.key';

/** The keys that are there; none where there is no file. Throws `StoreUnavailable` where what is there holds no key. */
export function findKeys({ text, file }: KeySource, folder: string, log: (message: string) => void): Keyring {
  if (text !== undefined) return { keys: keysIn(text, 'WEIR_SECRET_KEY'), looked: 'WEIR_SECRET_KEY' };
  const path = file ?? join(folder, keyFileName);
  try {
    const keys = keysIn(readFileSync(path, 'utf8'), path);
    // A mounted secret is often readable by others, and cannot be otherwise: nothing is refused.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0)
      log(`${path}: everybody on this machine may read the key of the store: run chmod 600`);
    return { keys, looked: path };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { keys: [], looked: `${path}, which is not there` };
    if (error instanceof StoreUnavailable) throw error;
    throw unusable(path, `it cannot be read, because ${reasonOf(error)}`);
  }
}

/** Makes the file of a store that has no key yet, durable before anything is encrypted with it. */
export async function makeKey({ file }: KeySource, folder: string): Promise<Keyring> {
  const path = file ?? join(folder, keyFileName);
  const bytes = randomBytes(32);
  try {
    const handle = await open(`${path}.tmp`, 'w', 0o600);
    try {
      await handle.chmod(0o600);
      await handle.writeFile(`${bytes.toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.tmp`, path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw unusable(path, `it cannot be made, because ${whyUnwritable(path, error)}`);
  }
  return { keys: [sealKeyOf(bytes)], looked: path };
}

/** The refusal of files that are encrypted with a key that is not at hand. */
export function keyMissing(path: string, id: string, { keys, looked }: Keyring): StoreUnavailable {
  const found = keys.length === 0 ? '' : `, which has ${keys.map((key) => key.id).join(', ')}`;
  return new StoreUnavailable(
    'key',
    `the secrets in ${path} are encrypted with the key ${id}, and that is not in ${looked}${found}: put it there, or name its file with --secret-key-file. Nothing was changed`,
  );
}

/** Keys as text: 32 bytes in Base64 each, one a line or separated by commas. */
function keysIn(text: string, where: string): readonly SealKey[] {
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
