// The isolation that is in force at a place: which level works here, and programs of instances wrapped in it.
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../../lib/make-folders.ts';
import { DriverFailed, type InForce } from '../../driver.ts';
import { boundsHere } from '../control-group.ts';
import type { Bound } from '../control-group-places.ts';
import { marker } from '../environment.ts';
import type { Folder } from '../folder.ts';
import { type Found, type IsolationSetting, inForceAt, type Level } from './level.ts';
import { probe } from './probe.ts';
import { giveTo, type Users, userCount, usersIn } from './users.ts';
import { type Program, type Tools, type Wrapped, wrap } from './wrap.ts';

/** Where programs are started. */
export interface IsolationPlace {
  readonly instances: string;
  /** The folder of the store, which is Weir's own, with all that is below. */
  readonly store?: string | undefined;
  /** The stacks directory. */
  readonly stacks: () => string;
  readonly node: string;
  readonly setting: () => IsolationSetting;
  readonly controlGroups: boolean;
  /** Where a start is tried, where the place is only looked at and nothing of it may change. */
  readonly trial?: string;
}

/** A level that is in force, for one instance. */
export interface Cell {
  readonly level: Level;
  /** The user that owns its files and runs its programs, where Weir is root. */
  readonly user: number | undefined;
  /** Whether what runs in it gets control groups, where Weir may make some. */
  readonly controlGroups: boolean;
  /** Wraps a program of it; `nonce` marks all processes. */
  wrap(program: Program, nonce?: string): Wrapped;
}

export interface Isolation {
  /** What is in force now; what is said of it. */
  inForce(): Promise<InForce>;
  /** The cell of an instance that does not run; its home is given to its user. Rejects with `DriverFailed` where the wanted level cannot be had. */
  cellOf(id: string, folder: Folder): Promise<Cell>;
}

/** Isolation at a place. */
export function isolationAt(place: IsolationPlace): Isolation {
  const users = usersIn(place.instances, () => place.setting().firstUserId);
  const known = new Map<Level, { readonly found: Promise<Found>; readonly at: number }>();
  const state = { place, users, known };
  return {
    inForce: () => inForce(state),
    cellOf: (id, folder) => cellOf(state, id, folder),
  };
}

interface State {
  readonly place: IsolationPlace;
  readonly users: Users;
  /** What was found of each level, and when it was looked for. */
  readonly known: Map<Level, { readonly found: Promise<Found>; readonly at: number }>;
}

const isRoot = () => process.getuid?.() === 0;

/** From the strongest. */
const strongest = ['bwrap', 'user'] as const;

/** How long something that was not there is not looked for again, in milliseconds. */
const patienceMs = 60_000;

function lookFor(state: State, level: Level): Promise<Found> {
  const before = state.known.get(level);
  if (before && performance.now() - before.at < patienceMs) return before.found;
  const found = level === 'none' ? Promise.resolve<Found>({ ok: true }) : tried(state, level);
  state.known.set(level, { found, at: performance.now() });
  // What works once goes on working.
  found.then(({ ok }) => ok && state.known.set(level, { found, at: Number.POSITIVE_INFINITY })).catch(() => {});
  return found;
}

async function tried({ place }: State, level: 'bwrap' | 'user'): Promise<Found> {
  if (process.platform !== 'linux')
    return { ok: false, why: 'only Linux has it', remedy: 'run Weir on Linux to have it' };
  if (level === 'user' && !isRoot())
    return { ok: false, why: 'Weir does not run as root', remedy: 'install bubblewrap, or run Weir as root' };
  const tools = toolsHere();
  if (level === 'bwrap' && tools.bwrap === undefined)
    return { ok: false, why: 'there is no bwrap on this machine', remedy: 'install the package bubblewrap' };
  await makeFolders(place.trial ?? place.instances, 0o700);
  const closed = level === 'user' ? await closedOnTheWay(place) : [];
  if (closed.length > 0)
    return {
      ok: false,
      why: `${closed.join(' and ')} ${closed.length > 1 ? 'are' : 'is'} closed to other users`,
      remedy: `install bubblewrap, or let others pass through (chmod o+x ${closed.map(quoted).join(' ')})`,
    };
  // Past those that instances get.
  const user = isRoot() ? place.setting().firstUserId + userCount : undefined;
  return probe({ ...place, instances: place.trial ?? place.instances, level, user, tools });
}

