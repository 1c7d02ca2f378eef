// Writes the files of a command into a folder, and never over somebody's work.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../lib/make-folders.ts';
import { isInside } from '../manifests/paths.ts';
import { UsageError } from '../options.ts';
import { notWritten } from './unwritten.ts';
import { writeWhole } from './write-whole.ts';

/** A file to write; `path` is relative to the folder. */
export interface NewFile {
  readonly path: string;
  readonly content: string;
}

/** Writes files that are not there yet; equal ones are left alone. Throws `UsageError` before it writes anything where one would be lost. */
export async function writeNewFiles(folder: string, files: readonly NewFile[], who: string): Promise<void> {
  const linked = files.find(({ path }) => leadsOut(folder, path));
  if (linked)
    throw new UsageError(
      `${who} cannot write to ${folder}, because ${linked.path} would be written through a link that leads out of it: remove the link, or name an empty folder`,
    );
  const others = files
    .filter(({ path, content }) => (contentOf(join(folder, path)) ?? content) !== content)
    .map(({ path }) => path);
  if (others.length > 0)
    throw new UsageError(
      `${who} cannot write to ${folder}, because it would overwrite ${others.slice(0, 3).join(', ')}${others.length > 3 ? ` and ${others.length - 3} more` : ''}: name an empty folder`,
    );
  await writeFiles(folder, files);
}

/** Writes files, whatever stands there. Throws `Unavailable`. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  for (const { path, content } of files) {
    const file = join(folder, path);
    try {
      await makeFolders(dirname(file));
      writeWhole(file, content);
    } catch (error) {
      throw notWritten(file, error);
    }
  }
}

/** Whether a link in a folder leads what is written below it elsewhere; the folder may be a link itself. */
function leadsOut(folder: string, path: string): boolean {
  if (!isThere(folder)) return false;
  const root = realOf(folder);
  if (root === undefined) return false;
  for (let at = path; at !== '.'; at = dirname(at)) {
    const file = join(root, at);
    // A link that leads nowhere yet would make a file there.
    if (isThere(file)) return !isInside(root, realOf(file) ?? '');
  }
  return false;
}

/** Whatever else is wrong with it, writing will tell. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw notWritten(file, error);
  }
}
