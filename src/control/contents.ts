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
import { type Driver, DriverFailed, type Keeper, type Packed, type Parts } from '../drivers/driver.ts';
import { reencrypted } from '../drivers/local/credentials.ts';
import { DamagedBlob, type HeldBlob, NoRoom, type Store } from '../store/store.ts';

/** Where contents come from and go to. */
export interface Shelves {
  readonly store: Store;
  readonly drivers: ReadonlyMap<string, Pick<Driver, 'provides' | 'keeper'>>;
}

/** Contents for those who answer requests. Each rejects with `Declined` (`conflict`), which says `what` cannot be, because what. */
export interface Contents {
  /** What an instance has now. */
  of(instance: Resource<'Instance'>, what: string): Promise<Content>;
  /** The same as bytes, to be kept, with the parts that are asked for: however large it is, nobody is held up. */
  pack(instance: Resource<'Instance'>, what: string, parts?: Parts): Promise<Packed>;
  /** Keeps what was packed, as `keep` does. */
  keepPacked(packed: Packed, what: string): Promise<HeldBlob>;
  /** Keeps a content as a blob: it stays until it is released, and as long as a snapshot names it. */
  keep(content: Content, what: string): Promise<HeldBlob>;
  /** The content of a snapshot. */
  read(snapshot: Resource<'Snapshot'>, what: string): Promise<Content>;
  /** The same, with credentials that a device can read. */
  readFor(device: Resource<'Device'>, snapshot: Resource<'Snapshot'>, what: string): Promise<Content>;
}

/** Contents of this server. */
export function createContents(shelves: Shelves): Contents {
  return {
    of: (instance, what) => orDeclined(contentNow(shelves, instance), what),
    pack: (instance, what, parts) => orDeclined(packNow(shelves, instance, parts), what),
    keepPacked: (packed, what) => orDeclined(keepBytes(shelves, packed.bytes), what),
    keep: (content, what) => orDeclined(keepContent(shelves, content), what),
    read: ({ spec }, what) => orDeclined(contentAt(shelves, spec.content), what),
    readFor: (device, snapshot, what) => orDeclined(contentFor(shelves, device, snapshot), what),
  };
}

async function orDeclined<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DriverFailed)) throw error;
    throw new Declined(declinedAs[error.reason] ?? 'conflict', `${what}, because ${error.message}`);
  }
}

const declinedAs: Readonly<Record<string, DeclinedReason>> = { DiskFull: 'insufficient_storage', Busy: 'unavailable' };

/** What an instance has now. Rejects with `DriverFailed`. */
export async function contentNow({ store, drivers }: Shelves, { id, spec }: Resource<'Instance'>): Promise<Content> {
  return contentOf(await keeperIn(drivers, store.read()).read(id), spec);
}

/** What an instance has now, as bytes. Rejects with `DriverFailed`. */
export async function packNow(
  { store, drivers }: Shelves,
  { id, spec }: Resource<'Instance'>,
  parts: Parts = {},
): Promise<Packed> {
  const keeper = keeperIn(drivers, store.read());
  if (keeper.pack) return keeper.pack(id, spec.started && settingsToKeep(spec.started), parts);
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

/** Keeps a content. Rejects with `DriverFailed` where it is too large or the disk is full. */
export async function keepContent(shelves: Pick<Shelves, 'store'>, content: Content): Promise<HeldBlob> {
  return keepBytes(shelves, new TextEncoder().encode(contentText(content)));
}

/** Keeps the bytes of one. */
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

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}

/** The content in a blob. Rejects with `DriverFailed` where it is missing or damaged. */
export async function contentAt({ store }: Pick<Shelves, 'store'>, name: string): Promise<Content> {
  const bytes = await store.blobs.get(name).catch((error: unknown) => {
    throw error instanceof DamagedBlob ? lost('SnapshotDamaged', name, 'is damaged') : error;
  });
  if (!bytes) throw lost('SnapshotMissing', name, 'is missing');
  const content = contentIn(new TextDecoder().decode(bytes));
  if (!content) throw lost('SnapshotDamaged', name, 'was written by another version of Weir');
  return content;
}

/** The content of a snapshot for a device, whose own context is left alone. Rejects with `DriverFailed`, also where its credentials cannot be read. */
async function contentFor(
  { store }: Pick<Shelves, 'store'>,
  device: Resource<'Device'>,
  { spec }: Resource<'Snapshot'>,
): Promise<Content> {
  const view = store.read();
  const owner = spec.instance ? view.get('Instance', spec.instance) : view.get('Device', spec.device ?? '');
  const { context: _, ...content } = await contentAt({ store }, spec.content);
  if (!content.credentials) return content;
  const credentials = reencrypted(content.credentials, owner?.spec.credentialSecret, device.spec.credentialSecret);
  return { ...content, credentials };
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