/**
 * The folders on the way to the instances, the stacks and Node through which only their owner gets. Only that of the instances, and those of the store, are
 * Weir's to open: who may pass through any other is for whoever runs Weir to say, who may have named it for all kinds of things.
 */
async function closedOnTheWay({ instances, store, stacks, node, trial }: IsolationPlace): Promise<string[]> {
  const closed = new Set<string>();
  const isOwn = (folder: string) =>
    folder === instances || (store !== undefined && (folder === store || folder.startsWith(`${store}/`)));
  for (const folder of [instances, stacks(), dirname(node)].flatMap(wayTo)) {
    const found = await stat(folder).catch(() => undefined);
    if (!found || (found.mode & 0o001) !== 0) continue;
    if (!isOwn(folder)) closed.add(folder);
    else if (trial === undefined) await chmod(folder, (found.mode & 0o777) | 0o011);
  }
  return [...closed].sort();
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./+@:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A folder, and all that it lies in. */
function wayTo(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...wayTo(dirname(folder))];
}

/** The level that is in force, and why no stronger one is; or why none can be. */
async function levelOf(state: State): Promise<{ readonly level: Level; readonly lacking?: string } | Refused> {
  const { isolation } = state.place.setting();
  if (isolation !== 'auto') {
    const found = await lookFor(state, isolation);
    if (found.ok) return { level: isolation };
    return {
      refused: `driver.isolation is "${isolation}", and that cannot be had here, because ${found.why}: ${found.remedy}`,
    };
  }
  const lacking: string[] = [];
  for (const level of strongest) {
    const found = await lookFor(state, level);
    const lack = lacking.length === 0 ? {} : { lacking: lacking.join('; ') };
    if (found.ok) return { level, ...lack };
    lacking.push(`no "${level}", because ${found.why}: ${found.remedy}`);
  }
  return { level: 'none', lacking: lacking.join('; ') };
}

interface Refused {
  readonly refused: string;
}

async function inForce(state: State): Promise<InForce> {
  const found = await levelOf(state);
  if ('refused' in found)
    return { level: 'none', reason: 'None', message: `no instance is started: ${found.refused}`, refuses: true };
  const bounds = state.place.controlGroups ? await boundsHere(randomBytes(16).toString('hex')) : new Set<Bound>();
  return inForceAt(found.level, { bounds, lacking: found.lacking });
}

async function cellOf(state: State, id: string, folder: Folder): Promise<Cell> {
  const found = await levelOf(state);
  if ('refused' in found) throw new DriverFailed('NoIsolation', found.refused);
  const { level } = found;
  const { instances, node } = state.place;
  const user = isRoot() && level !== 'none' ? await state.users.of(id) : undefined;
  if (level === 'user') await closedOnTheWay(state.place);
  await prepare(level, user, folder);
  const tools = toolsHere();
  return {
    level,
    user,
    controlGroups: state.place.controlGroups,
    wrap: (program, nonce) =>
      wrap(program, {
        level,
        node,
        user,
        tools,
        hidden: [dirname(instances)],
        marks: nonce === undefined ? {} : { [marker]: nonce },
      }),
  };
}

/** What Weir keeps of an instance lies beside its home, in a folder that its user may pass through, and neither list nor write to. */
async function prepare(level: Level, user: number | undefined, { path, home }: Folder): Promise<void> {
  if (user !== undefined) await giveTo(home, user);
  await chmod(path, level === 'user' ? 0o711 : 0o700);
}

function toolsHere(): Tools {
  return { bwrap: commandAt('bwrap'), setpriv: commandAt('setpriv') };
}

/** Not by the PATH: what is run as root comes from where the system keeps its own programs. */
function commandAt(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
