// The local driver: instances are processes of this machine, each in a folder of its own.
import { readdir } from 'node:fs/promises';
import type { Stored } from '../core/instances/content.ts';
import {
  type Door,
  type Doors,
  type Driver,
  DriverFailed,
  type Files,
  type Inventory,
  type Keeper,
  type Logs,
  type Meter,
  type Notice,
  type Reason,
  type Run,
  type Runner,
  type Up,
  type Usage,
  type Written,
} from './driver.ts';
import { askAlive } from './local/alive.ts';
import { bringUp, type Machine, portFor, portIn } from './local/bring-up.ts';
import { createDiskUse, type DiskUse } from './local/disk-use.ts';
import { doorOf } from './local/door.ts';
import { filesAt, filesTurn } from './local/files-at.ts';
import { findAgain } from './local/find-again.ts';
import { folderOf, removeFolder, removeLeftovers, textIn } from './local/folder.ts';
import { readInstalled } from './local/installed.ts';
import { packStored } from './local/pack.ts';
import { loopback } from './local/ports.ts';
import { usageOf } from './local/process-table.ts';
import { readLog } from './local/read-log.ts';
import { forgetRecord } from './local/record.ts';
import { told } from './local/refusals.ts';
import { end, flowsNotice, type Patience, type Runtime, usualPatience, watch } from './local/runtimes.ts';
import { type SecretOf, secretsFor, sha256 } from './local/settings.ts';
import { readStored, writeStored } from './local/stored.ts';
import { watchFlows } from './local/watch-flows.ts';

/** What this build's local driver is, wherever it runs. */
export const local: Driver = {
  kind: 'local',
  provides: new Set([
    'emailAlerts',
    'instanceResources',
    'instanceAutoSnapshot',
    'versionHistoryTimeline',
    'apiDebugLengthLimits',
    'customNpmCatalogs',
    'billOfMaterials',
    'protectedInstances',
    'teamEndpointSecurity',
    'staticAssets',
  ]),
};

/** Where a local driver runs instances. */
export interface LocalPlace extends Pick<Machine, 'stacks' | 'env'> {
  /** The folder that holds one folder an instance. */
  readonly instances: string;
  readonly secretOf: SecretOf;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** The Node that runs them; this one where nothing is said. */
  readonly node?: string;
  readonly patience?: Partial<Patience>;
}

/** The local driver at a place. */
export function localDriver(place: LocalPlace): Driver & {
  readonly runner: Runner;
  readonly keeper: Keeper;
  readonly logs: Logs;
  readonly meter: Meter;
  readonly inventory: Inventory;
  readonly doors: Doors;
  readonly files: Files;
  /** Looks after nothing any more; what runs goes on. */
  close(): void;
} {
  const state = stateAt(place);
  return {
    ...local,
    runner: {
      start: (run, signal) => inTurn(state, run.id, () => start(state, run, signal)),
      stop: (id) => inTurn(state, id, () => stop(state, id)),
      suspend: (id) => inTurn(state, id, () => stop(state, id)),
      remove: (id) => inTurn(state, id, () => inTurn(state, filesTurn(id), () => remove(state, id))),
      running: () => running(state),
      onEnd: (listener) => {
        state.listeners.add(listener);
        return () => state.listeners.delete(listener);
      },
      onNotice: (listener) => {
        state.noticing.add(listener);
        return () => state.noticing.delete(listener);
      },
    },
    keeper: {
      // Not in its turn: it may be waiting for a start that takes long.
      read: (id) => readStored(folderOf(place.instances, id)).catch((error: unknown) => Promise.reject(told(error))),
      pack: (id, settings) =>
        packStored(folderOf(place.instances, id), settings).catch((error: unknown) => Promise.reject(told(error))),
      write: (id, wanted) => inTurn(state, id, () => write(state, id, wanted)),
      onChange: (listener) => {
        state.changing.add(listener);
        return () => state.changing.delete(listener);
      },
    },
    logs: { read: (id, wish) => readLog(folderOf(place.instances, id).log, wish) },
    meter: { read: () => usages(state) },
    inventory: { read: (id, runtime) => readInstalled(folderOf(place.instances, id), place.stacks(), runtime) },
    files: filesAt(place.instances, (id, work) => inTurn(state, filesTurn(id), work)),
    doors: { at: (id) => state.known.get(id)?.door },
    close: () => {
      for (const { unwatch } of state.known.values()) unwatch();
      state.known.clear();
      void state.disk.close();
    },
  };
}

/** A runtime that is looked after, and what it said last of its heap. */
interface Known {
  readonly runtime: Runtime;
  readonly door: Door;
  readonly unwatch: () => void;
  heapBytes?: number | undefined;
}

interface State {
  readonly place: LocalPlace;
  readonly machine: Machine;
  /** The runtimes that run, by the id of their instance. */
  readonly known: Map<string, Known>;
  /** The ports that instances keep, whether they run or not; nothing before they are read. */
  ports: Promise<Map<string, number>> | undefined;
  readonly disk: DiskUse;
  readonly listeners: Set<(id: string, why: Reason) => void>;
  readonly noticing: Set<(id: string, notice: Notice) => void>;
  readonly changing: Set<(id: string) => void>;
  /** The last piece of work of each instance: one comes after another. */
  readonly turns: Map<string, Promise<unknown>>;
}

