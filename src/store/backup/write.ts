// Writes a backup: one gzipped tar, whole or not at all, and read back before it has its name.
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { View } from '../../core/model/view.ts';
import { whyUnwritable } from '../../lib/reason-of.ts';
import { tarEnd, tarHeader, tarPadding } from '../../lib/tar.ts';
import type { Damage } from '../damage.ts';
import { codeOf, diskFileSystem, type FileSystem, writeFully } from '../file-system.ts';
import { unreadable } from '../folder.ts';
import { type Format, presentFormat } from '../format.ts';
import { damaged } from '../journal.ts';
import { findKeys, type KeySource, keyMissing, textOfKeys } from '../key-file.ts';
import type { Keyring, SealKey } from '../seal.ts';
import { StoreUnavailable } from '../store.ts';
import { type Capture, capture, Moved } from './capture.ts';
import { backupVersion, entryNames, type Heading, isBentBlob, keyEntry, type Listed } from './contents.ts';
import { BackupFailed } from './failed.ts';
import { readBackup } from './read.ts';
import { checkingRecords } from './records.ts';
import { type Source, textFile } from './source.ts';

/** How a backup is made. */
export interface BackupOptions {
  /** The file to write; it must not exist. */
  readonly out: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  /** The version of Weir. */
  readonly madeBy: string;
  /** What else lies in the folder of the store and belongs to it, given the state; paths begin with `store/`. */
  readonly others?: (view: View) => AsyncIterable<Source>;
  /** Where the keys are that go into it; without this it holds none. */
  readonly withKeys?: KeySource;
  /** Told what is wrong with the file of the keys. */
  readonly log?: (message: string) => void;
  readonly format?: Format;
  /** For tests: the disk below. */
  readonly files?: FileSystem;
}

/** What is in a backup. */
export interface Backup {
  readonly heading: Heading;
  readonly files: readonly Listed[];
  /** How large the file is. */
  readonly bytes: number;
  /** What is wrong with the records in it: it was made of a store that is damaged. */
  readonly damage: readonly Damage[];
}

/**
 * Backs up the store in a folder, which may be in use: all that was acknowledged before, and a prefix of its history. Throws `StoreUnavailable` for
 * the store, `BackupFailed` for the backup, and leaves nothing then.
 */
export async function backUp(folder: string, options: BackupOptions): Promise<Backup> {
  const { files = diskFileSystem, out } = options;
  // Secrets go over as they are encrypted: who makes backups needs no key.
  const format: Format = { ...(options.format ?? presentFormat), leavesSealed: true };
  await refuseToOverwrite(files, out);
  for (let tries = 10; ; tries -= 1) {
    const before = await keysAt(files, folder, options);
    const captured = await capture(files, folder, format);
    try {
      const keys = neededOf(folder, captured, [before, await keysAt(files, folder, { ...options, log: () => {} })]);
      return await write(files, captured, keys, format, options);
    } catch (error) {
      if (!(error instanceof Moved) || tries <= 1) throw error;
    } finally {
      await captured.close();
    }
  }
}

function keysAt(files: FileSystem, folder: string, { withKeys, log = () => {} }: BackupOptions) {
  return withKeys && findKeys(files, resolve(folder), withKeys, log);
}

/** Of the keys before and after the picture was taken (another one may have been made meanwhile), those that open what is in it. */
function neededOf(
  folder: string,
  { keys: ids }: Capture,
  [before, after]: readonly (Keyring | undefined)[],
): readonly SealKey[] {
  if (!before || !after) return [];
  const known = new Map([...after.keys, ...before.keys].map((key) => [key.id, key]));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw keyMissing(folder, missing, after);
  return [...known.values()].filter(({ id }) => ids.includes(id));
}

async function refuseToOverwrite(files: FileSystem, out: string): Promise<void> {
  const found = await files.open(out, 'read').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw notWritten(out, error);
  });
  await found?.close();
  if (found) throw new BackupFailed('not_written', `${out} exists already: name another file, or a folder`);
}

