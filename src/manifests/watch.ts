// Follows a tree on the disk and tells of each settled, real change: hints say when to look, reading says what is.
import { reasonOf } from '../lib/reason-of.ts';
import { type Arm, armHints, type Hint, placeId } from './hint.ts';
import { scan } from './scan.ts';
import { realTiming, type Settled, settle, type Timing } from './settle.ts';
import { type Missing, revisionOf, type Tree } from './tree.ts';

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
    restless: new Set(),
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
  /** The last reading to measure restless files by. */
  accepted: Tree | Missing | undefined;
  restless: ReadonlySet<string>;
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

/** While something is written without pause every hint is about that: look this often instead. */
const RESTLESS_MS = 1_000;

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

/** Waits for a hint, or until the next poll. While something is written without pause, every hint is about that, and wakes nobody. */
async function nextTrigger(state: State): Promise<WatchTrigger> {
  const isRestless = state.restless.size > 0;
  if (state.waiters.length === 0 && (isRestless || !state.isDue)) {
    state.sleep = new AbortController();
    // Between the look at the signal and the sleep nothing can happen: there is no await.
    if (state.stop.signal.aborted) state.sleep.abort();
    await state.timing.wait(isRestless ? RESTLESS_MS : state.settings.pollSeconds * 1_000, state.sleep.signal);
  }
  const trigger = state.isDue || isRestless ? 'watch' : 'poll';
  state.isDue = false;
  return trigger;
}

function wake(state: State): void {
  state.isDue = true;
  if (state.restless.size === 0) state.sleep.abort();
}

async function look(state: State, trigger: WatchTrigger): Promise<Tree | Missing> {
  const { options, current, accepted, timing, restless } = state;
  if (trigger === 'poll' && current && !(await scan(current))) return current;
  const first = await options.read(current);
  if (current && revisionOf(first) === revisionOf(current)) {
    state.restless = new Set();
    state.current = first;
    return first;
  }
  const { signal } = state.stop;
  const settled = await settle(
    { settleMs: state.settings.settleMs, read: options.read, accepted, restless, timing, signal },
    first,
  );
  return signal.aborted ? settled.reading : take(state, settled, trigger);
}

async function take(
  state: State,
  { reading, restless, isRefused }: Settled,
  trigger: WatchTrigger,
): Promise<Tree | Missing> {
  const { current, options } = state;
  state.restless = restless;
  state.current = reading;
  if (!isRefused) state.accepted = reading;
  if (current && revisionOf(reading) === revisionOf(current)) return reading;
  // Hints that missed this change may miss the next: what they watch is not what is there any more.
  if (trigger === 'poll') state.place = undefined;
  await options.onChange(reading, trigger);
  return reading;
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
