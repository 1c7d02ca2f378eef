// Which files of a tree stand still: a file is quiet once one reading and another that began `settleMs` later, or more, show the same of it.
// Its times on the disk say nothing here: the clock of a file server is another one, and rsync and tar set times as they like.
import { isSame } from './entry.ts';
import { type FileEntry, isMissing, type Missing, type Tree } from './tree.ts';

/** What is known of a tree's files from all readings so far. */
export interface Stillness {
  last: Tree | Missing | undefined;
  /** Since when each file that is not quiet shows what it shows now; `.` stands for the tree as a whole. */
  readonly since: Map<string, number>;
  /** Since when it has not been quiet. */
  readonly moving: Map<string, number>;
  /** Since when an object that was declared has not been found in any quiet file. */
  readonly lost: Map<string, number>;
}

/** A stillness that begins with the reading that was acted on last. */
export function stillnessFrom(accepted: Tree | Missing | undefined): Stillness {
  return { last: accepted, since: new Map(), moving: new Map(), lost: new Map() };
}

/** When a reading was made: files that changed after it `began` may show either way in it. */
export interface Reading {
  readonly next: Tree | Missing;
  readonly began: number;
  readonly ended: number;
}

/** The tree as a whole: whether there is one, and what is no file of its own. */
export const WHOLE = '.';

/** Takes note of a reading: what moved is not quiet any more, and what stood still for long enough is. */
export function note(
  stillness: Stillness,
  { next, began, ended }: Reading,
  settleMs: number,
  accepted: Tree | Missing | undefined,
): void {
  const { since, moving, last } = stillness;
  const moved = new Set(movedBetween(last, next));
  for (const path of moved) {
    since.set(path, ended);
    if (!moving.has(path)) moving.set(path, began);
  }
  for (const [path, seen] of since) {
    if (moved.has(path) || began - seen < needOf(path, next, settleMs, accepted)) continue;
    since.delete(path);
    moving.delete(path);
  }
  stillness.last = next;
}

/** Takes everything for quiet. */
export function forget({ since, moving, lost }: Stillness): void {
  for (const known of [since, moving, lost]) known.clear();
}

/** How long a file has to be without rest to be told, and how long an object has to be gone from a tree that moves. */
export function restlessMs(settleMs: number): number {
  return Math.max(100 * settleMs, 60_000);
}

/** The files that have not been quiet for that long. */
export function restlessIn({ moving }: Stillness, now: number, settleMs: number): string[] {
  const paths = [...moving].filter(([path, since]) => path !== WHOLE && now - since >= restlessMs(settleMs));
  return paths.map(([path]) => path).sort();
}

/** How long it takes until everything is quiet, if nothing moves any more. */
export function remaining(
  { since, last }: Stillness,
  now: number,
  settleMs: number,
  accepted: Tree | Missing | undefined,
): number {
  let longest = 0;
  for (const [path, seen] of since) longest = Math.max(longest, seen + needOf(path, last, settleMs, accepted) - now);
  return longest;
}

/** How long something has to stand still: longer where it lost its end since the tree was last acted on, because its writer may only pause. */
function needOf(
  path: string,
  next: Tree | Missing | undefined,
  settleMs: number,
  accepted: Tree | Missing | undefined,
): number {
  if (!next || !accepted || isMissing(next) || isMissing(accepted)) return settleMs;
  const [entry, before] = [next.files.get(path), accepted.files.get(path)];
  const isCutShort =
    entry && before && entry.digest !== before.digest && !entry.broken && lostItsEnd(before.text, entry.text);
  return isCutShort ? settleMs + Math.max(2 * settleMs, 1_000) : settleMs;
}

/** The text is the beginning of the earlier one, or no longer has its last lines, or not all of its last line. */
function lostItsEnd(before: string, now: string): boolean {
  const [whole, part] = [before.trimEnd(), now.trimEnd()];
  if (part.length >= whole.length) return false;
  if (whole.startsWith(part)) return true;
  const [lines, left] = [whole.split('\n'), part.split('\n')];
  const [end = '', nowEnd = ''] = [lines.at(-1), left.at(-1)];
  return left.length < lines.length ? end !== nowEnd : end !== nowEnd && end.startsWith(nowEnd);
}

/** The paths that show something else in a later reading. */
function movedBetween(last: Tree | Missing | undefined, next: Tree | Missing): string[] {
  if (isMissing(next)) return last && isMissing(last) && last.missing === next.missing ? [] : [WHOLE];
  if (last === undefined || isMissing(last)) return [WHOLE, ...next.files.keys()];
  const moved: string[] = [];
  for (const [path, entry] of next.files) if (!standsStill(last.files.get(path), entry)) moved.push(path);
  for (const path of last.files.keys()) if (!next.files.has(path)) moved.push(path);
  // Excludes are seen by the digest alone.
  return moved.length === 0 && last.digest !== next.digest ? [WHOLE] : moved;
}

function standsStill(last: FileEntry | undefined, next: FileEntry): boolean {
  if (last === next) return true;
  if (last === undefined || !isSameContent(last, next)) return false;
  return last.stat && next.stat ? isSame(last.stat, next.stat) : last.stat === next.stat;
}

/** Whether two entries of a path say the same, with the public files that they draw in. */
export function isSameContent(a: FileEntry, b: FileEntry): boolean {
  // Where a public file changed, its document was parsed anew.
  return a.digest === b.digest && (a.documents === b.documents || (a.draws.size === 0 && b.draws.size === 0));
}
