// When a tree may be acted on: half-written YAML is usually valid YAML, so only a tree that stands still is believed.
import { setTimeout as delay } from 'node:timers/promises';
import { assemble } from './assemble.ts';
import { findingAt, isSame } from './entry.ts';
import { digestOf, type FileEntry, isMissing, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';

/** A monotonic clock in milliseconds, and a way to let time pass. `wait` ends early, without an error, when the signal aborts. */
export interface Timing {
  now(): number;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => {}),
};

export interface SettleOptions {
  readonly settleMs: number;
  /** Reads the tree, taking from an earlier reading what is still the same. */
  readonly read: (previous: Tree | Missing | undefined) => Promise<Tree | Missing>;
  /** The last settled reading that was not refused for restless files: what a file counts as while it is written without pause. */
  readonly accepted?: Tree | Missing | undefined;
  /** Files known to be written without pause. */
  readonly restless?: ReadonlySet<string>;
  readonly timing?: Timing;
  readonly signal?: AbortSignal;
}

/** A reading that may be acted on, and the files that never stood still for it. */
export interface Settled {
  readonly reading: Tree | Missing;
  readonly restless: ReadonlySet<string>;
  /** The reading carries an error because of them: it is nothing to measure later readings by. */
  readonly isRefused: boolean;
}

/**
 * Reads until two readings in a row, `settleMs` apart, show the same: every file with the same bytes, and none touched in between.
 *
 * Where a file lost its end since the tree was last acted on, the tree is looked at once more, after a second (or twice `settleMs`).
 *
 * A writer that never stops must not keep everybody else's changes out. After ten times `settleMs`, but not before five seconds, a file that
 * has changed between three readings or more counts as *restless*, and the tree is taken as soon as nothing but restless files moves; a restless file
 * counts as it was when the tree was last acted on, so nothing half-written is ever read. That cannot delete: where an object that was declared
 * would be gone, or nothing was acted on yet, the tree carries an error at the file instead. A long checkout, which writes each file once, is not
 * taken for such a writer. A tree in which ever new files move carries an error after a minute (or a hundred times `settleMs`).
 */
export async function settle(options: SettleOptions, first?: Tree | Missing): Promise<Settled> {
  const { read, settleMs, accepted, timing = realTiming, signal } = options;
  const start = timing.now();
  const moves = new Map<string, number>();
  let last = first ?? (await read(accepted));
  let isLookedAtAgain = false;
  for (;;) {
    await timing.wait(isLookedAtAgain ? secondLookMs(settleMs) : settleMs, signal);
    const next = await read(last);
    const moved = movedBetween(last, next);
    const isBelieved = moved.length === 0 && (isLookedAtAgain || !isCutShort(next, accepted));
    if (isBelieved || signal?.aborted) return { reading: next, restless: none, isRefused: false };
    isLookedAtAgain = moved.length === 0;
    if (isLookedAtAgain) continue;
    const settled = unsettled({ next, moved, moves, elapsed: timing.now() - start }, options);
    if (settled) return settled;
    last = next;
  }
}

interface Unsettled {
  readonly next: Tree | Missing;
  readonly moved: readonly string[];
  readonly moves: Map<string, number>;
  readonly elapsed: number;
}

/** What a reading that moved comes to: nothing as long as it is worth waiting. */
function unsettled({ next, moved, moves, elapsed }: Unsettled, options: SettleOptions): Settled | undefined {
  const { settleMs, accepted, restless = none } = options;
  for (const path of moved) moves.set(path, (moves.get(path) ?? 0) + 1);
  if (isMissing(next)) return undefined;
  const unquiet = unquietAfter(elapsed, settleMs, { moved, moves, restless });
  if (unquiet) return withoutRestless(next, accepted, unquiet);
  return elapsed >= Math.max(100 * settleMs, 60_000) ? refusedFor(next, new Set(moved), []) : undefined;
}

const none: ReadonlySet<string> = new Set();

/** How long a tree of which a file lost its end has to stand still once more. */
function secondLookMs(settleMs: number): number {
  return Math.max(2 * settleMs, 1_000);
}