async function write(
  files: FileSystem,
  captured: Capture,
  keys: readonly SealKey[],
  format: Format,
  options: BackupOptions,
): Promise<Backup> {
  const { out, at, madeBy, others } = options;
  const heading: Heading = {
    weir: 'backup',
    version: backupVersion,
    storeVersion: format.version,
    madeBy,
    at,
    position: captured.position,
    keys: captured.keys,
  };
  const listed: Listed[] = [];
  const partial = `${out}.tmp`;
  try {
    const entries = entriesOf(heading, sourcesOf(captured, keys, others), listed);
    const bytes = await writeArchive(files, partial, entries);
    const check = checkingRecords(captured);
    await readBackup(files, partial, format, check.onFile);
    await files.rename(partial, out);
    await files.syncFolder(dirname(out));
    return { heading, files: listed, bytes, damage: check.damage() };
  } catch (error) {
    await files.unlink(partial).catch(() => {});
    const isTold = error instanceof Moved || error instanceof BackupFailed || error instanceof StoreUnavailable;
    throw isTold ? error : notWritten(out, error);
  }
}

async function* sourcesOf(
  { sources, view }: Capture,
  keys: readonly SealKey[],
  others: BackupOptions['others'],
): AsyncGenerator<Source> {
  if (keys.length > 0) yield textFile(keyEntry, textOfKeys(keys));
  yield* sources;
  if (others) yield* others(view);
}

/** The bytes of the archive; `listed` grows as files go by. */
async function* entriesOf(
  heading: Heading,
  sources: AsyncIterable<Source>,
  listed: Listed[],
): AsyncGenerator<Uint8Array> {
  const mtime = Date.parse(heading.at) / 1000;
  yield* noteOf(entryNames.heading, heading, mtime);
  for await (const { path, open } of sources) {
    const opened = await open().catch((error: unknown) => {
      throw unreadable(path, error);
    });
    if (!opened) {
      // A runtime may delete its files; the store's own are gone because it went on.
      if (path.startsWith('store/instances/')) continue;
      throw new Moved(path);
    }
    try {
      yield tarHeader({ path, size: opened.size, mtime });
      const hash = createHash('sha256');
      for await (const piece of reading(path, opened.content)) {
        hash.update(piece);
        yield piece;
      }
      yield tarPadding(opened.size);
      const sha256 = hash.digest('hex');
      if (isBentBlob(path, sha256)) throw damaged(path, 0, 'it is not what was written');
      listed.push({ path, bytes: opened.size, sha256 });
    } finally {
      await opened.close();
    }
  }
  yield* noteOf(entryNames.manifest, { files: listed }, mtime);
  yield tarEnd();
}

/** What cannot be read is told apart from what cannot be written. */
async function* reading(path: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await pieces.next().catch((error: unknown) => {
      throw unreadable(path, error);
    });
    if (done) return;
    yield value;
  }
}

function* noteOf(path: string, value: object, mtime: number): Generator<Uint8Array> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
  yield tarHeader({ path, size: bytes.length, mtime });
  yield bytes;
  yield tarPadding(bytes.length);
}

async function writeArchive(files: FileSystem, path: string, entries: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await files.open(path, 'create');
  let size = 0;
  try {
    await pipeline(Readable.from(entries), createGzip(), async (packed: AsyncIterable<Uint8Array>) => {
      for await (const piece of packed) {
        await writeFully(file, piece, size);
        size += piece.length;
      }
    });
    await file.datasync();
  } finally {
    await file.close();
  }
  return size;
}

function notWritten(out: string, error: unknown): BackupFailed {
  const why = whyUnwritable(out, error);
  return new BackupFailed('not_written', `no backup was made: ${out} cannot be written, because ${why}`, {
    cause: error,
  });
}
