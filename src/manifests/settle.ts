// When a tree may be acted on: half-written YAML is usually valid YAML, so a file is believed only once it stands still.
import { setTimeout as delay } from 'node:timers/promises';
import { partialOf, refusedFor } from './partial.ts';
import { forget, note, remaining, restlessIn, restlessMs, type Stillness, stillnessFrom, WHOLE } from './stillness.ts';
import { isMissing, type Missing, type Tree } from './tree.ts';

/** A monotonic clock in milliseconds, and a way to let time pass. `wait` ends early, without an error, when the signal aborts. */
export interface Timing {
  now(): number;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => {}),
};

/** What git says of a tree that stands in a work tree. */
export interface Checkout {
  /** A checkout, pull or commit is under way. */
  isUnderWay(): boolean;
  /** Reads the tree; answers the reading where the work tree is a commit, nothing else, and was before and after. */
  commit(
    read: () => Promise<Tree | Missing>,
    accepted: Tree | Missing | undefined,
  ): Promise<Tree | Missing | undefined>;
}

export interface SettleOptions {
  readonly settleMs: number;
  /** Reads the tree, taking from an earlier reading what is still the same. */
  readonly read: (previous: Tree | Missing | undefined) => Promise<Tree | Missing>;
  /** The last settled reading that was not refused for files that never stood still: what a file counts as while it moves. */
  readonly accepted?: Tree | Missing | undefined;
  /** What earlier readings showed of the files. */
  readonly stillness?: Stillness;
  /** Somebody waits for the answer: where nothing can be told in time, it is what was acted on. */
  readonly isAsked?: boolean;
  /** The tree did not stand still last time either: it is waited for only twice `settleMs`. */
  readonly isBusy?: boolean;
  readonly checkout?: Checkout | undefined;
  readonly timing?: Timing;
  readonly signal?: AbortSignal | undefined;
}

/** A reading that may be acted on. */
export interface Settled {
  readonly reading: Tree | Missing;
  /** Files that were not quiet, and those that count as they were because of them. */
  readonly unquiet: readonly string[];
  /** Those that have not been quiet for a minute or more. */
  readonly restless: readonly string[];
  /** The reading carries an error because of them: it is nothing to measure later readings by. */
  readonly isRefused: boolean;
  /** How long it took, in milliseconds. */
  readonly took: number;
}

/**
 * Reads until every file is quiet: two readings, `settleMs` apart or more, show the same bytes, and none touched in between. One that lost its end
 * since the tree was last acted on has to stand still for a second more (or twice `settleMs`).
 *
 * Somebody who edits one file or another all the time must not keep the changes of others out: after two seconds (or four times `settleMs`) the
 * tree is taken as far as it is quiet. Every other file counts as it was when the tree was last acted on, and nothing is deleted for that: what was
 * declared, and stands in no quiet file, counts as it was until nothing moves, or for a minute (or a hundred times `settleMs`). If a file was not quiet
 * in all of that time, the object may have moved into it, and the tree carries an error there.
 *
 * A tree that nothing was acted on of yet is waited for longer: a file of it that moves says nothing about what it was. What is there after five seconds
 * (or ten times `settleMs`) counts if the same files were there all the time, each of them quiet at some time, and no object went.
 */
export async function settle(options: SettleOptions, first?: Tree | Missing): Promise<Settled> {
  const { read, settleMs, accepted, timing = realTiming, signal, checkout } = options;
  const state: State = {
    options,
    timing,
    stillness: options.stillness ?? stillnessFrom(accepted),
    start: timing.now(),
  };
  const look = async (previous: Tree | Missing | undefined) => {
    const began = timing.now();
    const next = await read(previous);
    note(state.stillness, { next, began, ended: timing.now() }, settleMs, accepted);
    return next;
  };
  if (first) note(state.stillness, { next: first, began: state.start, ended: timing.now() }, settleMs, accepted);
  let next = first ?? (await look(accepted));
  let isToAsk = !options.isBusy;
  for (;;) {
    const isUnderWay = checkout?.isUnderWay() === true;
    if (signal?.aborted || (isQuiet(state) && !isUnderWay)) return done(state, next);
    const committed = isToAsk && !isUnderWay ? await checkout?.commit(() => look(next), accepted) : undefined;
    if (committed) return done(state, committed);
    isToAsk = isUnderWay;
    const partial = await partly(state, next, isUnderWay);
    if (partial) return partial;
    await timing.wait(pause(state), signal);
    next = await look(next);
  }
}

interface State {
  readonly options: SettleOptions;
  readonly timing: Timing;
  readonly stillness: Stillness;
  readonly start: number;
  /** Where nothing was acted on yet: the reading that later ones are measured by, and what moved shortly after it. */
  base?: { readonly tree: Tree; readonly moved?: ReadonlySet<string>; readonly at: number };
}

