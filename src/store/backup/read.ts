// Reads a backup from one end to the other, and believes nothing in it: what it is, what may be in it, and that all of it is what was written.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { reasonOf } from '../../lib/reason-of.ts';
import { BadTar, readTar, type TarEntry } from '../../lib/untar.ts';
import { codeOf, type FileSystem, type OpenFile, wordsOf } from '../file-system.ts';
import type { Format } from '../format.ts';
import {
  anyHeading,
  backupVersion,
  entryNames,
  type Heading,
  heading,
  isBentBlob,
  type Listed,
  manifest,
  mostNotes,
  problemOfPath,
} from './contents.ts';
import { BackupFailed, type BackupFailure } from './failed.ts';

/** What a backup was found to hold. */
export interface Contents {
  readonly heading: Heading;
  readonly files: readonly Listed[];
}

/** Takes a file of the backup (`path` begins with `store/`): its content has to be read to its end. What it throws is thrown on. */
export type OnFile = (path: string, content: AsyncIterable<Uint8Array>) => Promise<void>;

/** Reads the backup at a path; what `onFile` was given is right only once this has resolved. Throws `BackupFailed`. */
export async function readBackup(files: FileSystem, path: string, format: Format, onFile: OnFile): Promise<Contents> {
  const file = await files.open(path, 'read').catch((error: unknown) => {
    throw notRead(path, error);
  });
  const seen: { heading?: Heading } = {};
  try {
    return await readEntries(path, file, format, seen, onFile);
  } catch (error) {
    throw explained(path, error, seen.heading !== undefined);
  } finally {
    await file.close();
  }
}

/** What takes files and does nothing with them. */
export const justLook: OnFile = async (_path, content) => {
  for await (const _ of content);
};

async function readEntries(
  path: string,
  file: OpenFile,
  format: Format,
  seen: { heading?: Heading },
  onFile: OnFile,
): Promise<Contents> {
  const found = new Map<string, Listed>();
  let listed: readonly Listed[] | undefined;
  const gunzip = createGunzip();
  const feeding = pipeline(Readable.from(contentOf(path, file)), gunzip).catch(() => {});
  try {
    for await (const entry of readTar(gunzip)) {
      if (!seen.heading) seen.heading = readHeading(path, entry.path, await textOf(path, entry), format);
      else if (listed) throw damaged(path, `${entry.path} stands behind its end`);
      else if (entry.path === entryNames.manifest) listed = readManifest(path, await textOf(path, entry));
      else found.set(entry.path, await takeFile(path, entry, found, onFile));
    }
  } finally {
    gunzip.destroy();
    await feeding;
  }
  if (!seen.heading || !listed) throw damaged(path, 'its end is missing');
  compare(path, found, listed);
  return { heading: seen.heading, files: listed };
}

async function* contentOf(path: string, file: OpenFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = Buffer.alloc(1 << 18);
    const count = await file.read(piece, at).catch((error: unknown) => {
      throw notRead(path, error);
    });
    if (count === 0) return;
    yield piece.subarray(0, count);
    at += count;
  }
}

async function takeFile(
  backup: string,
  { path, content }: TarEntry,
  found: ReadonlyMap<string, Listed>,
  onFile: OnFile,
): Promise<Listed> {
  const problem = problemOfPath(path) ?? (found.has(path) ? 'it is there twice' : undefined);
  if (problem !== undefined)
    throw failed(
      'unsafe',
      backup,
      `holds ${JSON.stringify(path.slice(0, 300))}, which is not unpacked, because ${problem}`,
    );
  const hash = createHash('sha256');
  let bytes = 0;
  await onFile(path, counted());
  return { path, bytes, sha256: hash.digest('hex') };

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
}

function readHeading(path: string, name: string, text: string, format: Format): Heading {
  const value = name === entryNames.heading ? jsonIn(text) : undefined;
  const any = anyHeading.safeParse(value);
  if (!any.success) throw foreign(path);
  if (any.data.version > backupVersion)
    throw newer(
      path,
      `is a backup of version ${any.data.version}, and this version of Weir knows backups up to ${backupVersion}`,
    );
  const parsed = heading.safeParse(value);
  if (!parsed.success) throw damaged(path, 'its first entry is not what was written');
  if (parsed.data.storeVersion > format.version)
    throw newer(
      path,
      `holds a store of format ${parsed.data.storeVersion}, written by Weir ${parsed.data.madeBy}, and this version knows formats up to ${format.version}`,
    );
  return parsed.data;
}

function readManifest(path: string, text: string): readonly Listed[] {
  const parsed = manifest.safeParse(jsonIn(text));
  if (!parsed.success) throw damaged(path, 'its list of files is not what was written');
  return parsed.data.files;
}

function compare(path: string, found: ReadonlyMap<string, Listed>, listed: readonly Listed[]): void {
  for (const wanted of listed) {
    const file = found.get(wanted.path);
    if (!file) throw damaged(path, `${wanted.path} is missing`);
    if (file.bytes !== wanted.bytes || file.sha256 !== wanted.sha256 || isBentBlob(file.path, file.sha256))
      throw damaged(path, `${wanted.path} is not what was written`);
  }
  if (found.size !== listed.length) throw damaged(path, 'it holds files that its list does not name');
}

async function textOf(path: string, { size, content }: TarEntry): Promise<string> {
  if (size > mostNotes) throw damaged(path, 'its list of files is too long');
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What went wrong, in words: what is no archive at all is told apart from an archive that is not what it was. */
function explained(path: string, error: unknown, isBackup: boolean): unknown {
  if (error instanceof BadTar) {
    if (error.reason === 'unsafe')
      return failed('unsafe', path, `holds ${error.message}, which is not unpacked`, error);
    return isBackup ? damaged(path, error.message, error) : foreign(path, error);
  }
  const code = codeOf(error) ?? '';
  if (!code.startsWith('Z_')) return error;
  // A small archive is unpacked at once, so that an error at its end comes before its first entry.
  if (/incorrect header check|unknown compression method/.test(wordsOf(error))) return foreign(path, error);
  return damaged(
    path,
    code === 'Z_BUF_ERROR' ? 'it ends too early' : `it cannot be unpacked (${wordsOf(error)})`,
    error,
  );
}

/** Also of a folder, which can be opened and not read. */
function notRead(path: string, error: unknown): BackupFailed {
  return failed('not_readable', path, `cannot be read, because ${reasonOf(error)}`, error);
}

function foreign(path: string, cause?: unknown): BackupFailed {
  return failed('foreign', path, 'is not a backup that "weir backup" has written, or its beginning is damaged', cause);
}

function newer(path: string, what: string): BackupFailed {
  return failed('newer', path, `${what}: restore it with the version that wrote it, or a later one`);
}

function damaged(path: string, why: string, cause?: unknown): BackupFailed {
  return failed('damaged', path, `is damaged: ${why}. Use another backup; nothing was restored`, cause);
}

function failed(reason: BackupFailure, path: string, what: string, cause?: unknown): BackupFailed {
  return new BackupFailed(reason, `${path} ${what}`, cause === undefined ? {} : { cause });
}
