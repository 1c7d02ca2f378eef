// The local driver: instances are processes of this machine, each in a folder of its own.
import {
  type Door,
  type Doors,
  type Driver,
  DriverFailed,
  type Files,
  type Inventory,
  type Isolating,
  type Keeper,
  type Logs,
  type Meter,
  type Notice,
  type Reason,
  type Run,
  type Runner,
  type Up,
} from './driver.ts';
import { askAlive } from './local/alive.ts';
import { bringUp, type Machine } from './local/bring-up.ts';
import { createDiskUse, type DiskUse } from './local/disk-use.ts';
import { doorOf } from './local/door.ts';
import { explained } from './local/explained.ts';
import { filesAt, filesTurn } from './local/files-at.ts';
import { findAgain } from './local/find-again.ts';
import { endStray, findAll } from './local/find-all.ts';
import { type Folder, folderOf, idsIn, removeFolder } from './local/folder.ts';
import { readInstalled } from './local/installed.ts';
import { isolationAt } from './local/isolation/isolation.ts';
import { type IsolationSetting, unisolated } from './local/isolation/level.ts';
import { createMemoryGuard, endedForMemory, type MemoryGuard } from './local/memory-guard.ts';
import { endOutdated, isOutdated } from './local/outdated.ts';
import { packStored } from './local/pack.ts';
import { portFor, readPorts } from './local/ports.ts';
import { readLog } from './local/read-log.ts';
import { forgetRecord } from './local/record.ts';
import { end, type Patience, type Runtime, upAt, usualPatience, watch } from './local/runtimes.ts';
import { digestOf, type SecretOf, secretsFor } from './local/settings.ts';
import { runtimeIn } from './local/stack.ts';
import { readStored, writeStored } from './local/stored.ts';
import { inTurn } from './local/turns.ts';
import { unpackStored } from './local/unpack.ts';
import { readUsages } from './local/usages.ts';
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
export interface LocalPlace extends Pick<Machine, 'stacks' | 'env' | 'storeFlag'> {
  /** The folder that holds one folder an instance. */
  readonly instances: string;
  /** The folder of the store, which is Weir's own as well. */
  readonly store?: string;
  readonly secretOf: SecretOf;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** How instances are to be kept from each other; not at all where nothing is said. */
  readonly isolation?: () => IsolationSetting;
  /** The Node that runs them; this one where nothing is said. */
  readonly node?: string;
  readonly patience?: Partial<Patience>;
  /** Whether runs get control groups where Weir may make some; they do where nothing is said. */
  readonly controlGroups?: boolean;
}

