// Measures what instances use, at even times, and keeps it: nothing of it holds up anything else.
import type { DiskQuota } from '../control/disk-quota.ts';
import { singleton } from '../core/model/view.ts';
import type { Driver, Usage } from '../drivers/driver.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Store } from '../store/store.ts';
import type { Alerts } from './alerts.ts';
import { type History, openHistory, type Span, type Stretch, sampleSeconds } from './history.ts';
import type { Measured } from './limits.ts';

export interface MonitorOptions {
  readonly store: Store;
  /** The drivers that there are, by kind. */
  readonly drivers: ReadonlyMap<string, Driver>;
  /** Where the past is kept. */
  readonly folder: string;
  readonly clock: Clock;
  /** Milliseconds from some time on, which no clock that is set changes. */
  readonly elapsed: () => number;
  /** Told of each measurement. */
  readonly alerts?: Alerts;
  /** Holds instances to the disk that they may take up; told of each measurement, too. */
  readonly quota?: DiskQuota;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** A monitor. */
export interface Monitor {
  /** Measures once: what `start` does again and again. */
  measure(): Promise<void>;
  /** Begins to measure. */
  start(): void;
  /** What an instance used in a span of time, in stretches of so many seconds. */
  past(id: string, span: Span): Promise<{ readonly seconds: number; readonly stretches: readonly Stretch[] }>;
  /** Writes down what is not yet. */
  close(): Promise<void>;
}

/** Makes a monitor. */
export function createMonitor(options: MonitorOptions): Monitor {
  const state: State = {
    options,
    history: openHistory(options.folder),
    before: new Map(),
    ticks: 0,
    failing: false,
    timer: undefined,
    closed: false,
    work: Promise.resolve(),
  };
  let unsubscribe = () => {};
  return {
    measure: () => measure(state),
    start: () => {
      unsubscribe = forgetDeleted(state);
      state.work = sweep(state);
      options.alerts?.start();
      again(state);
    },
    past: (id, span) => state.history.read(id, span),
    close: async () => {
      state.closed = true;
      clearTimeout(state.timer);
      unsubscribe();
      await state.work;
      await Promise.all([flush(state, state.history.waiting()), options.alerts?.close()]);
    },
  };
}

interface State {
  readonly options: MonitorOptions;
  readonly history: History;
  /** What each instance had used when it was last measured, and when that was. */
  before: ReadonlyMap<string, Usage & { readonly elapsed: number }>;
  ticks: number;
  /** Whether what was measured could last not be written. */
  failing: boolean;
  timer: NodeJS.Timeout | undefined;
  closed: boolean;
  work: Promise<void>;
}

/** At even times, so that each sample has a place of its own. One that takes longer than the time between two leaves out the next. */
function again(state: State): void {
  const { clock } = state.options;
  const stepMs = sampleSeconds * 1000;
  // A little later, because a timer may be a little early.
  const waitMs = stepMs - (Date.parse(clock()) % stepMs) + 20;
  state.timer = setTimeout(() => {
    state.work = state.work.then(() => measure(state)).finally(() => state.closed || again(state));
  }, waitMs).unref();
}

async function measure(state: State): Promise<void> {
  const { history, options } = state;
  try {
    const at = Math.floor(Date.parse(options.clock()) / 1000);
    const samples = await samplesAt(state, at);
    for (const [id, sample] of samples) history.add(id, sample);
    await options.alerts?.look(samples);
    // After the alerts: what is stopped is told of as long as it counts as running.
    await options.quota?.look(samples);
  } catch (error) {
    options.log('warn', `what instances use cannot be measured: ${messageOf(error)}`);
  }
  state.ticks += 1;
  const turn = state.ticks % ticksAFlush;
  await flush(
    state,
    history.waiting().filter((id) => turnOf(id) === turn),
  );
}

/** How many times is measured before what was is written: after a kill as many samples are missing at most. */
const ticksAFlush = 4;

/** The instances take turns, so that not all are written at once. */
function turnOf(id: string): number {
  let sum = 0;
  for (let at = 0; at < id.length; at++) sum += id.charCodeAt(at);
  return sum % ticksAFlush;
}

async function samplesAt(state: State, at: number): Promise<ReadonlyMap<string, Measured>> {
  const { store, drivers, elapsed } = state.options;
  const { kind } = singleton(store.read(), 'Platform').spec.driver;
  const usages = (await drivers.get(kind)?.meter?.read()) ?? new Map<string, Usage>();
  const now = elapsed();
  const { before } = state;
  state.before = new Map([...usages].map(([id, usage]) => [id, { ...usage, elapsed: now }]));
  return new Map([...usages].map(([id, usage]) => [id, sampleOf(at, usage, now, before.get(id))]));
}

/** The processor's share since the last look at the same run. */
function sampleOf(at: number, usage: Usage, now: number, before: (Usage & { elapsed: number }) | undefined): Measured {
  const { cpuSeconds, run } = usage;
  const { memoryBytes, heapBytes, diskBytes } = usage;
  const measured = { at, memoryBytes, heapBytes, run, ...(diskBytes === undefined ? {} : { diskBytes }) };
  const seconds = before?.run === run ? (now - before.elapsed) / 1000 : 0;
  if (!before || seconds < 1) return measured;
  return { ...measured, cpuPercent: (Math.max(0, cpuSeconds - before.cpuSeconds) / seconds) * 100 };
}

/** How many files are written at a time. */
const atOnce = 4;

/** What cannot be written is said once, until it can be again. */
async function flush(state: State, ids: readonly string[]): Promise<void> {
  const { history, options } = state;
  let problem: unknown;
  const write = async (id: string) => {
    // An instance that was deleted meanwhile gets no file any more.
    if (options.store.read().get('Instance', id)) return history.flush(id);
    return history.forget(id);
  };
  for (let at = 0; at < ids.length; at += atOnce)
    for (const outcome of await Promise.allSettled(ids.slice(at, at + atOnce).map(write)))
      if (outcome.status === 'rejected') problem = outcome.reason;
  if (ids.length === 0) return;
  if (problem !== undefined && !state.failing)
    options.log('warn', `what instances use cannot be kept: ${messageOf(problem)}`);
  state.failing = problem !== undefined;
}

function forgetDeleted(state: State): () => void {
  return state.options.store.subscribe((entry) => {
    if (entry === 'reset') return;
    for (const { kind, id, after } of entry.changes) if (kind === 'Instance' && !after) forget(state, id);
  });
}

/** What cannot be deleted now is at the next start. */
function forget(state: State, id: string): void {
  const gone = state.history.forget(id).catch(() => {});
  state.work = Promise.all([state.work, gone]).then(() => {});
}

/** Deletes what was left of instances that went while nobody looked. */
async function sweep({ options: { store, log }, history }: State): Promise<void> {
  const isThere = (id: string) => store.read().get('Instance', id) !== undefined;
  await history.keepOnly(isThere).catch((error: unknown) => {
    log('warn', `what is left of instances that are gone cannot be deleted: ${messageOf(error)}`);
  });
}
