// Reads all of a store and says whether it is whole; takes no lock, writes nothing, and stands beside a server that goes on.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namedBlobs } from '../core/model/named-blobs.ts';
import type { View } from '../core/model/view.ts';
import { type Held, holdFiles, letGo } from './backup/hold.ts';
import type { Heads } from './chain.ts';
import type { Damage } from './damage.ts';
import { digestOf } from './digest.ts';
import { codeOf, diskFileSystem, type FileSystem, wordsOf } from './file-system.ts';
import { hasStore, listStore, type Numbered, namesIn, noStore, unreadable } from './folder.ts';
import { type Format, presentFormat } from './format.ts';
import { readSegment } from './journal.ts';
import { findKeys, type KeySource } from './key-file.ts';
import { scanLines } from './lines.ts';
import { type Loaded, load } from './load.ts';
import { listRecordSegments, type RecordSegment, segmentPath } from './record-segments.ts';
import { verifySegment } from './record-verify.ts';
import { readSnapshot } from './snapshot.ts';
import { StoreUnavailable } from './store.ts';

/** What was read, and all that is wrong with it; nothing is counted that could not be read. */
export interface StoreChecked {
  readonly damage: readonly Damage[];
  /** The last commit; absent where the store cannot be loaded. */
  readonly position?: number;
  readonly snapshots: number;
  readonly journals: number;
  readonly segments: number;
  /** How many records can be shown. */
  readonly records: { readonly history: number; readonly audit: number };
  /** The last hash of the chain of each stream; absent where the store cannot be loaded. */
  readonly heads?: Heads;
  /** Blobs that something names, and those that nothing does: they are collected some time. */
  readonly blobs: { readonly named: number; readonly unnamed: number };
}

/** Where the key may be, and who is told what is wrong with its file; for tests: the disk below, and how long what is damaged is left alone before it is looked at once more. */
export interface CheckOptions {
  readonly keys?: KeySource;
  readonly log?: (message: string) => void;
  readonly files?: FileSystem;
  readonly pauseMs?: number;
  readonly format?: Format;
}

/** Checks the store in a folder. Throws `StoreUnavailable` where there is none, or a newer version wrote it. */
export async function checkStore(folder: string, options: CheckOptions = {}): Promise<StoreChecked> {
  const { files = diskFileSystem, pauseMs = 100 } = options;
  const format = await formatFor(files, folder, options);
  let before: string | undefined;
  for (let tries = 5; ; tries -= 1) {
    const checked = await look(files, folder, format).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' && tries > 1) return undefined;
      throw error instanceof StoreUnavailable ? error : unreadable(folder, error);
    });
    // What another process moved meanwhile is not wrong the same way twice.
    const found = checked && JSON.stringify(checked.damage);
    if (checked && (checked.damage.length === 0 || found === before || tries <= 1)) return checked;
    before = found;
    await sleep(pauseMs);
  }
}

/** Secrets are decrypted where the key is at hand; what else is wrong with a line shows without it. */
async function formatFor(files: FileSystem, folder: string, options: CheckOptions): Promise<Format> {
  const { format = presentFormat, keys, log = () => {} } = options;
  const keyring = keys && (await findKeys(files, folder, keys, log));
  return keyring && keyring.keys.length > 0 ? { ...format, keyring } : { ...format, leavesSealed: true };
}

async function look(files: FileSystem, folder: string, format: Format): Promise<StoreChecked> {
  const listing = await listStore(files, folder);
  if (!hasStore(listing)) throw noStore(folder);
  const held = new Map<string, Held>();
  try {
    const fixed = await holdFiles(files, folder, listing, held);
    const found = createFindings();
    const store = { files: fixed, folder, format, found };
    const segments = await listRecordSegments(fixed, folder, format);
    for (const { name } of listing.snapshots) await checkSnapshot(store, join(folder, name));
    for (const [index, segment] of listing.journals.entries())
      await checkJournal(store, segment, listing.journals[index + 1]?.number);
    const loaded = await found.trying(() => load(fixed, folder, listing, segments, format));
    for (const damage of loaded?.damage ?? []) found.add(damage);
    const known = loaded?.records ?? segments.map(({ hash: _, sha256: __, ...segment }) => segment);
    const records = await checkRecords(store, known);
    const blobs = loaded ? await checkBlobs(store, loaded.log.state) : { named: 0, unnamed: 0 };
    const counts = { snapshots: listing.snapshots.length, journals: listing.journals.length, segments: known.length };
    return { damage: found.all(), ...counts, records, blobs, ...toldOf(loaded) };
  } finally {
    await letGo(held);
  }
}