/** The local driver at a place. */
export function localDriver(place: LocalPlace): Driver & {
  readonly runner: Runner;
  readonly keeper: Keeper;
  readonly logs: Logs;
  readonly meter: Meter;
  readonly inventory: Inventory;
  readonly doors: Doors;
  readonly isolation: Isolating;
  readonly files: Files;
  /** Looks after nothing any more; what runs goes on. */
  close(): void;
} {
  const state = stateAt(place);
  return {
    ...local,
    runner: {
      start: (run, signal) => inTurn(state, run.id, () => start(state, run, signal)),
      check: async ({ runtime }) => void (await runtimeIn(place.stacks(), runtime, place.storeFlag)),
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
      read: (id, parts) =>
        readStored(folderOf(place.instances, id), parts).catch((error: unknown) => Promise.reject(explained(error))),
      pack: (id, ...wanted) =>
        packStored(folderOf(place.instances, id), ...wanted).catch((error) => Promise.reject(explained(error))),
      write: (id, wanted) => whileStopped(state, id, (folder) => writeStored(folder, wanted)),
      unpack: (id, wanted) => whileStopped(state, id, (folder) => unpackStored(folder, wanted)),
      onChange: (listener) => {
        state.changing.add(listener);
        return () => state.changing.delete(listener);
      },
    },
    logs: { read: (id, wish) => readLog(folderOf(place.instances, id).log, wish) },
    meter: { read: () => readUsages(state) },
    inventory: { read: (id, runtime) => readInstalled(folderOf(place.instances, id), place.stacks(), runtime) },
    files: filesAt(place.instances, (id, work) => inTurn(state, filesTurn(id), work)),
    isolation: { inForce: () => state.machine.isolation.inForce() },
    doors: { at: (id) => state.known.get(id)?.door },
    close: () => {
      state.guard.close();
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
  readonly guard: MemoryGuard;
}

function stateAt(place: LocalPlace): State {
  const { instances, store, stacks, node = process.execPath, isolation: setting = () => unisolated } = place;
  const { controlGroups = true, patience } = place;
  const isolation = isolationAt({ instances, store, stacks, node, setting, controlGroups });
  const machine = { ...place, node, isolation, controlGroups, patience: { ...usualPatience, ...patience } };
  const known: State['known'] = new Map();
  const guard = createMemoryGuard({
    runtimes: () => [...known.values()].map(({ runtime }) => runtime),
    everyMs: machine.patience.memoryMs,
    over: (runtime, why) => endedSoon(state, runtime, why),
  });
  const state: State = {
    place,
    machine,
    known,
    ports: undefined,
    disk: createDiskUse(),
    listeners: new Set(),
    noticing: new Set(),
    changing: new Set(),
    turns: new Map(),
    guard,
  };
  return state;
}

async function start(state: State, run: Run, signal: AbortSignal): Promise<Up> {
  const folder = folderOf(state.place.instances, run.id);
  const secrets = secretsFor(run, state.place.secretOf);
  const digest = digestOf(run, secrets);
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

async function stop(state: State, id: string): Promise<void> {
  const runtime = await found(state, id);
  if (!runtime) return;
  forget(state, id);
  await end({ ...runtime, known: state.guard.membersOf(runtime.run) }, state.machine.patience.stopMs);
  await forgetRecord(runtime.folder, runtime.run);
}

async function remove(state: State, id: string): Promise<void> {
  await stop(state, id);
  await removeFolder(folderOf(state.place.instances, id));
  (await portsOf(state)).delete(id);
}

async function running(state: State): Promise<ReadonlySet<string>> {
  const { instances, log } = state.place;
  await findAll(instances, {
    find: (id) => inTurn(state, id, () => found(state, id)),
    stray: (id, run) =>
      inTurn(state, id, async () => {
        // Whoever works here with the mark of another is no part of that: it may only want it to be ended.
        if (![...state.known.values()].some(({ runtime }) => runtime.run === run)) await endStray(run);
      }),
    log: (message) => log('error', message),
  });
  return new Set(state.known.keys());
}

/** The runtime of an instance, also one that was started before this process was. */
async function found(state: State, id: string): Promise<Runtime | undefined> {
  const known = state.known.get(id);
  if (known) return known.runtime;
  const runtime = await findAgain(id, folderOf(state.place.instances, id));
  if (runtime && isOutdated(runtime)) return endOutdated(runtime, state.machine.patience, state.listeners);
  if (runtime) look(state, runtime);
  return runtime;
}

function whileStopped<T>(state: State, id: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  return inTurn(state, id, async () => {
    if (await found(state, id)) throw new DriverFailed('Running', 'it runs, and would write its own flows over them');
    return work(folderOf(state.place.instances, id)).catch((error: unknown) => Promise.reject(explained(error)));
  });
}

function look(state: State, runtime: Runtime): void {
  const { id } = runtime;
  const unwatchFlows = watchFlows(runtime.folder, state.machine.patience.lookMs, () => {
    for (const listener of state.changing) listener(id);
  });
  const unwatchRuntime = watch(runtime, {
    patience: state.machine.patience,
    ended: (_runtime, why) => endedSoon(state, runtime, why),
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
  state.guard.start();
  state.known.set(id, known);
}

function forget({ known }: State, id: string): void {
  known.get(id)?.unwatch();
  known.delete(id);
}

function endedSoon(state: State, runtime: Runtime, why: Reason): void {
  void inTurn(state, runtime.id, () => ended(state, runtime, why)).catch(() => {});
}

async function ended(state: State, runtime: Runtime, why: Reason): Promise<void> {
  // Whoever stopped it meanwhile knows already.
  if (state.known.get(runtime.id)?.runtime !== runtime) return;
  forget(state, runtime.id);
  const reason = await endedForMemory(runtime, why);
  await end({ ...runtime, known: state.guard.membersOf(runtime.run) }, 0);
  await forgetRecord(runtime.folder, runtime.run);
  for (const listener of state.listeners) listener(runtime.id, reason);
}

function portsOf(state: State): Promise<Map<string, number>> {
  const { instances } = state.place;
  state.ports ??= idsIn(instances).then((ids) => readPorts(instances, ids));
  return state.ports;
}
