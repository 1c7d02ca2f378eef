// The converging loop: carries out with the driver what is wanted of instances, and writes down what became of them.
import { driverProblem, settingsIn } from '../core/instances/around.ts';
import { unsettledStates, type Work, workOf } from '../core/instances/states.ts';
import { stateKey } from '../core/kinds/instance.ts';
import type { Proposal } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { singleton, type View } from '../core/model/view.ts';
import { giveCredentialSecret } from '../core/proposals/give-credential-secret.ts';
import { type Observation, observeInstance } from '../core/proposals/observe-instance.ts';
import { type Driver, DriverFailed, type Reason, type Run, type Runner } from '../drivers/driver.ts';
import type { Clock } from '../lib/clock.ts';
import { randomText } from '../lib/id.ts';
import { createBackOff, type Pauses } from './back-off.ts';
import { type Door, submit } from './submit.ts';

export interface ConvergeOptions {
  readonly door: Door;
  /** The drivers that there are, by kind. */
  readonly drivers: ReadonlyMap<string, Driver>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly pauses?: Pauses;
}

/** A loop that runs. */
export interface Converging {
  /** Resolves when nothing is under way or waits for its turn; what is tried again later is not waited for. */
  settled(): Promise<void>;
  /** Gives up what is under way, so that it is taken up at the next start, and leaves what runs running. */
  close(): Promise<void>;
}

/** How many instances are worked on at a time. */
const mostAtOnce = 32;

/**
 * Starts the loop. It is level-triggered: it looks at each instance as it is, so that it does not matter which changes it saw. What was under way
 * when Weir last ended is taken up again; what should run and does not is started.
 */
