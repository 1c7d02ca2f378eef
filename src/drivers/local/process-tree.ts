// All that a runtime has started, whatever became of its parents: found by what no program washes off by itself, and ended for certain.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers, joinFile, killGroup, removeGroup } from './control-group.ts';
import { marker } from './environment.ts';
import { endInside } from './isolation/inside.ts';
import { endUser } from './isolation/users.ts';
import { allPids, isLinux, isRunning, type ProcessId, procFile, signal, standingOf } from './process-table.ts';

/** What tells the processes of a run. */
export interface Tree {
  /** The value of the marker in their environment; their tag comes of it. */
  readonly run: string;
  /** The folders of their control groups. */
  readonly groups?: readonly string[] | undefined;
  /** The first process of its namespace, and its user, where it has those of its own. */
  readonly init?: ProcessId | undefined;
  readonly user?: number | undefined;
  /** Those that are known to be of it, whatever they carry now. */
  readonly known?: readonly ProcessId[] | undefined;
}

/**
 * A limit on file locks, which Linux has not acted on since 2.4, so large that nothing else has it. Processes hand it down to whatever they start: it stays
 * where the environment is cleaned, the session left and the parent gone. Who lowers it on purpose is told by its namespace, its user, its control group, its parent or its session.
 */
export function tagOf(run: string): string {
  const digits = createHash('sha256').update(run).digest('hex').slice(0, 14);
  return String(2n ** 60n + BigInt(`0x${digits}`));
}

/** What a run is held to from the beginning. */
interface Bounds {
  /** The control groups that it joins. */
  readonly groups?: readonly string[];
  readonly mostFileMb?: number | undefined;
}

/**
 * A command that joins control groups and gives itself the tag of a run before it becomes the one that was meant: so nothing of that ever runs outside of them.
 * No file that it writes grows past `mostFileMb` MiB: what is written then fails (EFBIG). The name of the tag's limit differs between shells.
 */
export function withTag(
  run: string,
  command: readonly string[],
  { groups = [], mostFileMb }: Bounds = {},
): readonly string[] {
  const tag = tagOf(run);
  if (!isLinux || !existsSync('/bin/sh')) return command;
  const join = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift';
  // Shells leave variables of their own.
  const tagging = `ulimit -w ${tag} 2>/dev/null || ulimit -x ${tag} 2>/dev/null`;
  // In blocks of 512 bytes (POSIX).
  const files = mostFileMb === undefined ? '' : `ulimit -f ${mostFileMb * 2048} 2>/dev/null; `;
  const script = `unset PWD OLDPWD SHLVL; ${join}; ${files}${tagging}; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...groups.map(joinFile), '--', ...command];
}

/** The processes of a run: those that carry something of it, and whatever those have started or lead. */
export async function processesOf(tree: Tree): Promise<ProcessId[]> {
  const known = new Map(tree.known?.map(({ pid, began }) => [pid, began]));
  const leaders = new Set(known.keys());
  const found = new Map<number, ProcessId>();
  const others: Other[] = [];
  const all = await othersNow();
  // After each has told when it began: whoever still runs when it is signalled had its number then, too.
  const members = new Set((await Promise.all((tree.groups ?? []).map(groupMembers))).flat());
  for (const other of all) {
    const { pid, began } = other;
    // A number that was given again leads nobody of this run.
    if (known.get(pid) !== began) leaders.delete(pid);
    const isOf = members.has(pid) || known.get(pid) === began || (await carries(pid, tree));
    if (isOf) found.set(pid, { pid, began });
    else others.push(other);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, began, parent, session } of others)
      if ([parent, session].some((one) => found.has(one)) || leaders.has(session)) found.set(pid, { pid, began });
  }
  return [...found.values()];
}

interface Other extends ProcessId {
  readonly parent: number;
  readonly session: number;
}

/** All that run now but this one. */
async function othersNow(): Promise<Other[]> {
  const found: Other[] = [];
  for (const pid of await allPids()) {
    const standing = pid === process.pid ? undefined : await standingOf(pid);
    if (standing) found.push({ pid, ...standing });
  }
  return found;
}

async function carries(pid: number, { run }: Tree): Promise<boolean> {
  if ((await tagAt(pid)) === tagOf(run)) return true;
  return (await procFile(pid, 'environ')).split('\0').includes(`${marker}=${run}`);
}

/** The tag that a process has, where it is one of Weir's: tags begin at 2^60, with 19 digits. Lowering the upper limit lowers the other one. */
export async function tagAt(pid: number): Promise<string | undefined> {
  return /^Max file locks +\S+ +(\d{19})\b/m.exec(await procFile(pid, 'limits'))?.[1];
}

/** Kills all of a run. Nothing of it is left after that, unless it got out of everything that tells it. */
export async function endTree(tree: Tree): Promise<void> {
  let known = tree.known ?? [];
  for (let round = 0; round < mostRounds; round++) {
    for (const group of tree.groups ?? []) await killGroup(group);
    const left = await held({ ...tree, known });
    known = [...known, ...left];
    if (left.length === 0) break;
    for (const process of left) await signal(process, 'SIGKILL');
    for (const process of left) await gone(process);
  }
  if (tree.init) await endInside(tree.init);
  else await endUser(tree.user);
  for (const group of tree.groups ?? []) await removeGroup(group);
}

const mostRounds = 40;
const pollMs = 25;

/** Where there are so many, more are started while each is ended: they are stopped first. */
const many = 50;

async function held(tree: Tree): Promise<readonly ProcessId[]> {
  let found = await processesOf(tree);
  for (let before = many; found.length > before; ) {
    before = found.length;
    for (const process of found) await signal(process, 'SIGSTOP');
    found = await processesOf({ ...tree, known: [...(tree.known ?? []), ...found] });
  }
  return found;
}

/** Waits a second for what was killed. */
export async function gone(process: ProcessId): Promise<void> {
  for (let round = 0; round < mostRounds && (await isRunning(process)); round++) await sleep(pollMs);
}

/**
 * Whom to ask to end. What stands in front of a pid namespace is not the runtime itself: that is the first or the second in there, and a first one that is
 * no runtime does not hear it.
 */
export async function whomToAsk(leader: ProcessId, tree: Tree): Promise<readonly ProcessId[]> {
  const depth = (await namespacePids(leader.pid)).length;
  const inside: ProcessId[] = [];
  for (const process of await processesOf(tree)) {
    const pids = await namespacePids(process.pid);
    if (pids.length > depth && Number(pids.at(-1)) <= 2) inside.push(process);
  }
  return inside.length > 0 ? inside : [leader];
}

async function namespacePids(pid: number): Promise<string[]> {
  const line = /^NSpid:(.*)$/m.exec(await procFile(pid, 'status'))?.[1] ?? '';
  return line.split('\t').filter((one) => one !== '');
}