function toldOf(loaded: Loaded | undefined): Pick<StoreChecked, 'position' | 'heads'> {
  return loaded ? { position: loaded.log.position, heads: loaded.log.heads } : {};
}

interface Checking {
  readonly files: FileSystem;
  readonly folder: string;
  readonly format: Format;
  readonly found: Findings;
}

/** All that was found, each place once. */
interface Findings {
  add(damage: Damage): void;
  /** What the work comes to; nothing where it met damage, which is added. */
  trying<T>(work: () => Promise<T>): Promise<T | undefined>;
  all(): readonly Damage[];
}

function createFindings(): Findings {
  const known = new Map<string, Damage>();
  const add = (damage: Damage) => {
    const key = `${damage.path}:${damage.offset}`;
    if (!known.has(key)) known.set(key, damage);
  };
  return {
    add,
    trying: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || error.damage === undefined) throw error;
        add(error.damage);
        return undefined;
      }
    },
    all: () => [...known.values()],
  };
}

async function checkSnapshot({ files, format, found }: Checking, path: string): Promise<void> {
  const file = await files.open(path, 'read');
  const nothing = () => {};
  const whole = await found.trying(() => readSnapshot(file, path, nothing, nothing, format));
  if (!whole) await tellBrokenLines(files, path, found);
}

/** A torn end of the last segment is what a killed process leaves: nothing in it was acknowledged. */
async function checkJournal({ files, folder, format, found }: Checking, { name, number }: Numbered, until?: number) {
  const path = join(folder, name);
  const file = await files.open(path, 'read');
  const whole = await found.trying(() => readSegment(file, path, { first: number, until, format }, () => {}));
  if (!whole) await tellBrokenLines(files, path, found);
}

/** Reading ends at the first of them, and people want to know of all. */
async function tellBrokenLines(files: FileSystem, path: string, found: Findings): Promise<void> {
  const file = await files.open(path, 'read');
  await scanLines(file, ({ offset, value }) => {
    if (value === undefined) found.add({ path, offset, why: 'the line is not what was written' });
  });
}

async function checkRecords({ files, folder, found }: Checking, segments: readonly RecordSegment[]) {
  const records = { history: 0, audit: 0 };
  for (const segment of segments) {
    const { readable, damage } = await verifySegment(files, folder, segment).catch((error: unknown) => {
      const path = segmentPath(folder, segment);
      return { readable: 0, damage: [{ path, offset: 0, why: whyUnread(error) }] };
    });
    records[segment.stream] += readable;
    for (const one of damage) found.add(one);
  }
  return records;
}

async function checkBlobs({ files, folder, found }: Checking, view: View): Promise<StoreChecked['blobs']> {
  const shelf = join(folder, 'blobs');
  const present = (await namesIn(files, shelf)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const named = namedBlobs(view);
  for (const name of [...named].sort()) {
    const path = join(shelf, name);
    const digest = await digestOf(files, path).catch((error: unknown) => whyUnread(error));
    if (digest !== name) found.add({ path, offset: 0, why: digest.length === 64 ? bent : digest });
  }
  return { named: named.size, unnamed: present.filter((name) => !named.has(name)).length };
}

const bent = 'the file is not what was written: its SHA-256 is another than its name';

function whyUnread(error: unknown): string {
  return codeOf(error) === 'ENOENT' ? 'the file is missing' : `it cannot be read: ${wordsOf(error)}`;
}
