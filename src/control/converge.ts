// The converging loop: carries out with the driver what is wanted of instances, and writes down what became of them.
import { unsettledStates, type Work, workOf } from '../core/instances/states.ts';
import { stateKey } from '../core/kinds/instance.ts';
import type { Resource } from '../core/model/resource.ts';
import type { Notice, Reason } from '../drivers/driver.ts';
import { messageOf } from '../lib/message-of.ts';
import { createBackOff, type Pauses } from './back-off.ts';
import { carryOut, noDriver, type Outcome, runnerIn } from './carry-out.ts';
import { note, observed, type Plant } from './instance-keeping.ts';

export interface ConvergeOptions extends Plant {
  readonly pauses?: Pauses;
  /** After how many milliseconds a piece of work counts as slow. */
  readonly slowMs?: number;
}

/** A loop that runs. */
export interface Converging {
  /** Resolves when nothing is under way or waits for its turn; what is tried again later is not waited for. */
  settled(): Promise<void>;
  /** Gives up what is under way, so that it is taken up at the next start, and leaves what runs running. */
  close(): Promise<void>;
}

/**
 * How many instances are brought up at a time, but for those that take longer than usual: what hangs, or waits for a registry, holds up nobody else.
 * What ends something waits for none of them.
 */
const mostAtOnce = 32;
const slowMs = 10_000;

/**
 * Starts the loop. It is level-triggered: it looks at each instance as it is, so that it does not matter which changes it saw. What was under way
 * when Weir last ended is taken up again; what should run and does not is started.
 */
export function startConverge(options: ConvergeOptions): Converging {
  const loop: Loop = {
    options,
    waiting: new Set(),
    active: new Map(),
    places: new Set(),
    ended: new Map(),
    strays: new Set(),
    backOff: createBackOff((id) => enqueue(loop, id), options.pauses),
    stop: new AbortController(),
    scans: Promise.resolve(),
  };
  const ends: (() => void)[] = [];
  options.door.store.lead('converge', (stop) => {
    if (loop.stop.signal.aborted) return;
    stop.addEventListener('abort', () => loop.stop.abort(), { once: true });
    ends.push(follow(loop), ...listen(loop), ...heed(loop));
    loop.scans = scan(loop);
  });
  return {
    settled: () => settled(loop),
    close: async () => {
      loop.stop.abort();
      for (const end of ends) end();
      loop.backOff.close();
      loop.waiting.clear();
      await loop.scans;
      await allDone(loop);
    },
  };
}

interface Loop {
  readonly options: ConvergeOptions;
  /** The ids of instances to look at. */
  readonly waiting: Set<string>;
  /** Those that are being worked on: one piece of work an instance at a time. */
  readonly active: Map<string, Active>;
  /** Those of them that others wait for. */
  readonly places: Set<string>;
  /** Why instances ended that nobody stopped, until that is written down. */
  readonly ended: Map<string, Reason>;
  /** What runs and should not, until it is stopped. */
  readonly strays: Set<string>;
  readonly backOff: ReturnType<typeof createBackOff>;
  readonly stop: AbortController;
  scans: Promise<void>;
}

/** A piece of work that is under way; `giveUp` ends what may take long, because something else is wanted now. */
interface Active {
  readonly done: Promise<void>;
  readonly giveUp: AbortController;
  work?: Work;
}

async function settled(loop: Loop): Promise<void> {
  await loop.scans;
  while (loop.active.size > 0 || loop.waiting.size > 0) await allDone(loop);
}

async function allDone({ active }: Loop): Promise<void> {
  await Promise.all([...active.values()].map(({ done }) => done));
}

/** Looks at whatever changes. */
function follow(loop: Loop): () => void {
  return loop.options.door.store.subscribe((entry) => {
    if (entry === 'reset') loop.scans = loop.scans.then(() => scan(loop));
    else for (const { kind, id } of entry.changes) if (kind === 'Instance') changed(loop, id);
  });
}

/** Nobody waits for a start that takes long when something else is wanted by now. */
function changed(loop: Loop, id: string): void {
  const active = loop.active.get(id);
  const instance = loop.options.door.store.read().get('Instance', id);
  if (active?.work && active.work !== (instance && workOf(instance.spec))) active.giveUp.abort();
  enqueue(loop, id);
}

/** Hears of what ended by itself. */
function listen(loop: Loop): (() => void)[] {
  return [...loop.options.drivers.values()].flatMap(
    ({ runner }) =>
      runner?.onEnd((id, why) => {
        loop.ended.set(id, why);
        enqueue(loop, id);
      }) ?? [],
  );
}

/** Hears of what is wrong with what runs on. */
function heed(loop: Loop): (() => void)[] {
  const { drivers, log } = loop.options;
  const noted = (id: string, notice: Notice) =>
    void note(loop.options, id, notice).catch((error) =>
      log('error', `what is wrong with the instance ${id} cannot be kept: ${messageOf(error)}`),
    );
  return [...drivers.values()].flatMap(({ runner }) => runner?.onNotice?.(noted) ?? []);
}

