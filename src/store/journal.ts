// The journal: segments of one line a transaction, how they are made, and how they are read after whatever happened.
import { join } from 'node:path';
import type { Change } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import type { Heads } from './chain.ts';
import { type FileSystem, type OpenFile, readFully, writeFully } from './file-system.ts';
import { type FolderListing, journalName } from './folder.ts';
import { checkVersion, type Format, sealingKey, upgradeFrom } from './format.ts';
import { keyMissing } from './key-file.ts';
import { encodeLine, type Line, scanLines } from './lines.ts';
import { type Keyring, openRow, type SealedRow, type SealKey } from './seal.ts';
import type { FileSort, Step } from './steps/step.ts';
import { type StoreRecord, StoreUnavailable } from './store.ts';

/** A transaction as its line holds it. `from` is the first commit of the group that it was written with. */
export interface Transacted {
  readonly seq: number;
  readonly from: number;
  readonly id: string;
  readonly at: string;
  readonly ops: readonly Op[];
  readonly records?: readonly StoreRecord[];
  /** The chain of the streams that its records are of, after them; absent before format 3. */
  readonly chain?: Partial<Heads>;
}

/** The records of a transaction in the format of their line, and where it stands. */
export interface Written {
  readonly version: number;
  readonly records: readonly StoreRecord[];
  readonly offset: number;
}

/** A whole resource put, or one deleted: doing it twice is doing it once. */
export type Op = { readonly put: Resource } | { readonly del: readonly [kind: Change['kind'], id: string] };

/** A segment that takes lines. */
export interface Segment {
  readonly path: string;
  readonly file: OpenFile;
  size: number;
}

/** What reading a segment found. */
export interface SegmentEnd {
  /** The number of the transaction that comes next. */
  readonly next: number;
  /** Where the last good line ends; what follows up to `size` was never acknowledged. */
  readonly end: number;
  readonly size: number;
  /** Where the last group begins: all before it is surely durable. */
  readonly lastGroup: number;
  /** Its last good line says that it goes on in another segment. */
  readonly continues: boolean;
  /** The version of the format that it is written in. */
  readonly version: number;
  /** The key that its secrets are encrypted with. */
  readonly key: string | undefined;
}

/** Makes the segment whose first transaction will be `first`, and makes its name durable. */
export async function createSegment(
  files: FileSystem,
  folder: string,
  first: number,
  format: Format,
): Promise<Segment> {
  const path = join(folder, journalName(first));
  const key = sealingKey(format)?.id;
  const header = Buffer.from(encodeLine({ weir: 'journal', version: format.version, first, ...(key && { key }) }));
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    await writeFully(file, header, 0);
    await file.datasync();
    await files.rename(`${path}.tmp`, path);
    await files.syncFolder(folder);
    return { path, file, size: header.length };
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(`${path}.tmp`).catch(() => {});
    throw error;
  }
}

/**
 * Reads a segment whose first transaction has to be `first`. A damaged end is torn, not damaged, as long as nothing good
 * behind it belongs to a later group: a group is written only after the one before it was synced, and acknowledged after that.
 * `until`: the first transaction of the segment that follows, before which it was complete: then nothing but its mark can be torn. Throws
 * `StoreUnavailable`.
 */
export async function readSegment(
  file: OpenFile,
  path: string,
  { first, until, format }: { readonly first: number; readonly until: number | undefined; readonly format: Format },
  onTransaction: (transaction: Transacted, written: Written) => void,
): Promise<SegmentEnd> {
  const at: Followed = { next: first, end: 0, lastGroup: 0, from: 0, mark: undefined };
  let torn: number | undefined;
  let header: Header | undefined;
  const size = await scanLines(file, (line) => {
    if (line.offset === 0) {
      header = readHeader(line, path, 'journal', format);
      at.end = line.end;
      at.lastGroup = line.end;
    } else if (line.value === undefined) torn ??= line.offset;
    else if (torn !== undefined) {
      if (line.value.from > at.next || line.value.seq === at.next) throw damaged(path, torn, 'good lines follow it');
    } else {
      follow(at, line, path);
      if (line.value.ops && header) onTransaction(header.upgrade(line.value, 'journal'), writtenIn(line, header));
    }
  });
  if (!header) throw damaged(path, 0, 'its first line is missing');
  if (torn !== undefined && until !== undefined && at.next !== until)
    throw damaged(path, torn, 'a later segment follows it');
  const { next, end, lastGroup, mark } = at;
  const { version, key } = header;
  return { next, end, size, lastGroup, version, key, continues: mark === 'continues' };
}

/**
 * Makes a segment that was read fit to be written to: a file of its own with its good lines, in the place of that one. So a process that still has that
 * one open writes what nobody reads, and finds out before it acknowledges any of it. Nor is anything believed that a failed sync of the process
 * before left in pages that look clean and are not on the disk. Answers nothing where that process has written since: what it acknowledged stands in
 * the new file, which has to be read again.
 */
export async function replaceSegment(
  files: FileSystem,
  folder: string,
  path: string,
  { end, size }: SegmentEnd,
): Promise<OpenFile | undefined> {
  const before = await files.open(path, 'read');
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    await copy(before, file, 0, end);
    await file.datasync();
    await files.rename(`${path}.tmp`, path);
    await files.syncFolder(folder);
    const more = await before.size();
    if (more <= size) return file;
    await copy(before, file, end, more);
    await file.datasync();
    await file.close();
    return undefined;
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(`${path}.tmp`).catch(() => {});
    throw error;
  } finally {
    await before.close();
  }
}