export function startConverge(options: ConvergeOptions): Converging {
  const loop: Loop = {
    options,
    waiting: new Set(),
    active: new Map(),
    ended: new Map(),
    backOff: createBackOff((id) => enqueue(loop, id), options.pauses),
    stop: new AbortController(),
    scans: Promise.resolve(),
  };
  const ends: (() => void)[] = [];
  options.door.store.lead('converge', (stop) => {
    if (loop.stop.signal.aborted) return;
    stop.addEventListener('abort', () => loop.stop.abort(), { once: true });
    ends.push(follow(loop), ...listen(loop));
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
  /** Why instances ended that nobody stopped, until that is written down. */
  readonly ended: Map<string, Reason>;
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

/** Looks at everything once: what is unsettled, what should run and does not, and what runs and should not. */
async function scan(loop: Loop): Promise<void> {
  const { door, log } = loop.options;
  try {
    const runner = runnerIn(loop, door.store.read());
    const runs = (await runner?.running()) ?? new Set<string>();
    const view = door.store.read();
    for (const state of unsettledStates)
      for (const { id } of view.having('Instance', stateKey(state))) enqueue(loop, id);
    for (const { id } of view.having('Instance', stateKey('running')))
      if (!runs.has(id)) {
        loop.ended.set(id, { reason: 'NotFound', message: 'it no longer ran when Weir was started' });
        enqueue(loop, id);
      }
    for (const id of runs) if (isDown(view.get('Instance', id))) await runner?.stop(id);
  } catch (error) {
    log('error', `what runs cannot be found out: ${messageOf(error)}`);
  }
}

function isDown(instance: Resource<'Instance'> | undefined): boolean {
  return !instance || ['stopped', 'suspended'].includes(instance.spec.state);
}

function runnerIn({ options }: Loop, view: View): Runner | undefined {
  return options.drivers.get(singleton(view, 'Platform').spec.driver.kind)?.runner;
}

function enqueue(loop: Loop, id: string): void {
  if (loop.stop.signal.aborted) return;
  loop.waiting.add(id);
  pump(loop);
}

function pump(loop: Loop): void {
  for (const id of loop.waiting) {
    if (loop.active.size >= mostAtOnce) return;
    if (loop.active.has(id)) continue;
    loop.waiting.delete(id);
    const giveUp = new AbortController();
    const done = Promise.resolve()
      .then(() => lookAt(loop, id))
      .catch((error) => {
        loop.options.log('error', `the instance ${id} cannot be looked after: ${messageOf(error)}`);
        loop.backOff.failed(id, 0, loop.options.clock());
      })
      .finally(() => {
        loop.active.delete(id);
        pump(loop);
      });
    loop.active.set(id, { done, giveUp });
  }
}

/** Looks at one instance, and does what is to be done now. */
async function lookAt(loop: Loop, id: string): Promise<void> {
  const { store } = loop.options.door;
  const view = store.read();
  const instance = view.get('Instance', id);
  if (!instance) return loop.backOff.forget(id);
  const end = loop.ended.get(id);
  if (end && instance.spec.state === 'running') {
    loop.backOff.failed(id, instance.generation, loop.options.clock());
    await write(loop, instance, { came: 'crashed', ...end });
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
  const observation = await carryOut(loop, instance, work, signal);
  // What was given up is no failure: something else is wanted now, or it is taken up when Weir starts again.
  if (signal.aborted && observation.came === 'failed') return;
  const isFinal = observation.came === 'failed' && observation.reason === noDriver;
  if (isFinal && instance.spec.conditions[0]?.reason === noDriver) return;
  if (observation.came === 'failed' && !isFinal) loop.backOff.failed(id, instance.generation, loop.options.clock());
  if (observation.came === 'down') loop.backOff.forget(id);
  await write(loop, instance, observation);
}

const noDriver = 'DriverUnavailable';

async function carryOut(
  loop: Loop,
  instance: Resource<'Instance'>,
  work: Work,
  signal: AbortSignal,
): Promise<Observation> {
  const view = loop.options.door.store.read();
  const runner = runnerIn(loop, view);
  if (!runner) return withoutRunner(loop, view, work);
  try {
    return await withRunner(loop, runner, { instance, work, signal });
  } catch (error) {
    if (error instanceof DriverFailed) return { came: 'failed', reason: error.reason, message: error.message };
    loop.options.log('error', `the driver failed to ${work} the instance ${instance.id}: ${messageOf(error)}`);
    return { came: 'failed', reason: 'DriverError', message: 'the driver failed; the log of Weir says why' };
  }
}

/** Nothing can run, so nothing has to be stopped. */
function withoutRunner({ options }: Loop, view: View, work: Work): Observation {
  if (work === 'remove') return { came: 'gone' };
  if (work === 'stop' || work === 'suspend') return { came: 'down' };
  const message = driverProblem(singleton(view, 'Platform').spec.driver, options.drivers) ?? '';
  return { came: 'failed', reason: noDriver, message };
}

async function withRunner(
  loop: Loop,
  runner: Runner,
  {
    instance,
    work,
    signal,
  }: { readonly instance: Resource<'Instance'>; readonly work: Work; readonly signal: AbortSignal },
): Promise<Observation> {
  const { id } = instance;
  if (work === 'stop' || work === 'suspend') {
    await runner[work](id);
    return { came: 'down' };
  }
  if (work === 'remove') {
    await runner.remove(id);
    return { came: 'gone' };
  }
  const credentialSecret = await secretOf(loop, instance);
  const view = loop.options.door.store.read();
  const settings = settingsIn(view, instance);
  if (!settings) return { came: 'failed', reason: 'NoStack', message: 'its stack is gone' };
  if (work === 'restart') await runner.stop(id);
  const team = view.get('Team', instance.spec.team)?.name ?? '';
  const run: Run = { id, name: instance.name, team, credentialSecret, ...settings };
  return { came: 'up', settings, ...(await runner.start(run, signal)) };
}

/** What its credentials are encrypted with: made once, and kept before anything is encrypted with it. */
async function secretOf(loop: Loop, { id, spec }: Resource<'Instance'>): Promise<string> {
  if (spec.credentialSecret !== undefined) return spec.credentialSecret;
  const secret = randomText(secretLength);
  await keep(loop, giveCredentialSecret(id, secret));
  return loop.options.door.store.read().get('Instance', id)?.spec.credentialSecret ?? secret;
}

/** 256 bits and more. */
const secretLength = 44;

function write(loop: Loop, seen: Resource<'Instance'>, observation: Observation): Promise<void> {
  return keep(loop, observeInstance(seen, observation));
}

async function keep({ options }: Loop, proposal: Proposal): Promise<void> {
  const { clock, newId, door } = options;
  const actor = { kind: 'job', name: 'converge' } as const;
  await submit(door, proposal, { now: clock(), newId, actor, origin: 'api' });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
