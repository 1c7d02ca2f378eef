// What weir doctor looks at: the folders of a server, the platform that a tree or a store declares, and when the store was last written.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type KindName, kindNames, kinds, type SpecOf } from '../core/kinds/index.ts';
import { singleton } from '../core/model/view.ts';
import type { Options } from '../options.ts';
import { type KeyReport, lookAtKeys } from '../store/key-report.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { offlineFacts } from './facts.ts';
import { instancesFolder, knownInstancesFolder } from './instances-folder.ts';
import type { Io } from './io.ts';
import { defaultTree, readTreeAt } from './tree.ts';
import { keysAt, openStoreAt } from './workbench.ts';

/** A folder of a server, which need not be there yet; `problem`: why it cannot be the one. */
export interface Place {
  readonly folder: string;
  readonly problem?: string;
}

/** What is looked at. */
export interface Patient {
  readonly store: Place;
  readonly instances: Place;
  readonly stacks: Place;
  readonly env: NodeJS.ProcessEnv;
  /** As the tree declares it, or the store where there is no tree. */
  readonly platform: SpecOf<'Platform'> | undefined;
  /** Where the platform was read. */
  readonly from: string;
  /** The runtimes of all active stacks there. */
  readonly runtimes: readonly string[];
  /** The keys of the store. */
  readonly keys: KeyReport;
  /** When the newest thing in the store was written, by the clock of then. */
  readonly newest: string | undefined;
}

/** Reads the tree (the usual one only where it is there) and the store, and changes neither. Throws `TreeMissing` for a tree that was named. */
export async function patientOf(named: string | undefined, options: Options, io: Io): Promise<Patient> {
  const stored = await inStore(options, io);
  const folder = named ?? ((await stat(resolve(io.cwd, defaultTree)).catch(() => undefined)) && defaultTree);
  const declared = folder === undefined ? stored.declared : await inTree(folder, options.env, io);
  const stacksDirectory = declared?.platform?.driver.stacksDirectory ?? 'stacks';
  const store = resolve(io.cwd, options.store);
  return {
    store: { folder: store, ...stored.problem },
    instances: await instancesAt(options, io),
    stacks: { folder: resolve(store, stacksDirectory) },
    keys: await lookAtKeys(store, keysAt(options, io)),
    env: io.env,
    platform: declared?.platform,
    from: folder === undefined ? 'the store' : `the tree ${folder}`,
    runtimes: declared?.runtimes ?? [],
    newest: stored.newest,
  };
}

async function instancesAt(options: Options, io: Io): Promise<Place> {
  const folder = instancesFolder(options, io);
  try {
    return { folder: await knownInstancesFolder(options, io) };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { folder, problem: error.message };
    throw error;
  }
}

interface Declared {
  readonly platform: SpecOf<'Platform'> | undefined;
  readonly runtimes: readonly string[];
}

async function inTree(folder: string, env: string | undefined, io: Io): Promise<Declared> {
  const { desired } = (await readTreeAt(folder, offlineFacts(), io, { git: false, env })).desired;
  const all = [...desired.values()];
  const stacks = all.flatMap(({ kind, spec }) => (kind === 'Stack' ? [kinds.Stack.spec.safeParse(spec)] : []));
  const [platform] = all.flatMap(({ kind, spec }) =>
    kind === 'Platform' ? [kinds.Platform.spec.safeParse(spec)] : [],
  );
  return { platform: platform?.data, runtimes: runtimesOf(stacks.flatMap(({ data }) => data ?? [])) };
}

function runtimesOf(stacks: Iterable<SpecOf<'Stack'>>): readonly string[] {
  return [...new Set([...stacks].filter(({ active }) => active).map(({ runtime }) => runtime))];
}

interface Stored {
  readonly declared?: Declared;
  readonly newest?: string | undefined;
  readonly problem?: { readonly problem: string };
}

/** A server may be using the store: it is read as it is on the disk. */
async function inStore(options: Options, io: Io): Promise<Stored> {
  try {
    const store = await openStoreAt(options, io, { create: false, readOnly: true });
    try {
      const view = store.read();
      const stacks = [...view.all('Stack')].map(({ spec }) => spec);
      const declared = { platform: singleton(view, 'Platform').spec, runtimes: runtimesOf(stacks) };
      return { declared, newest: await newestIn(store) };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return error.reason === 'missing' ? {} : { problem: { problem: error.message } };
  }
}

async function newestIn(store: Store): Promise<string | undefined> {
  const view = store.read();
  const newestOf = (kind: KindName) => [...view.all(kind)].map(({ updatedAt }) => updatedAt);
  const records = [
    ...(await store.records({ stream: 'audit', limit: 1 })),
    ...(await store.records({ stream: 'history', limit: 1 })),
  ];
  const times = [...kindNames.flatMap(newestOf), ...records.map(({ at }) => at)];
  return times.reduce<string | undefined>(
    (newest, at) => (newest === undefined || at > newest ? at : newest),
    undefined,
  );
}