async function copy(from: OpenFile, to: OpenFile, start: number, end: number): Promise<void> {
  const piece = new Uint8Array(Math.min(1 << 20, end - start));
  for (let at = start; at < end; at += piece.length) {
    const bytes = await readFully(from, piece.subarray(0, Math.min(piece.length, end - at)), at);
    await writeFully(to, bytes, at);
  }
}

/** The same in its place, for a disk that has no room for another one: cuts what is torn, and writes its last group once more. */
export async function repairSegment(file: OpenFile, { lastGroup, end, size }: SegmentEnd): Promise<void> {
  if (size > end) await file.truncate(end);
  const group = await readFully(file, new Uint8Array(end - lastGroup), lastGroup);
  await writeFully(file, group, lastGroup);
  await file.datasync();
}

/**
 * The line that says: all before it was acknowledged. `closed` when a store is closed, so that later damage is not taken for a torn end; `continues` when
 * it goes on in another segment, without which it is not whole.
 */
export function markLine(next: number, mark: 'closed' | 'continues'): string {
  return encodeLine({ from: next, mark });
}

/** The error for a file that is not what was written. */
export function damaged(path: string, offset: number, why: string, cause?: unknown): StoreUnavailable {
  const advice = 'The disk or another program has changed it: restore the folder from a backup';
  return new StoreUnavailable('damaged', `the store is damaged: ${path} at byte ${offset}: ${why}. ${advice}.`, {
    cause,
    damage: { path, offset, why },
  });
}

/** What the first line of a file says, and how its others are read. */
export interface Header {
  readonly version: number;
  /** The key that its secrets are encrypted with; absent where they stand in clear. */
  readonly key: string | undefined;
  readonly upgrade: Step;
}

/** Refuses a file whose first line is not that of its sort, or that a newer version has written. */
export function readHeader({ value }: Line, path: string, sort: FileSort, format: Format): Header {
  if (value?.weir !== sort || !Number.isSafeInteger(value.version) || value.version < 1)
    throw damaged(path, 0, 'its first line is not readable');
  checkVersion(format, value.version, path);
  const upgrade = upgradeFrom(format, value.version, sort);
  if (format.leavesSealed) return { version: value.version, key: value.key, upgrade };
  if (value.key === undefined)
    return { version: value.version, key: undefined, upgrade: (line) => upgrade(inClear(line, path), sort) };
  const keyring = format.keyring ?? noKeys;
  const key = keyring.keys.find(({ id }) => id === value.key);
  if (!key) throw keyMissing(path, String(value.key), keyring);
  return { version: value.version, key: value.key, upgrade: (line) => upgrade(opened(line, key, path), sort) };
}

/** A line of a file that names no key. What is encrypted in it would be taken for the secret itself, and be sent to whoever is asked with it. */
// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
function inClear(line: any, path: string): any {
  if (line.sealed || line.ops?.some(({ sealed }: Partial<SealedRow>) => sealed))
    throw damaged(path, 0, 'a secret in it is encrypted, and it names no key');
  return line;
}

const noKeys: Keyring = { keys: [], looked: 'this call, which was given no key' };

/** A line with its secrets in clear. */
// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
function opened(line: any, key: SealKey, path: string): any {
  try {
    if (line.sealed) openRow(line, key);
    for (const { put, sealed } of line.ops ?? []) if (sealed) openRow({ row: put, sealed } satisfies SealedRow, key);
  } catch (error) {
    throw damaged(path, 0, `a secret in it cannot be decrypted with the key ${key.id}`, error);
  }
  return line;
}

function writtenIn({ value, offset }: Line, { version }: Header): Written {
  return { version, records: value.records ?? [], offset };
}

/** How far a segment was followed. */
interface Followed {
  next: number;
  end: number;
  lastGroup: number;
  from: number;
  /** What its last line says, where that is a mark. */
  mark: string | undefined;
}

function follow(at: Followed, line: Line, path: string): void {
  const { seq, from, mark } = line.value;
  if (mark !== undefined && from !== at.next) throw damaged(path, line.offset, `transaction ${at.next} is missing`);
  if (mark === undefined && seq !== at.next)
    throw damaged(path, line.offset, `transaction ${at.next} is missing: transaction ${seq} stands in its place`);
  if (from !== at.from || mark !== undefined) at.lastGroup = line.offset;
  at.from = from;
  at.mark = mark;
  at.end = line.end;
  if (mark === undefined) at.next = seq + 1;
}

/** Refuses files whose secrets are encrypted already, before a key is made: with another one they would never be read again. */
export async function checkUnsealed(
  files: FileSystem,
  folder: string,
  listing: FolderListing,
  keyring: Keyring,
): Promise<void> {
  for (const [key, path] of await keysOfFiles(files, folder, listing)) throw keyMissing(path, key, keyring);
}

/** The keys that files are encrypted with, as their first lines name them: by id, each with one of its files. */
export async function keysOfFiles(
  files: FileSystem,
  folder: string,
  { journals, snapshots }: FolderListing,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { name } of [...journals, ...snapshots]) {
    const path = join(folder, name);
    const file = await files.open(path, 'read');
    try {
      const head = Buffer.from(await readFully(file, new Uint8Array(512), 0)).toString('latin1');
      const key = /"key":"([0-9a-f]{8})"/.exec(head.split('\n', 1)[0] ?? '')?.[1];
      if (key !== undefined) found.set(key, path);
    } finally {
      await file.close();
    }
  }
  return found;
}
