// A cheap look at a tree on the disk: did anything change since it was read? Costs a `stat` a file.
import { readdirSync, statSync } from 'node:fs';
import { createSlicer, type Slicer } from '../lib/slice.ts';
import { isSame, isUntouched, obstacleEntry } from './entry.ts';
import { overlayOf, placeOf } from './read.ts';
import { excluder } from './skip.ts';
import { isMissing, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';
import { type Candidate, type Folder, type Listing, type Obstacle, walk } from './walk.ts';

/**
 * Whether the disk may show something else than a reading of it: a file came, went or was touched, a folder cannot be read any more. Files that
 * were very young when they were read count as touched: reading again (which compares bytes) tells.
 */
export async function scan(reading: Tree | Missing, slicer: Slicer = createSlicer()): Promise<boolean> {
  const place = placeOf(reading.root);
  if (isMissing(reading)) return 'missing' in place ? place.missing !== reading.missing : true;
  if ('missing' in place || place.real !== reading.real) return true;
  if (reading.listings && (await areListed(reading.listings, slicer)))
    return filesChanged(reading, reading.listings, slicer);
  let seen = isExcludedManifest(reading) ? 1 : 0;
  for (const folder of foldersOf(reading)) {
    const found = await filesIn(reading, folder, slicer);
    if (found === undefined) return true;
    seen += found;
  }
  return seen !== reading.files.size;
}

/** Whether every folder holds the same names as when it was read, and was not touched: then only the files remain to be looked at. */
async function areListed(listings: readonly Listing[], slicer: Slicer): Promise<boolean> {
  for (const { real, stat, names } of listings) {
    if (slicer.spent()) await slicer.breathe();
    try {
      if (stat === undefined || !isSame(statSync(real), stat)) return false;
      const now = readdirSync(real);
      if (now.length !== names.length || !now.every((name, index) => name === names[index])) return false;
    } catch {
      return false;
    }
  }
  return true;
}

/** By the paths of that reading, which costs half of making them anew. */
async function filesChanged(reading: Tree, listings: readonly Listing[], slicer: Slicer): Promise<boolean> {
  for (const { found } of listings) if ((await countSame(reading, found, slicer)) === undefined) return true;
  return (
    isExcludedManifest(reading) && isChanged(reading, { path: ROOT_MANIFEST, real: `${reading.real}/${ROOT_MANIFEST}` })
  );
}

/** How many files below a folder are as they were read, or nothing as soon as one is not. */
async function filesIn(reading: Tree, folder: Folder, slicer: Slicer): Promise<number | undefined> {
  let seen = 0;
  const isExcluded = excluder(folder.path === '' ? reading.exclude : reading.overlayExclude);
  for (const { found } of walk({ root: reading.real, folder, isExcluded })) {
    const same = await countSame(reading, found, slicer);
    if (same === undefined) return undefined;
    seen += same;
  }
  return seen;
}

async function countSame(
  reading: Tree,
  found: readonly (Candidate | Obstacle)[],
  slicer: Slicer,
): Promise<number | undefined> {
  let seen = 0;
  for (const item of found) {
    // To ask the clock costs a good part of what a look at a file costs.
    if (seen % 16 === 0 && slicer.spent()) await slicer.breathe();
    if (item.message !== undefined && item.severity === 'warning') continue;
    if (isChanged(reading, item)) return undefined;
    seen += 1;
  }
  return seen;
}

function isChanged({ files, real }: Tree, item: Candidate | Obstacle): boolean {
  const before = files.get(item.path);
  if (before === undefined) return true;
  return item.message !== undefined ? before.digest !== obstacleEntry(item).digest : !isUntouched(real, before, item);
}

function foldersOf({ root, real, overlay }: Tree): Folder[] {
  const tree = { path: '', real };
  const more = overlayOf(root, real, overlay);
  return more && !('missing' in more) ? [tree, more] : [tree];
}

/** The root manifest is read even where an exclude names it; then the walk does not see it. */
function isExcludedManifest({ exclude }: Tree): boolean {
  return excluder(exclude)(ROOT_MANIFEST, ROOT_MANIFEST);
}