function limitOf({ settleMs, isBusy, accepted }: SettleOptions): number {
  if (!isTree(accepted)) return Math.max(10 * settleMs, 5_000);
  return isBusy ? 2 * settleMs : Math.max(4 * settleMs, 2_000);
}

/** Until the next reading: when all may be quiet, but not after the time that the tree is waited for. */
function pause({ options, timing, stillness, start }: State): number {
  const now = timing.now();
  const { settleMs, accepted } = options;
  const left = start + limitOf(options) - now;
  const longest = Math.max(remaining(stillness, now, settleMs, accepted), Math.min(settleMs, 50));
  return left > 0 ? Math.min(longest, left) : Math.min(longest, settleMs);
}

function isQuiet({ stillness }: State): boolean {
  return stillness.since.size === 0;
}

function done(state: State, reading: Tree | Missing): Settled {
  const { stillness, timing, start } = state;
  forget(stillness);
  return { reading, unquiet: [], restless: [], isRefused: false, took: timing.now() - start };
}

/** What can be told of a tree that does not stand still: nothing as long as it is worth waiting. */
async function partly(state: State, next: Tree | Missing, isUnderWay: boolean): Promise<Settled | undefined> {
  const { options, timing, start } = state;
  const elapsed = timing.now() - start;
  const { accepted, settleMs, isAsked } = options;
  const { stillness } = state;
  // What git has not come to yet stands still, too.
  if (isUnderWay) stillness.since.set(WHOLE, timing.now());
  const restless = restlessIn(stillness, timing.now(), settleMs);
  if (!isTree(accepted)) {
    const isLate = isAsked && accepted && elapsed >= Math.max(4 * settleMs, 2_000);
    return isLate ? settled(state, accepted, [WHOLE], { restless }) : firstly(state, next, elapsed);
  }
  if (elapsed < limitOf(options)) return undefined;
  // It comes and goes.
  if (isMissing(next)) return settled(state, { ...accepted, unsettled: [WHOLE] }, [WHOLE], { restless });
  const now = timing.now();
  let gone: ReadonlySet<string> = new Set();
  const { tree, held } = await partialOf(next, accepted, stillness.since.keys(), (lost) => {
    for (const name of [...stillness.lost.keys()]) if (!lost.includes(name)) stillness.lost.delete(name);
    for (const name of lost) if (!stillness.lost.has(name)) stillness.lost.set(name, now);
    gone = new Set(lost.filter((name) => now - (stillness.lost.get(name) ?? now) >= restlessMs(settleMs)));
    return gone;
  });
  if (gone.size > 0 && restless.length > 0)
    return settled(state, refusedFor(tree, restless, [...gone]), [...held], { restless, isRefused: true });
  return settled(state, tree, [...held], { restless });
}

/** The same where nothing was acted on yet. */
async function firstly(state: State, next: Tree | Missing, elapsed: number): Promise<Settled | undefined> {
  const { options, stillness, timing } = state;
  const now = timing.now();
  if (isMissing(next)) {
    delete state.base;
    return undefined;
  }
  const { base } = state;
  if (!base || !hasSameFiles(base.tree, next)) {
    state.base = { tree: next, at: now };
    if (elapsed < restlessMs(options.settleMs)) return undefined;
    return refused(state, next, [...stillness.since.keys()], comesAndGoes);
  }
  const unquiet = [...stillness.since.keys()];
  const { moved = new Set(unquiet) } = base;
  state.base = { ...base, moved };
  if (now - base.at < limitOf(options)) return undefined;
  const never = [...stillness.moving].filter(([, since]) => since <= base.at).map(([path]) => path);
  if (never.length > 0) return refused(state, next, never);
  if (unquiet.some((path) => moved.has(path))) return undefined;
  const { tree, held } = await partialOf(next, base.tree, unquiet, () => new Set());
  return held.has(WHOLE) ? undefined : settled(state, tree, [...held], { restless: [] });
}

const comesAndGoes =
  'because files have come and gone in this tree for longer than a minute: wait until what writes it has ended, or name it in Platform.spec.exclude';

function refused(state: State, next: Tree, paths: readonly string[], why?: string): Settled {
  return settled(state, refusedFor(next, paths, [], why), paths, { restless: paths, isRefused: true });
}

function hasSameFiles(a: Tree, b: Tree): boolean {
  return a.files.size === b.files.size && [...a.files.keys()].every((path) => b.files.has(path));
}

function settled(
  { timing, start }: State,
  reading: Tree | Missing,
  unquiet: readonly string[],
  { restless, isRefused = false }: { readonly restless: readonly string[]; readonly isRefused?: boolean },
): Settled {
  return { reading, unquiet: [...unquiet].sort(), restless, isRefused, took: timing.now() - start };
}

function isTree(reading: Tree | Missing | undefined): reading is Tree {
  return reading !== undefined && !isMissing(reading);
}
