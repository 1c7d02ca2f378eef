// Where this process may make control groups, and what the system bounds in each: looked for in both versions, by trying.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isLinux } from './process-table.ts';

/** What a group can bound. */
export type Bound = 'memory' | 'tasks';

/** A folder in which groups may be made; `bounds` is what those can bound. */
export interface GroupPlace {
  readonly folder: string;
  readonly bounds: readonly Bound[];
}

/** The controllers, which version 1 and 2 call the same. */
const controllers: Readonly<Record<Bound, string>> = { memory: 'memory', tasks: 'pids' };
const allBounds = ['memory', 'tasks'] as const;

/** The file that holds a bound, and what makes it none: version 2, then version 1. */
const trials: readonly (readonly [Bound, file: string, unbound: string])[] = [
  ['memory', 'memory.max', 'max'],
  ['memory', 'memory.limit_in_bytes', '-1'],
  ['tasks', 'pids.max', 'max'],
];

/**
 * The places for the groups of a run, each with other bounds; where nothing can be bound still one, if there is any, because a group ends what it holds best.
 * `name` is that of a group to try with, which nobody else has.
 */
export async function placesFor(name: string): Promise<readonly GroupPlace[]> {
  if (!isLinux) return [];
  const own = memberships(await textOf('/proc/self/cgroup'));
  const mounts = mountsIn(await textOf('/proc/self/mountinfo'));
  const at = (controller: string) => ownFolder(own.get(controller), mounts.get(controller));
  const found: GroupPlace[] = [];
  const bounded = () => new Set(found.flatMap(({ bounds }) => bounds));
  const unified = await unifiedPlace(at(''), mounts.get('')?.folder, name);
  if (unified) found.push(unified);
  for (const bound of allBounds) {
    const folder = at(controllers[bound]);
    const known = bounded().has(bound) || found.some((place) => place.folder === folder);
    const place = known || folder === undefined ? undefined : await tried(folder, name);
    if (place?.bounds.includes(bound)) found.push(place);
  }
  const freezer = found.length > 0 ? undefined : at('freezer');
  const last = freezer === undefined ? undefined : await tried(freezer, name);
  return last ? [last] : found;
}

/**
 * In version 2 no group both holds processes and hands controllers down, but the uppermost. So where Weir's own group cannot, the one above it may: that is how systemd
 * delegates a unit (`Delegate=`, `DelegateSubgroup=`). Weir moves nobody for it, itself included: whoever starts it may rely on where it is.
 */
async function unifiedPlace(
  own: string | undefined,
  root: string | undefined,
  name: string,
): Promise<GroupPlace | undefined> {
  if (own === undefined || root === undefined) return undefined;
  const first = await handedDown(own, name);
  if (first && first.bounds.length === allBounds.length) return first;
  const above = dirname(own);
  // Slices are systemd's, and hold nothing but its units.
  const isOurs = own !== root && !above.endsWith('.slice') && (await textOf(join(above, 'cgroup.procs'))) === '';
  const second = isOurs ? await handedDown(above, name) : undefined;
  return second && second.bounds.length > (first?.bounds.length ?? 0) ? second : first;
}

async function handedDown(folder: string, name: string): Promise<GroupPlace | undefined> {
  const known = wordsOf(await textOf(join(folder, 'cgroup.controllers')));
  const active = wordsOf(await textOf(join(folder, 'cgroup.subtree_control')));
  const wanted = allBounds.map((bound) => controllers[bound]).filter((name) => known.has(name) && !active.has(name));
  // Where processes stand, but in the uppermost group, that of memory is refused, and that of tasks makes of all groups below what no process can join
  // ("domain threaded"). The uppermost has no type.
  const isEmpty = (await textOf(join(folder, 'cgroup.procs'))) === '';
  if (isEmpty || (await textOf(join(folder, 'cgroup.type'))) === '')
    for (const name of wanted) await written(join(folder, 'cgroup.subtree_control'), `+${name}`);
  return tried(folder, name);
}

/** Makes a group, has a process join it, and takes it away. */
async function tried(folder: string, name: string): Promise<GroupPlace | undefined> {
  const group = join(folder, name);
  try {
    await mkdir(group);
  } catch {
    return undefined;
  }
  try {
    if (!(await canJoin(group))) return undefined;
    const bounds = new Set<Bound>();
    for (const [bound, file, unbound] of trials) if (await written(join(group, file), unbound)) bounds.add(bound);
    return { folder, bounds: [...bounds] };
  } finally {
    await rmdir(group).catch(() => {});
  }
}

/** By the way in which a run does it. */
async function canJoin(group: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'echo $$ > "$0"', join(group, 'cgroup.procs')], { stdio: 'ignore', env: {} });
  const [code] = await once(child, 'exit').catch(() => [1]);
  return code === 0;
}

interface Mount {
  readonly root: string;
  readonly folder: string;
}

function ownFolder(path: string | undefined, mount: Mount | undefined): string | undefined {
  if (path === undefined || mount === undefined) return undefined;
  const below = relative(mount.root, path);
  return below.startsWith('..') ? undefined : join(mount.folder, below);
}

/** Of /proc/self/cgroup (cgroups(7)): `ID:CONTROLLERS:PATH`. Version 2 has no controllers there. */
function memberships(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, controllersOf, ...path] = line.split(':');
      return (controllersOf ?? '').split(',').map((controller) => [controller, path.join(':')] as const);
    }),
  );
}

/** Of /proc/self/mountinfo (proc_pid_mountinfo(5)): where the trees of groups are, and which part of them. */
function mountsIn(text: string): ReadonlyMap<string, Mount> {
  const found = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', folder = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') found.set('', { root, folder });
    if (type === 'cgroup') for (const controller of options.split(',')) found.set(controller, { root, folder });
  }
  return found;
}

const wordsOf = (text: string) => new Set(text.trim().split(' '));

/** Of a file of the system; empty where there is none. */
export function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** Writes a file of the system, and never makes one; whether it could be done. */
export function written(path: string, text: string): Promise<boolean> {
  return writeFile(path, text, { flag: 'r+' }).then(
    () => true,
    () => false,
  );
}
