// Follows a tree on the disk and tells of each settled, real change: hints say when to look, reading says what is.
import { reasonOf } from '../lib/reason-of.ts';
import { type Arm, armHints, type Hint, placeId } from './hint.ts';
import { scan } from './scan.ts';
import { type Checkout, realTiming, type Settled, settle, type Timing } from './settle.ts';
import { forget, note, restlessIn, type Stillness, stillnessFrom } from './stillness.ts';
import { isMissing, type Missing, revisionOf, type Tree } from './tree.ts';

/** How long a tree must stand still (at least 50 ms), and how often it is looked at without a hint (at least every second). */
export interface WatchSettings {
  readonly settleMs: number;
  readonly pollSeconds: number;
}

/** What made the watch look: a hint (or somebody who asked), or the poll. */
export type WatchTrigger = 'watch' | 'poll';

export interface WatchOptions extends WatchSettings {
  /** Reads the tree, taking from an earlier reading what is still the same. */
  readonly read: (previous: Tree | Missing | undefined) => Promise<Tree | Missing>;
  /** The reading that was acted on already; without one the first settled reading is told of. */
  readonly previous?: Tree | Missing | undefined;
  /** Told once of every settled reading whose revision is another; the next waits until it has ended. */
  readonly onChange: (reading: Tree | Missing, trigger: WatchTrigger) => Promise<void> | void;
  /**
   * Whether a reading of which some files count as they were has to wait until they stand still, because it would be refused as it is. Asked for 30 s
   * (or 50 × `settleMs`) at most; then it is told as it is.
   */
  readonly isToWait?: (reading: Tree) => Promise<boolean>;
  /** Told after each look at a tree that was waited for: what did not stand still. */
  readonly onSettled?: (settled: Pick<Settled, 'unquiet' | 'restless' | 'took'>) => void;
  /** What git says of the tree. */
  readonly checkout?: Checkout;
  /** One line for the operator. */
  readonly log: (message: string) => void;
  readonly arm?: Arm;
  readonly timing?: Timing;
}

export interface Watch {
  /** Looks at the tree now; answers its settled reading, after `onChange` where that is another. */
  poke(): Promise<Tree | Missing>;
  /** Settings that changed count from the next look on. */
  update(settings: WatchSettings): void;
  /** Ends, after a look or an `onChange` that is under way. */
  close(): Promise<void>;
}

/** Follows the tree at `root`, whether it is there or not, until it is closed. Never throws for what happens on the disk. */
export function watch(root: string, options: WatchOptions): Watch {
  const state: State = {
    root,
    options,
    timing: options.timing ?? realTiming,
    settings: bounded(options),
    current: options.previous,
    accepted: options.previous,
    stillness: stillnessFrom(options.previous),
    isBusy: false,
    waitsSince: undefined,
    isDue: true,
    waiters: [],
    stop: new AbortController(),
    sleep: new AbortController(),
    hint: undefined,
    place: undefined,
    hasHints: true,
  };
  const running = run(state);
  return {
    poke: () =>
      new Promise((done, fail) => {
        if (state.stop.signal.aborted) return fail(new Error('the watch has ended'));
        state.waiters.push({ done, fail });
        state.isDue = true;
        state.sleep.abort();
      }),
    update(settings) {
      const before = state.settings;
      state.settings = bounded(settings);
      // A sleep under the old interval could be a long one.
      if (before.pollSeconds !== state.settings.pollSeconds) state.sleep.abort();
    },
    async close() {
      state.stop.abort();
      state.sleep.abort();
      await running;
    },
  };
}

interface State {
  readonly root: string;
  readonly options: WatchOptions;
  readonly timing: Timing;
  settings: WatchSettings;
  current: Tree | Missing | undefined;
  /** The last reading to measure files that move by. */
  accepted: Tree | Missing | undefined;
  readonly stillness: Stillness;
  /** Some files did not stand still. */
  isBusy: boolean;
  /** Since when what was read would be refused for them. */
  waitsSince: number | undefined;
  /** Something hinted that it is worth looking. */
  isDue: boolean;
  waiters: { readonly done: (reading: Tree | Missing) => void; readonly fail: (error: Error) => void }[];
  readonly stop: AbortController;
  sleep: AbortController;
  hint: Hint | undefined;
  /** What the hints were armed for. */
  place: string | undefined;
  hasHints: boolean;
}

/** While somebody writes all the time every hint is about that: look this often instead. */
const BUSY_MS = 1_000;

function bounded({ settleMs, pollSeconds }: WatchSettings): WatchSettings {
  return { settleMs: Math.max(50, settleMs), pollSeconds: Math.max(1, pollSeconds) };
}

async function run(state: State): Promise<void> {
  const { signal } = state.stop;
  while (!signal.aborted) {
    const trigger = await nextTrigger(state);
    if (!signal.aborted) await turn(state, trigger);
  }
  for (const { fail } of state.waiters) fail(new Error('the watch has ended'));
  await state.hint?.close();
}

