// What stands where in a store's folder.
import { join, sep } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';
import { codeOf, type FileSystem } from './file-system.ts';
import { StoreUnavailable } from './store.ts';

/** A numbered file. A journal segment's number is its first commit, a snapshot's the last commit that it surely holds. */
export interface Numbered {
  readonly name: string;
  readonly number: number;
}

/** The journal segments and snapshots of a folder, oldest first, and what an interrupted process left half-written. */
export interface FolderListing {
  readonly journals: readonly Numbered[];
  readonly snapshots: readonly Numbered[];
  readonly unfinished: readonly string[];
  /** Whether there is nothing in the folder at all. */
  readonly empty: boolean;
  /** Whether a backup is being restored into it, or was when the process died: then it is no store yet. */
  readonly restoring: boolean;
}

/** The file that stands in a folder while a backup is restored into it. */
export const restoringName = 'restoring';

/** The name of a journal segment. */
export function journalName(first: number): string {
  return `journal-${numbered(first)}.jsonl`;
}

/** The name of a snapshot. */
export function snapshotName(position: number): string {
  return `snapshot-${numbered(position)}.jsonl`;
}

/** Twelve digits, so that names sort as numbers do. */
export function numbered(number: number): string {
  return String(number).padStart(12, '0');
}

/** What a folder holds; nothing where there is no folder. Throws `StoreUnavailable` where it cannot be read. */
export async function listFolder(files: FileSystem, folder: string): Promise<FolderListing | undefined> {
  try {
    const names = await files.list(folder);
    const unfinished = names.filter((name) => /^(?:(?:journal|snapshot)-\d{12}\.jsonl|probe)\.tmp$/.test(name));
    return {
      journals: pick(names, 'journal'),
      snapshots: pick(names, 'snapshot'),
      unfinished,
      empty: names.length === 0,
      restoring: names.includes(restoringName),
    };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(folder, error);
  }
}

/** The same of the folder of a store. Throws `StoreUnavailable` also while a backup is being restored into it. */
export async function listStore(files: FileSystem, folder: string): Promise<FolderListing | undefined> {
  const found = await listFolder(files, folder);
  if (found?.restoring) throw halfRestored(folder);
  return found;
}

/** Whether there is a store in a folder. */
export function hasStore(listing: FolderListing | undefined): listing is FolderListing {
  return listing !== undefined && listing.journals.length + listing.snapshots.length > 0;
}

/** The refusal of a folder that has no store. */
export function noStore(folder: string): StoreUnavailable {
  return new StoreUnavailable(
    'missing',
    `there is no store in ${folder}: name its folder, or make one with "apply" or "serve"`,
  );
}

/** Removes what a process that died (or a disk that was full) left half-written. */
export async function removeUnfinished(files: FileSystem, folder: string, listing: FolderListing): Promise<void> {
  for (const name of listing.unfinished) await files.unlink(join(folder, name));
  const records = join(folder, 'records');
  for (const name of await namesIn(files, records))
    if (/^(history|audit)-\d{12}-\d{12}\.jsonl\.tmp$/.test(name)) await files.unlink(join(records, name));
}

/** The names in a folder; none where there is no such folder. Throws `StoreUnavailable` where it cannot be read. */
export async function namesIn(files: FileSystem, folder: string): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
}

/** The refusal of a folder that is no store yet. */
export function halfRestored(folder: string): StoreUnavailable {
  const advice = 'if it does not, delete what is in the folder and restore again';
  return new StoreUnavailable('damaged', `a restore into ${folder} was interrupted, or still goes on: ${advice}`);
}

/** What the disk said, in words that help. */
export function unreadable(path: string, error: unknown): StoreUnavailable {
  const hints: Readonly<Record<string, string>> = {
    EACCES: 'may not be read or written by this user: give it to the user that runs Weir',
    EPERM: 'may not be read or written by this user: give it to the user that runs Weir',
    ENOTDIR: 'is not a folder: name a folder for the store',
    EROFS: 'is on a read-only file system: name a folder that can be written',
    ENOSPC: 'is on a full disk: make space, then start again; nothing acknowledged is lost',
  };
  const hint = hints[codeOf(error) ?? ''] ?? `cannot be used, because ${reasonOf(error)}`;
  return new StoreUnavailable('unreadable', `${whichOf(path, error)} ${hint}`, { cause: error });
}

/** What cannot be used: the folder, or the file in it that the disk named. */
function whichOf(path: string, error: unknown): string {
  const file = error instanceof Error && 'path' in error ? String(error.path) : path;
  return file.startsWith(join(path, sep)) ? `the file ${file} of the store` : `the store ${path}`;
}

function pick(names: readonly string[], prefix: 'journal' | 'snapshot'): Numbered[] {
  const pattern = new RegExp(`^${prefix}-(\\d{12})\\.jsonl$`);
  return names
    .flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, number: Number(digits) }];
    })
    .sort((a, b) => a.number - b.number);
}

/** Makes the folder of a store where there is none. Throws `StoreUnavailable` where it cannot be made. */
export async function makeStoreFolder(
  files: FileSystem,
  folder: string,
  found: FolderListing | undefined,
): Promise<void> {
  try {
    await files.makeFolder(folder);
    // A folder that others use for something else keeps its mode; our files are private by their own.
    if (found?.empty) await files.restrictFolder(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new StoreUnavailable('unreadable', `the store ${folder} cannot be made there: name another folder`);
    throw unreadable(folder, error);
  }
}
