// How a store's folder is opened: what is asked for, and what is found out before anything of it is read.
import type { FileSystem } from './file-system.ts';
import { hasStore, listStore, noStore } from './folder.ts';
import type { Format } from './format.ts';
import { checkUnsealed } from './journal.ts';
import { findKeys, type KeySource, makeKey } from './key-file.ts';
import type { Lock } from './lock.ts';
import type { Retention } from './record-segments.ts';
import type { Keyring } from './seal.ts';
import type { Sync } from './timed-files.ts';

/** How a folder is opened. */
export interface OpenOptions {
  /** Makes the store where there is none; otherwise that is `StoreUnavailable`, `missing`. */
  readonly create: boolean;
  /** Takes no lock and writes nothing: the last state on the disk, also while another process writes. */
  readonly readOnly?: boolean;
  readonly retention?: Retention;
  /** The least that the journal grows by between two snapshots, in bytes (8 MiB). */
  readonly snapshotBytes?: number;
  /** How much of the disk is taken while there is some, for commits on a full one, in bytes (none). */
  readonly reserveBytes?: number;
  /** Told what an operator has to know and nobody asked for, one line each (default: to stderr). */
  readonly log?: (message: string) => void;
  /** For tests: the disk below, and who may open it. */
  readonly files?: FileSystem;
  readonly lock?: Lock;
  readonly format?: Format;
  /** For tests: the clock, RFC 3339 UTC. */
  readonly now?: () => string;
  /** Where the key is that secrets are encrypted with; in the folder unless this says otherwise, where it is made for a store that has none. */
  readonly keys?: KeySource;
  /** Told where a key was made, and its id. */
  readonly onKeyMade?: (path: string, id: string) => void;
  /** Told the key that secrets are encrypted with from now on, where it was another (default: a line of the log). */
  readonly onKeyChanged?: (id: string) => void;
  /** Told once why no writes are taken any more, until somebody starts again. */
  readonly onFailure?: (reason: string) => void;
  /** Looks at the disk and at what the store takes of it, for `health`, as long as it is open. */
  readonly watched?: boolean;
  /** Told of each sync of what the store writes. */
  readonly onSync?: (sync: Sync) => void;
}

/** A folder that is being opened, and what stands below it. */
export interface Setting {
  readonly folder: string;
  readonly create: boolean;
  readonly files: FileSystem;
  readonly format: Format;
  readonly log: (message: string) => void;
  readonly onKeyChanged: (id: string) => void;
}

/** With the keys that are at hand. */
export async function withKeys(setting: Setting, { keys = {} }: OpenOptions): Promise<Setting> {
  const { files, folder, format, log } = setting;
  if (format.keyring) return setting;
  return { ...setting, format: { ...format, keyring: await findKeys(files, folder, keys, log) } };
}

/** Makes the key of a store that has none, and never another one for what is encrypted already. */
export async function withOwnKey(setting: Setting, { onKeyMade }: OpenOptions): Promise<Setting> {
  const { files, folder, format } = setting;
  if (!format.keyring || format.keyring.keys.length > 0) return setting;
  const found = await listStore(setting.files, setting.folder);
  if (!hasStore(found) && !setting.create) throw noStore(folder);
  if (found) await checkUnsealed(files, folder, found, format.keyring);
  const keyring = await makeKey(files, folder);
  for (const { id } of keyring.keys) onKeyMade?.(keyring.looked, id);
  return { ...setting, format: { ...format, keyring } };
}

/** The keys of a ring, to compare it with another. */
export function idsOf(keyring: Keyring | undefined): string {
  return (keyring?.keys ?? []).map(({ id }) => id).join();
}