function stateAt(place: LocalPlace): State {
  const { stacks, env, node = process.execPath, patience } = place;
  const machine = { stacks, env, node, patience: { ...usualPatience, ...patience } };
  return {
    place,
    machine,
    known: new Map(),
    ports: undefined,
    disk: createDiskUse(),
    listeners: new Set(),
    noticing: new Set(),
    changing: new Set(),
    turns: new Map(),
  };
}

async function inTurn<T>({ turns }: State, id: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(id) ?? Promise.resolve();
  const mine = before.then(work).catch((error: unknown) => {
    throw told(error);
  });
  const settled = mine.catch(() => {});
  turns.set(id, settled);
  settled.then(() => {
    if (turns.get(id) === settled) turns.delete(id);
  });
  return mine;
}

async function start(state: State, run: Run, signal: AbortSignal): Promise<Up> {
  const folder = folderOf(state.place.instances, run.id);
  const secrets = secretsFor(run, state.place.secretOf);
  const digest = sha256(JSON.stringify([run.runtime, run.resources, run.options, run.environment, secrets, run.path]));
  const there = await found(state, run.id);
  const isSame = there?.digest === digest;
  const flows = isSame ? (await askAlive(there, state.machine.patience.answerMs))?.flows : undefined;
  if (there && flows !== undefined) return upAt({ ...there, flows });
  if (there) await stop(state, run.id);
  const takePort = async () => portFor(run.id, folder, await portsOf(state));
  const runtime = await bringUp({ run, folder, secrets, digest, takePort }, state.machine, signal);
  look(state, runtime);
  return upAt(runtime);
}

function upAt({ port, path, flows = 'started' }: Runtime): Up {
  return { url: `http://${loopback}:${port}${path}/`, ...(flows === 'stopped' ? { notice: flowsNotice(flows) } : {}) };
}

async function stop(state: State, id: string): Promise<void> {
  const runtime = await found(state, id);
  if (!runtime) return;
  forget(state, id);
  await end(runtime, state.machine.patience.stopMs);
  await forgetRecord(runtime.folder);
}

async function remove(state: State, id: string): Promise<void> {
  await stop(state, id);
  await removeFolder(folderOf(state.place.instances, id));
  (await portsOf(state)).delete(id);
}

async function running(state: State): Promise<ReadonlySet<string>> {
  for (const id of await idsIn(state.place.instances)) await inTurn(state, id, () => found(state, id));
  await removeLeftovers(state.place.instances);
  return new Set(state.known.keys());
}

/** The runtime of an instance, also one that was started before this process was. */
async function found(state: State, id: string): Promise<Runtime | undefined> {
  const known = state.known.get(id);
  if (known) return known.runtime;
  const runtime = await findAgain(id, folderOf(state.place.instances, id));
  if (runtime) look(state, runtime);
  return runtime;
}

async function write(state: State, id: string, wanted: Written): Promise<Stored> {
  if (await found(state, id)) throw new DriverFailed('Running', 'it runs, and would write its own flows over them');
  return writeStored(folderOf(state.place.instances, id), wanted);
}

function look(state: State, runtime: Runtime): void {
  const { id } = runtime;
  const unwatchFlows = watchFlows(runtime.folder, state.machine.patience.lookMs, () => {
    for (const listener of state.changing) listener(id);
  });
  const unwatchRuntime = watch(runtime, {
    patience: state.machine.patience,
    ended: (_runtime, why) => void inTurn(state, id, () => ended(state, runtime, why)).catch(() => {}),
    notice: (_runtime, notice) => {
      for (const listener of state.noticing) listener(id, notice);
    },
    alive: ({ heapBytes }) => {
      known.heapBytes = heapBytes;
    },
  });
  const unwatch = () => {
    unwatchRuntime();
    unwatchFlows();
  };
  const known: Known = { runtime, door: doorOf(runtime), unwatch };
  state.known.set(id, known);
}

function forget({ known }: State, id: string): void {
  known.get(id)?.unwatch();
  known.delete(id);
}

async function ended(state: State, runtime: Runtime, why: Reason): Promise<void> {
  // Whoever stopped it meanwhile knows already.
  if (state.known.get(runtime.id)?.runtime !== runtime) return;
  forget(state, runtime.id);
  await end(runtime, 0);
  await forgetRecord(runtime.folder);
  for (const listener of state.listeners) listener(runtime.id, why);
}

/** Ports are kept by instances that do not run now, too. */
function portsOf(state: State): Promise<Map<string, number>> {
  state.ports ??= readPorts(state.place.instances);
  return state.ports;
}

async function readPorts(instances: string): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const id of await idsIn(instances)) {
    const port = portIn(await textIn(folderOf(instances, id).port));
    if (port !== undefined) ports.set(id, port);
  }
  return ports;
}

async function idsIn(instances: string): Promise<string[]> {
  const names = await readdir(instances).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^[A-Za-z0-9]/.test(name));
}

async function usages({ known, disk }: State): Promise<ReadonlyMap<string, Usage>> {
  const found = new Map<string, Usage>();
  const disks = await disk.look(new Map([...known].map(([id, { runtime }]) => [id, runtime.folder])));
  for (const [id, { runtime, heapBytes }] of known) {
    const usage = await usageOf(runtime.process);
    const heap = heapBytes === undefined ? {} : { heapBytes };
    if (usage) found.set(id, { ...usage, ...heap, diskBytes: disks.get(id) ?? 0, run: runtime.run });
  }
  return found;
}