/** Looks at everything once: what is unsettled, what should run and does not, and what runs and should not. */
async function scan(loop: Loop): Promise<void> {
  const { door, log } = loop.options;
  try {
    const runner = runnerIn(loop.options, door.store.read());
    const runs = (await runner?.running()) ?? new Set<string>();
    if (runs.size > 0) log('info', `${runs.size} ${runs.size === 1 ? 'instance runs' : 'instances run'} already`);
    const view = door.store.read();
    for (const state of unsettledStates)
      for (const { id } of view.having('Instance', stateKey(state))) enqueue(loop, id);
    for (const { id } of view.having('Instance', stateKey('running'))) if (!runs.has(id)) missing(loop, id);
    for (const id of runs) if (isDown(view.get('Instance', id))) stray(loop, id);
  } catch (error) {
    log('error', `what runs cannot be found out: ${messageOf(error)}`);
  }
}

/** The driver may have said why already. */
function missing(loop: Loop, id: string): void {
  if (!loop.ended.has(id))
    loop.ended.set(id, { reason: 'NotFound', message: 'it no longer ran when Weir was started' });
  enqueue(loop, id);
}

function stray(loop: Loop, id: string): void {
  loop.strays.add(id);
  enqueue(loop, id);
}

/** Stops what should not run; what somebody wants to run by now is left alone. Rejects where it cannot be stopped: it is tried again. */
async function stopStray(loop: Loop, id: string): Promise<void> {
  if (!loop.strays.has(id)) return;
  const view = loop.options.door.store.read();
  if (isDown(view.get('Instance', id))) await runnerIn(loop.options, view)?.stop(id);
  loop.strays.delete(id);
}

function isDown(instance: Resource<'Instance'> | undefined): boolean {
  return !instance || ['stopped', 'suspended'].includes(instance.spec.state);
}

function enqueue(loop: Loop, id: string): void {
  if (loop.stop.signal.aborted) return;
  loop.waiting.add(id);
  pump(loop);
}

function pump(loop: Loop): void {
  for (const id of loop.waiting) {
    if (loop.active.has(id) || (loop.places.size >= mostAtOnce && !isToEnd(loop, id))) continue;
    loop.waiting.delete(id);
    const giveUp = new AbortController();
    const leave = takePlace(loop, id);
    const done = Promise.resolve()
      .then(() => lookAt(loop, id))
      .catch((error) => {
        loop.options.log('error', `the instance ${id} cannot be looked after: ${messageOf(error)}`);
        loop.backOff.failed(id, 0, loop.options.clock());
      })
      .finally(() => {
        leave();
        loop.active.delete(id);
        pump(loop);
      });
    loop.active.set(id, { done, giveUp });
  }
}

/** Takes a place among those that others wait for, until it is left, or the work on it is slow. */
function takePlace(loop: Loop, id: string): () => void {
  loop.places.add(id);
  const late = setTimeout(() => {
    loop.places.delete(id);
    pump(loop);
  }, loop.options.slowMs ?? slowMs).unref();
  return () => {
    clearTimeout(late);
    loop.places.delete(id);
  };
}

function isToEnd(loop: Loop, id: string): boolean {
  const instance = loop.options.door.store.read().get('Instance', id);
  const work = instance && workOf(instance.spec);
  return work === 'stop' || work === 'suspend' || work === 'remove' || loop.strays.has(id);
}

/** Looks at one instance, and does what is to be done now. */
async function lookAt(loop: Loop, id: string): Promise<void> {
  const { store } = loop.options.door;
  await stopStray(loop, id);
  const instance = store.read().get('Instance', id);
  if (!instance) {
    loop.ended.delete(id);
    return loop.backOff.forget(id);
  }
  const end = loop.ended.get(id);
  if (end && instance.spec.state === 'running') {
    loop.backOff.failed(id, instance.generation, loop.options.clock());
    await observed(loop.options, instance, { came: 'crashed', ...end });
    // Not before it is written down: else a store that fails now would have it run for ever.
    loop.ended.delete(id);
    return;
  }
  loop.ended.delete(id);
  const work = workOf(instance.spec);
  if (!work || loop.backOff.isPausing(id, instance.generation)) return;
  const active = loop.active.get(id);
  if (active) active.work = work;
  const signal = AbortSignal.any([loop.stop.signal, ...(active ? [active.giveUp.signal] : [])]);
  const observation = await carryOut(loop.options, instance, work, signal);
  // What was given up is no failure: something else is wanted now, or it is taken up when Weir starts again.
  if (signal.aborted && observation.came === 'failed') return;
  await conclude(loop, instance, observation);
}

/** Writes down what became of it, and says when to come back to what failed. */
async function conclude(loop: Loop, instance: Resource<'Instance'>, observation: Outcome): Promise<void> {
  const { id } = instance;
  const isFinal = observation.came === 'failed' && observation.reason === noDriver;
  if (isFinal && instance.spec.conditions[0]?.reason === noDriver) return;
  if (observation.came === 'failed' && !isFinal) loop.backOff.failed(id, instance.generation, loop.options.clock());
  if (observation.came === 'down') loop.backOff.forget(id);
  await observed(loop.options, instance, observation);
  if (observation.came === 'up' && observation.notice) await note(loop.options, id, observation.notice);
}
