// What snapshots hold: read from instances by their driver, kept as blobs, and read back.
import { createHash } from 'node:crypto';
import {
  type Content,
  contentIn,
  contentOf,
  contentText,
  deployText,
  mostContentBytes,
  settingsToKeep,
} from '../core/instances/content.ts';
import type { Resource } from '../core/model/resource.ts';
import { singleton, type View } from '../core/model/view.ts';
import { Declined, type DeclinedReason } from '../core/proposals/declined.ts';
import {
  type Driver,
  DriverFailed,
  type InTurn,
  type Keeper,
  type Packed,
  type Parts,
  type Written,
} from '../drivers/driver.ts';
import { reencrypted } from '../drivers/local/credentials.ts';
import { DamagedBlob, type HeldBlob, NoRoom, type Store } from '../store/store.ts';

/** Bytes that are handed on to threads. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Where contents come from and go to. */
export interface Shelves {
  readonly store: Store;
  readonly drivers: ReadonlyMap<string, Pick<Driver, 'provides' | 'keeper'>>;
}

/** Contents for those who answer requests. Each rejects with `Declined` (`conflict`), which says `what` cannot be, because what. */
export interface Contents {
  /** What an instance has now, as the bytes of a snapshot, with the parts that are asked for: however large it is, nobody is held up. */
  pack(instance: Resource<'Instance'>, what: string, parts?: Parts): Promise<Packed>;
  /** Keeps what was packed as a blob: it stays until it is released, and as long as a snapshot names it. */
  keepPacked(packed: Pick<Packed, 'bytes'>, what: string): Promise<HeldBlob>;
  /** The bytes of a snapshot, for whoever asks for them alone. What they hold is for a thread to read (`contentInBytes`): it may be large. */
  read(snapshot: Resource<'Snapshot'>, what: string): Promise<Bytes>;
}

/** Contents of this server. */
export function createContents(shelves: Shelves): Contents {
  return {
    pack: (instance, what, parts) => orDeclined(packNow(shelves, instance, parts), what),
    keepPacked: (packed, what) => orDeclined(keepBytes(shelves, packed.bytes), what),
    read: ({ spec }, what) => orDeclined(bytesAt(shelves, spec.content), what),
  };
}

async function orDeclined<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw declined(error, what);
  }
}

/** What a driver refused, as the answer to a request: it says `what` cannot be. Anything else stays as it is. */
export function declined(error: unknown, what: string): unknown {
  if (!(error instanceof DriverFailed)) return error;
  return new Declined(declinedAs[error.reason] ?? 'conflict', `${what}, because ${error.message}`);
}

/** What an instance has now, as bytes. Rejects with `DriverFailed`. */
export async function packNow(
  { store, drivers }: Shelves,
  { id, spec }: Resource<'Instance'>,
  parts: Parts = {},
): Promise<Packed> {
  const keeper = keeperIn(drivers, store.read());
  if (keeper.pack) return keeper.pack(id, spec.started && settingsToKeep(spec.started), { ...parts, turn: spec.team });
  const content = contentOf(await keeper.read(id, parts), spec);
  const bytes = new TextEncoder().encode(contentText(content));
  return { bytes, deploy: deployDigest(content), modules: content.modules, isEmpty: content.flows.length === 0 };
}

/** The keeper of the driver that the platform has. Throws `DriverFailed` where it has none. */
export function keeperIn(drivers: Shelves['drivers'], view: View): Keeper {
  const { kind } = singleton(view, 'Platform').spec.driver;
  const keeper = drivers.get(kind)?.keeper;
  if (keeper) return keeper;
  throw new DriverFailed(
    'DriverUnavailable',
    `this build of Weir has no ${kind} driver that can read and write what instances hold`,
  );
}

/** Keeps the bytes of a content. Rejects with `DriverFailed` where it is too large or the disk is full. */
export async function keepBytes({ store }: Pick<Shelves, 'store'>, bytes: Uint8Array): Promise<HeldBlob> {
  if (bytes.length > mostContentBytes)
    throw new DriverFailed(
      'TooLarge',
      `it holds ${inMiB(bytes.length)}, and a snapshot holds at most ${inMiB(mostContentBytes)}`,
    );
  try {
    return await store.blobs.put(bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new DriverFailed(diskFull, 'the disk is full');
    if (error instanceof NoRoom) throw new DriverFailed(diskFull, error.message);
    throw error;
  }
}

/** The reason where there is no room. */
const diskFull = 'DiskFull';

const declinedAs: Readonly<Record<string, DeclinedReason>> = {
  [diskFull]: 'insufficient_storage',
  Busy: 'unavailable',
};

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}

/** The bytes of a content in a blob, for the caller alone. Rejects with `DriverFailed` where they are missing or damaged. */
export async function bytesAt({ store }: Pick<Shelves, 'store'>, name: string): Promise<Bytes> {
  const bytes = await store.blobs.get(name).catch((error: unknown) => {
    throw error instanceof DamagedBlob ? lost('SnapshotDamaged', name, 'is damaged') : error;
  });
  if (!bytes) throw lost('SnapshotMissing', name, 'is missing');
  return bytes;
}

/** What the bytes of a blob hold: for threads, because it takes long where they are many. Throws `DriverFailed`. */
export function contentInBytes(bytes: Uint8Array, name: string): Content {
  const content = contentIn(new TextDecoder().decode(bytes));
  if (!content) throw unreadable(name);
  return content;
}

/**
 * The same content for a device, whose own context is left alone, with credentials that it can read. Throws `DriverFailed` where they cannot be encrypted
 * anew.
 */
export function contentFor({ context: _, ...content }: Content, { from, to }: Secrets): Content {
  if (!content.credentials) return content;
  return { ...content, credentials: reencrypted(content.credentials, from, to) };
}

/** The secret that credentials are encrypted with, and the one that they are to be encrypted with. */
export interface Secrets {
  readonly from: string | undefined;
  readonly to: string;
}

/** Writes the content of a blob into an instance, which must not run. Answers by what its deploy is told. Rejects with `DriverFailed`. */
export async function unpackInto(
  { store }: Pick<Shelves, 'store'>,
  keeper: Keeper,
  id: string,
  name: string,
  secrets: Omit<Written, 'stored'> & InTurn,
): Promise<string> {
  const bytes = await bytesAt({ store }, name);
  if (keeper.unpack) {
    const unpacked = keeper.unpack(id, { bytes, ...secrets });
    return (await unpacked.catch((error) => Promise.reject(named(error, name)))).deploy;
  }
  const { format: _, settings: __, ...stored } = contentInBytes(bytes, name);
  return deployDigest(await keeper.write(id, { stored, ...secrets }));
}

function named(error: unknown, name: string): unknown {
  return error instanceof DriverFailed && error.reason === 'ContentUnreadable' ? unreadable(name) : error;
}

function unreadable(name: string): DriverFailed {
  return lost('SnapshotDamaged', name, 'was written by another version of Weir');
}

function lost(reason: string, name: string, what: string): DriverFailed {
  return new DriverFailed(
    reason,
    `the file blobs/${name.slice(0, 12)}… of the store ${what}: an admin can bring it back from a backup`,
  );
}

/** Tells one deploy from another, by a digest. */
export function deployDigest(stored: Pick<Content, 'flows' | 'credentials'>): string {
  return createHash('sha256').update(deployText(stored)).digest('hex');
}
