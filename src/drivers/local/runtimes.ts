// The runtimes of this machine that Weir looks after: watched for their end and their health, and ended with all that they started.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice, Reason, Up } from '../driver.ts';
import { type Alive, type Asked, askAlive } from './alive.ts';
import type { Folder } from './folder.ts';
import { turnOver } from './log-file.ts';
import { loopback } from './ports.ts';
import { isRunning, type ProcessId, signal } from './process-table.ts';
import { endTree, gone, processesOf, type Tree, whomToAsk } from './process-tree.ts';

/** A runtime that was started, by this process or by the one before. */
export interface Runtime extends Asked, Tree {
  readonly id: string;
  readonly folder: Folder;
  readonly process: ProcessId;
  /** Where it was started by this process. */
  readonly child?: ChildProcess;
  readonly digest: string;
  readonly healthCheckIntervalMs: number;
  /** The memory that its stack allows its heap, in MiB. */
  readonly memoryMb?: number | undefined;
  /** What stands before its paths, without a slash at the end. */
  readonly path: string;
  /** The form of the header of the gateway that it knows; absent where an older Weir started it. */
  readonly door?: number | undefined;
  /** How its flows were when it was last asked; nothing where another Weir asked. */
  readonly flows?: string;
}

/** Milliseconds: how long to wait for a first answer, for an orderly end, for any answer, between two looks, and between two at its memory. */
export interface Patience {
  readonly startMs: number;
  readonly stopMs: number;
  readonly answerMs: number;
  readonly lookMs: number;
  readonly memoryMs: number;
}

export const usualPatience: Patience = {
  startMs: 60_000,
  stopMs: 10_000,
  answerMs: 5000,
  lookMs: 1000,
  memoryMs: 2000,
};

/** How many answers a runtime may owe in a row before it is taken for dead. */
const mostMissed = 3;

/** What becomes of a runtime that is watched. */
export interface Watching {
  readonly patience: Patience;
  /** It ended by itself, or answers no more. */
  readonly ended: (runtime: Runtime, why: Reason) => void;
  readonly notice: (runtime: Runtime, notice: Notice) => void;
  /** What it answers each time that it is asked. */
  readonly alive: (alive: Alive) => void;
}

/** Watches a runtime, until the function that this answers is called. */
export function watch(runtime: Runtime, { patience, ended, notice, alive }: Watching): () => void {
  let over = false;
  const stop = () => {
    over = true;
    runtime.child?.off('exit', onExit);
    for (const timer of timers) clearInterval(timer);
  };
  const tell = (why: Reason) => {
    if (over) return;
    stop();
    ended(runtime, why);
  };
  const onExit = (code: number | null, name: NodeJS.Signals | null) => tell(endOf(code, name));
  runtime.child?.once('exit', onExit);
  const look = every(patience.lookMs, async () => {
    if (!(await isRunning(runtime.process))) tell(goneUnseen);
    const lost = await turnOver(runtime.folder.log);
    if (lost > 0 && !over) notice(runtime, { type: 'LogCut', why: logCut(lost) });
  });
  let missed = 0;
  let known = runtime.flows;
  const health = every(runtime.healthCheckIntervalMs, async () => {
    const answer = await askAlive(runtime, patience.answerMs);
    if (answer) alive(answer);
    const flows = answer?.flows;
    missed = flows === undefined ? missed + 1 : 0;
    if (missed >= mostMissed) tell(unresponsive);
    if (flows === undefined || flows === known || over) return;
    known = flows;
    if (flows === 'started') notice(runtime, { type: 'SafeMode' });
    if (flows !== 'safe') notice(runtime, flowsNotice(flows));
  });
  const timers = [look, health];
  return stop;
}

const goneUnseen: Reason = { reason: 'Exited', message: 'it ended; its log may say why' };
const unresponsive: Reason = {
  reason: 'Unresponsive',
  message: `it did not answer ${mostMissed} health checks in a row, and was ended`,
};

function logCut(bytes: number): Reason {
  const message = `it logs faster than is kept: ${bytes} bytes between two lines of its log are lost`;
  return { reason: 'TooMuchOutput', message };
}

/** What is to be told of flows. */
export function flowsNotice(flows: string): Notice {
  const message =
    'its flows do not run, because something that they need is missing or cannot be read; its log says what';
  return { type: 'FlowsStopped', ...(flows === 'stopped' ? { why: { reason: 'FlowsIncomplete', message } } : {}) };
}

/** Why a process ended, as its parent is told. */
export function endOf(code: number | null, given: NodeJS.Signals | null): Reason {
  const name = given ?? signalIn(code);
  if (name === 'SIGABRT' || code === 134)
    return {
      reason: 'Aborted',
      message: 'it was aborted, as it is when its memory does not suffice; its log says why',
    };
  // So it is told of one that ran behind another process.
  if (code === 137) return { reason: 'Killed', message: 'it was ended by the signal SIGKILL' };
  if (name !== null) return { reason: 'Killed', message: `it was ended by the signal ${name}` };
  return { reason: 'Exited', message: `it ended by itself with the exit code ${code}` };
}

/** The signal that a code stands for: what a runtime is wrapped in ends as a shell does, by 128 and the number of the signal. */
function signalIn(code: number | null): NodeJS.Signals | null {
  const [name] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return isSignal(name) ? name : null;
}

function isSignal(name: string | undefined): name is NodeJS.Signals {
  return name !== undefined && name in constants.signals;
}

/** Does something again and again, one at a time. */
function every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
  let busy = false;
  return setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, ms).unref();
}

/** Ends a runtime: asks it to, and after a while makes it; and whatever it started and left behind. */
export async function end(runtime: Pick<Runtime, 'process' | keyof Tree>, stopMs: number): Promise<void> {
  const { process: leader, known = [] } = runtime;
  // Who has nothing of the run any more is told by its parent, as long as that is there.
  const all = await processesOf({ ...runtime, known: [leader, ...known] });
  if (stopMs > 0) for (const asked of await whomToAsk(leader, runtime)) await signal(asked, 'SIGTERM');
  for (let waited = 0; waited < stopMs && (await isRunning(leader)); waited += pollMs) await sleep(pollMs);
  await signal(leader, 'SIGKILL');
  await endTree({ ...runtime, known: [leader, ...known, ...all] });
  await gone(leader);
}

const pollMs = 25;

/** What is told of one that is up. */
export function upAt({ port, path, flows = 'started' }: Runtime): Up {
  return { url: `http://${loopback}:${port}${path}/`, ...(flows === 'stopped' ? { notice: flowsNotice(flows) } : {}) };
}