/** Whether a file that can be read lacks the end that it had: a writer that pauses there leaves YAML that is valid, and says something else. */
function isCutShort(next: Tree | Missing, accepted: Tree | Missing | undefined): boolean {
  if (isMissing(next) || accepted === undefined || isMissing(accepted)) return false;
  for (const [path, entry] of next.files) {
    const before = accepted.files.get(path);
    if (before && before !== entry && !entry.broken && lostItsEnd(before.text, entry.text)) return true;
  }
  return false;
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

/** The paths that show something else in a later reading; `.` stands for the tree as a whole. */
function movedBetween(last: Tree | Missing, next: Tree | Missing): string[] {
  if (isMissing(last) || isMissing(next))
    return isMissing(last) && isMissing(next) && last.missing === next.missing ? [] : ['.'];
  const moved: string[] = [];
  for (const [path, entry] of next.files) if (!standsStill(last.files.get(path), entry)) moved.push(path);
  for (const path of last.files.keys()) if (!next.files.has(path)) moved.push(path);
  // Public files and excludes are seen by the digest alone.
  return moved.length === 0 && last.digest !== next.digest ? ['.'] : moved;
}

function standsStill(last: FileEntry | undefined, next: FileEntry): boolean {
  if (last === next) return true;
  if (last === undefined || last.digest !== next.digest) return false;
  return last.stat && next.stat ? isSame(last.stat, next.stat) : last.stat === next.stat;
}

interface Moves {
  readonly moved: readonly string[];
  readonly moves: ReadonlyMap<string, number>;
  readonly restless: ReadonlySet<string>;
}

/** The restless files, once nothing else moves. */
function unquietAfter(
  elapsed: number,
  settleMs: number,
  { moved, moves, restless }: Moves,
): ReadonlySet<string> | undefined {
  const isLate = elapsed >= Math.max(10 * settleMs, 5_000);
  const isRestless = (path: string) => path !== '.' && (restless.has(path) || (isLate && (moves.get(path) ?? 0) >= 3));
  return moved.every(isRestless) ? new Set([...restless, ...moves.keys()].filter(isRestless)) : undefined;
}

function withoutRestless(next: Tree, accepted: Tree | Missing | undefined, restless: ReadonlySet<string>): Settled {
  const before = accepted && !isMissing(accepted) ? accepted : undefined;
  const entries = new Map(next.files);
  for (const path of restless) {
    const known = before?.files.get(path);
    if (known) entries.set(path, known);
    else entries.delete(path);
  }
  const warnings = next.findings.filter(({ severity }) => severity === 'warning');
  const tree = assemble({ ...next, overlay: next.overlay, entries, warnings });
  const lost = before ? lostBetween(before, tree) : [];
  if (before && lost.length === 0) return { reading: tree, restless, isRefused: false };
  return refusedFor(tree, restless, lost);
}

/** What a tree declared and a later one does not: it may have moved into a file that cannot be read just now. */
function lostBetween(before: Tree, after: Tree): string[] {
  const declared = new Set(after.documents.map(nameOf));
  return before.documents.map(nameOf).filter((name) => !declared.has(name));
}

function nameOf({ value }: { readonly value: unknown }): string {
  const { kind, metadata } = Object(value);
  return `${kind}/${Object(metadata).name}`;
}

function refusedFor(tree: Tree, restless: ReadonlySet<string>, lost: readonly string[]): Settled {
  const unknown = lost.length === 0 ? 'read' : `read, nor whether ${lost.slice(0, 3).join(', ')} moved into it be told`;
  const message = `the file cannot be ${unknown}, because it is written without pause: stop what writes it, or name it in Platform.spec.exclude`;
  const files = [...restless].map((path) => (path === '.' ? ROOT_MANIFEST : path)).sort();
  const findings = files.map((path) => findingAt(path, 1, 1, message));
  // The names alone, not what was read: as long as it goes on it is told once.
  const digest = digestOf(['restless', ...(lost.length > 0 ? [tree.digest] : []), ...files.slice(0, 1)].join('\0'));
  return { reading: { ...tree, findings: [...tree.findings, ...findings], digest }, restless, isRefused: true };
}
