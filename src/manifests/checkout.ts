// A tree that stands in a git work tree: whether git is at work in it, and whether what was read is a commit, so that there is nothing to settle.
import { hash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createSlicer } from '../lib/slice.ts';
import { commitOf, git } from './git.ts';
import type { Checkout } from './settle.ts';
import { isSameContent } from './stillness.ts';
import { digestOf, type FileEntry, isMissing, type Missing, type Tree } from './tree.ts';

/**
 * What git says of the tree at `root`. Where that stands in no work tree, git is not asked.
 *
 * The files are read as ever, and then held to the commit, rather than taken out of git: so their dates, links and the public files beside them are those of
 * every other reading, a tree that is changed by filters or has files that git ignores is simply settled, and only what changed is compared.
 */
export function checkoutAt(root: string, now: () => number = () => performance.now()): Checkout {
  const folder = resolve(root);
  /** The lock, and since when it has been seen. */
  let held: { readonly id: string; readonly since: number } | undefined;
  const isUnderWay = () => {
    const repository = repositoryOf(realOf(folder));
    const id = repository && idOf(join(repository, 'index.lock'));
    if (id === undefined) held = undefined;
    else if (held?.id !== id) held = { id, since: now() };
    // A git that was killed leaves its lock.
    return held !== undefined && now() - held.since < LEFT_BEHIND_MS;
  };
  const commit: Checkout['commit'] = async (read, accepted) =>
    repositoryOf(realOf(folder)) === undefined ? undefined : commitRead({ folder, isUnderWay, read, accepted });
  return { isUnderWay, commit };
}

const LEFT_BEHIND_MS = 60_000;

interface Asked {
  readonly folder: string;
  readonly isUnderWay: () => boolean;
  readonly read: () => Promise<Tree | Missing>;
  readonly accepted: Tree | Missing | undefined;
}

async function commitRead({ folder, isUnderWay, read, accepted }: Asked): Promise<Tree | Missing | undefined> {
  const before = await commitOf(folder);
  if (!before || before.dirty || isUnderWay()) return undefined;
  const reading = await read();
  if (isMissing(reading)) return undefined;
  const isCommit = await holds(folder, before.commit, changesIn(reading, accepted)).catch(() => false);
  const after = isCommit ? await commitOf(folder) : undefined;
  // Clean at the same commit on both sides: nothing was half-way in between.
  return after && !after.dirty && after.commit === before.commit && !isUnderWay() ? reading : undefined;
}

/** What is another than it was acted on: an entry, or nothing for a file that is gone. */
function changesIn(reading: Tree, accepted: Tree | Missing | undefined): ReadonlyMap<string, FileEntry | undefined> {
  const before =
    accepted && !isMissing(accepted) && accepted.real === reading.real ? accepted.files : new Map<string, FileEntry>();
  const changes = new Map<string, FileEntry | undefined>();
  for (const [path, entry] of reading.files) {
    const was = before.get(path);
    if (!was || !isSameContent(was, entry)) changes.set(path, entry);
  }
  for (const path of before.keys()) if (!reading.files.has(path)) changes.set(path, undefined);
  return changes;
}

/** Whether the commit has each of these files with just these bytes. What git ignores, changes by a filter or leads through a link is none of them. */
async function holds(
  folder: string,
  commit: string,
  changes: ReadonlyMap<string, FileEntry | undefined>,
): Promise<boolean> {
  const blobs = new Map<string, string>();
  for (const line of (await git(folder, ['ls-tree', '-r', '-z', commit])).split('\0')) {
    const [, mode, id = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (mode === '100644' || mode === '100755') blobs.set(path, id);
  }
  const slicer = createSlicer();
  for (const [path, entry] of changes) {
    if (slicer.spent()) await slicer.breathe();
    const id = blobs.get(path);
    // What a document draws in is beside it, and is no entry of its own.
    if (entry ? entry.draws.size > 0 || id === undefined || blobId(entry, id.length) !== id : id !== undefined)
      return false;
  }
  return true;
}

/** The name that git has for the bytes of a file. */
function blobId({ text, digest }: FileEntry, length: number): string {
  const bytes = Buffer.from(digestOf(text) === digest ? text : `\uFEFF${text}`);
  return hash(length === 64 ? 'sha256' : 'sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
}

/** The folder that git keeps a work tree's index in: `.git`, or where a file of that name says. */
function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git');
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory()) return path;
      const [, named] = stat?.isFile() ? (/^gitdir: (.+)/.exec(readFileSync(path, 'utf8')) ?? []) : [];
      if (named !== undefined) return resolve(at, named.trimEnd());
    } catch {
      return undefined;
    }
    if (dirname(at) === at) return undefined;
  }
}

/** Where links lead that git follows, too. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function idOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && `${stat.dev}:${stat.ino}:${stat.ctimeMs}`;
  } catch {
    return undefined;
  }
}
