// A cheap look at a tree on the disk: did anything change since it was read? Costs a `stat` a file.
import { createSlicer, type Slicer } from '../lib/slice.ts';
import { isUntouched, obstacleEntry } from './entry.ts';
import { overlayOf, placeOf } from './read.ts';
import { excluder } from './skip.ts';
import { isMissing, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';
import { type Candidate, type Folder, type Obstacle, walk } from './walk.ts';

/**
 * Whether the disk may show something else than a reading of it: a file came, went or was touched, a folder cannot be read any more. Files that
 * were very young when they were read count as touched: reading again (which compares bytes) tells.
 */
export async function scan(reading: Tree | Missing, slicer: Slicer = createSlicer()): Promise<boolean> {
  const place = placeOf(reading.root);
  if (isMissing(reading)) return 'missing' in place ? place.missing !== reading.missing : true;
  if ('missing' in place || place.real !== reading.real) return true;
  let seen = isExcludedManifest(reading) ? 1 : 0;
  for (const folder of foldersOf(reading)) {
    const found = await filesIn(reading, folder, slicer);
    if (found === undefined) return true;
    seen += found;
  }
  return seen !== reading.files.size;
}

/** How many files are in a folder as they were read, or nothing as soon as one is not. */
async function filesIn(reading: Tree, folder: Folder, slicer: Slicer): Promise<number | undefined> {
  let seen = 0;
  for (const found of walk({ root: reading.real, folder, isExcluded: excluder(reading.exclude) })) {
    for (const item of found) {
      if (slicer.spent()) await slicer.breathe();
      if ('message' in item && item.severity === 'warning') continue;
      if (isChanged(reading, item)) return undefined;
      seen += 1;
    }
  }
  return seen;
}

function isChanged({ files, real }: Tree, item: Candidate | Obstacle): boolean {
  const before = files.get(item.path);
  if (before === undefined) return true;
  return 'message' in item ? before.digest !== obstacleEntry(item).digest : !isUntouched(real, before, item);
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