async function turn(state: State, trigger: WatchTrigger): Promise<void> {
  const waiters = state.waiters.splice(0);
  try {
    await rearm(state);
    const reading = await look(state, waiters.length > 0 ? 'watch' : trigger);
    for (const { done } of waiters) done(reading);
  } catch (error) {
    const reason = error instanceof Error ? error : new Error(String(error));
    state.options.log(`the tree could not be followed this time: ${reasonOf(reason)}`);
    for (const { fail } of waiters) fail(reason);
  }
}

/** Waits for a hint, or until the next poll. While somebody writes all the time, every hint is about that, and wakes nobody. */
async function nextTrigger(state: State): Promise<WatchTrigger> {
  const { isBusy } = state;
  if (state.waiters.length === 0 && (isBusy || !state.isDue)) {
    state.sleep = new AbortController();
    // Between the look at the signal and the sleep nothing can happen: there is no await.
    if (state.stop.signal.aborted) state.sleep.abort();
    await state.timing.wait(isBusy ? BUSY_MS : state.settings.pollSeconds * 1_000, state.sleep.signal);
  }
  const trigger = state.isDue || isBusy ? 'watch' : 'poll';
  state.isDue = false;
  return trigger;
}

function wake(state: State): void {
  state.isDue = true;
  if (!state.isBusy) state.sleep.abort();
}

async function look(state: State, trigger: WatchTrigger): Promise<Tree | Missing> {
  const { options, current, accepted, timing, stillness, isBusy } = state;
  const { settleMs } = state.settings;
  if (trigger === 'poll' && current && !(await scan(current))) return current;
  const began = timing.now();
  const first = await options.read(stillness.last);
  if (current && revisionOf(first) === revisionOf(current)) {
    note(stillness, { next: first, began, ended: timing.now() }, settleMs, accepted);
    // What only moved, and says what it said, is worth another look only where something else is waited for.
    if (!isBusy) forget(stillness);
    state.current = first;
    tellSettled(state, {
      unquiet: [...stillness.since.keys()],
      restless: restlessIn(stillness, timing.now(), settleMs),
      took: 0,
    });
    return first;
  }
  const { signal } = state.stop;
  const { read } = options;
  const { checkout } = options;
  const settled = await settle({ settleMs, read, accepted, stillness, isBusy, checkout, timing, signal }, first);
  return signal.aborted ? settled.reading : take(state, settled, trigger);
}

async function take(state: State, settled: Settled, trigger: WatchTrigger): Promise<Tree | Missing> {
  const { reading, isRefused } = settled;
  const { current, options } = state;
  tellSettled(state, settled);
  const isAnother = !current || revisionOf(reading) !== revisionOf(current);
  if (isAnother && !isRefused && (await hasToWait(state, reading))) return current ?? reading;
  state.waitsSince = undefined;
  state.current = reading;
  if (!isRefused) state.accepted = reading;
  if (!isAnother) return reading;
  // Hints that missed this change may miss the next: what they watch is not what is there any more.
  if (trigger === 'poll') state.place = undefined;
  await options.onChange(reading, trigger);
  return reading;
}

function tellSettled(state: State, settled: Pick<Settled, 'unquiet' | 'restless' | 'took'>): void {
  const wasBusy = state.isBusy;
  state.isBusy = settled.unquiet.length > 0;
  if (state.isBusy || wasBusy || settled.took > 0) state.options.onSettled?.(settled);
}

async function hasToWait(state: State, reading: Tree | Missing): Promise<boolean> {
  const { options, timing, settings } = state;
  if (isMissing(reading) || reading.unsettled === undefined || !options.isToWait) return false;
  const since = state.waitsSince ?? timing.now();
  if (timing.now() - since >= Math.max(50 * settings.settleMs, 30_000) || !(await options.isToWait(reading)))
    return false;
  state.waitsSince = since;
  return true;
}

/** Arms the hints again where the tree's folder, or a link on the way to it, is another than they were armed for. */
async function rearm(state: State): Promise<void> {
  const { root, options } = state;
  const place = placeId(root);
  if (!state.hasHints || place === state.place) return;
  await state.hint?.close();
  state.place = place;
  state.hint = (options.arm ?? armHints)(root, {
    onEvent: () => wake(state),
    onTrouble: (error) => giveUpHints(state, error),
  });
  // It may have given up while it was made.
  if (!state.hasHints) await state.hint.close();
}

function giveUpHints(state: State, error: Error): void {
  if (!state.hasHints) return;
  state.hasHints = false;
  const { pollSeconds } = state.settings;
  state.options.log(
    `changes of the tree are not hinted at by the system any more (${error.message}): it is looked at every ${pollSeconds} seconds instead; raise fs.inotify.max_user_watches or the limit of open files to mend this`,
  );
  void state.hint?.close();
  state.hint = undefined;
}
