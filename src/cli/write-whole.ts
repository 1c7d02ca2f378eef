// Writes a file whole or not at all: what was there is never lost, on a full disk either.
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';

/**
 * Nobody ever reads half of it: it is written beside, and then takes the place of what was there, with its permissions. Only where no file can be made
 * or moved there (a file that is mounted by itself, a folder that is not ours) it is written where it is, with a copy of what was there at hand until it
 * is done. Throws where it cannot be written, a file that is read-only included; what was there is whole then, or where it is kept is said.
 */
export function writeWhole(path: string, text: string, mode?: number): void {
  const there = statSync(path, { throwIfNoEntry: false });
  // A pipe or a device cannot be replaced; a folder says itself that it is no file.
  if (there && !there.isFile()) {
    writeFileSync(path, text);
    return;
  }
  // To take the place of a file asks for no right to write it: that somebody took that right away is not to be got round.
  if (there) accessSync(path, constants.W_OK);
  const file = there ? realpathSync(path) : path;
  const beside = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomUUID()}`);
  try {
    writeSynced(beside, text, mode ?? 0o666);
    if (there && mode === undefined) chmodSync(beside, there.mode & 0o777);
    renameSync(beside, file);
  } catch (error) {
    remove(beside);
    if (!there || !isAboutThePlace(error)) throw error;
    writeInPlace(file, text);
  }
}

/** Whether no file can be made or moved there, whatever is in it. Of a full disk, a quota, a limit or a broken disk nothing is to be tried on the only copy. */
function isAboutThePlace(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['EACCES', 'EPERM', 'EROFS', 'EXDEV', 'EBUSY'].includes(code);
}

/** Delayed allocation tells of a full disk at the sync only. */
function writeSynced(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opened before anything else, so that a file that is not ours to write is not touched; written from the beginning, and cut to its length at the end. */
function writeInPlace(path: string, text: string): void {
  const file = openSync(path, 'r+');
  try {
    const before = readFileSync(path);
    const copy = copyOf(path, before);
    try {
      putIn(file, Buffer.from(text));
    } catch (error) {
      throw restored(file, before, copy, error);
    }
    remove(copy);
  } finally {
    closeSync(file);
  }
}

function putIn(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
  ftruncateSync(file, bytes.length);
  fsyncSync(file);
}

/** What was there has its room already, so it mostly goes back; else the copy stays, and is named. */
function restored(file: number, before: Buffer, copy: string, error: unknown): unknown {
  try {
    putIn(file, before);
  } catch {
    return new Error(`${reasonOf(error)}; what was there is kept in ${copy}`, { cause: error });
  }
  remove(copy);
  return error;
}

/** A copy of what a file holds, for its owner alone. Throws where there is no room for one: then nothing is tried. */
function copyOf(path: string, before: Buffer): string {
  const copy = join(tmpdir(), `weir-${basename(path).slice(0, 100)}.${randomUUID()}`);
  try {
    writeFileSync(copy, before, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    remove(copy);
    throw error;
  }
  return copy;
}

/** What cannot be removed, because it could not be made, is no matter. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder is not ours, or read-only.
  }
}
