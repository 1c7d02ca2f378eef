// All that a runtime has started, whatever became of its parents: found by what no program washes off by itself, and ended for certain.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { enterGroup, groupMembers, killGroup, removeGroup } from './control-group.ts';
import { marker } from './environment.ts';
import { endInside } from './isolation/inside.ts';
import { endUser } from './isolation/users.ts';
import {
  allPids,
  beganAt,
  isLinux,
  isRunning,
  type ProcessId,
  processesThat,
  procFile,
  signal,
  type Usage,
  usageOf,
} from './process-table.ts';

/** What tells the processes of a run. */
export interface Tree {
  /** The value of the marker in their environment; their tag comes of it. */
  readonly run: string;
  /** The folders of their control groups. */
  readonly groups?: readonly string[] | undefined;
  /** The first process of its namespace, and its user, where it has those of its own. */
  readonly init?: ProcessId | undefined;
  readonly user?: number | undefined;
}

/**
 * A limit on file locks, which Linux has not acted on since 2.4, so large that nothing else has it. Processes hand it down to whatever they start: it stays
 * where the environment is cleaned, the session left and the parent gone. Who lowers it on purpose gets out.
 */
export function tagOf(run: string): string {
  const digits = createHash('sha256').update(run).digest('hex').slice(0, 14);
  return String(2n ** 60n + BigInt(`0x${digits}`));
}

/**
 * A command that gives itself the tag of a run before it becomes the one that was meant. The name of the limit differs between shells. No file that it
 * writes grows past `mostFileMb` MiB: what is written then fails (EFBIG).
 */
export function withTag(
  run: string,
  command: readonly string[],
  { mostFileMb }: { readonly mostFileMb?: number | undefined } = {},
): readonly string[] {
  const tag = tagOf(run);
  if (!isLinux || !existsSync('/bin/sh')) return command;
  // Shells leave variables of their own.
  const tagging = `ulimit -w ${tag} 2>/dev/null || ulimit -x ${tag} 2>/dev/null`;
  // In blocks of 512 bytes (POSIX).
  const files = mostFileMb === undefined ? '' : `ulimit -f ${mostFileMb * 2048} 2>/dev/null; `;
  const script = `unset PWD OLDPWD SHLVL; ${files}${tagging}; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...command];
}

/** The processes of a run. */
export async function processesOf(tree: Tree): Promise<ProcessId[]> {
  const members = new Set((await Promise.all((tree.groups ?? []).map(groupMembers))).flat());
  return processesThat(async (pid) => members.has(pid) || (await carries(pid, tree)));
}

async function carries(pid: number, { run }: Tree): Promise<boolean> {
  if (await isTagged(pid, tagOf(run))) return true;
  return (await procFile(pid, 'environ')).split('\0').includes(`${marker}=${run}`);
}

async function isTagged(pid: number, tag: string): Promise<boolean> {
  const line = /^Max file locks +(\S+) +(\S+)/m.exec(await procFile(pid, 'limits'));
  return line?.[1] === tag || line?.[2] === tag;
}

/** Puts a process that was just started into the control groups of its run, with what it has started already. */
export async function gather(tree: Tree, pid: number): Promise<void> {
  for (const group of tree.groups ?? []) {
    if (!(await enterGroup(group, [pid]))) continue;
    const others = (await processesOf(tree)).filter((other) => other.pid !== pid);
    await enterGroup(
      group,
      others.map((other) => other.pid),
    );
  }
}

/** Kills all of a run. Nothing of it is left after that, unless it got out of everything that tells it. */
export async function endTree(tree: Tree): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    for (const group of tree.groups ?? []) await killGroup(group);
    const left = await processesOf(tree);
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

/** Reads what trees use. It remembers which process is of none, so that a look costs little where much else runs. */
export interface TreeMeter {
  /** What each tree uses now, by its run; `leader` counts wherever the system tells nothing else. */
  read(trees: Iterable<Tree & { readonly leader: ProcessId }>): Promise<ReadonlyMap<string, Usage>>;
}

/** Makes one. */
export function createTreeMeter(): TreeMeter {
  /** By number: when it began, and the tag that it has, where that is one of Weir's. */
  let known = new Map<number, { readonly began: string; readonly tag: string | undefined }>();
  const look = async () => {
    const now: typeof known = new Map();
    for (const pid of await allPids()) {
      const before = known.get(pid);
      // One that has no tag gets none later; but one with a tag may be the next with its number.
      if (before && before.tag === undefined) now.set(pid, before);
      else {
        const began = await beganAt(pid);
        if (began === undefined) continue;
        now.set(pid, before?.began === began ? before : { began, tag: await tagAt(pid) });
      }
    }
    known = now;
  };
  return {
    read: async (trees) => {
      await look();
      const found = new Map<string, Usage>();
      for (const { run, groups = [], user, leader } of trees) {
        const members = (await Promise.all(groups.map(groupMembers))).flat();
        const tag = tagOf(run);
        const tagged: number[] = [];
        // A tag can be seen, and put on by whoever wants another to be ended for it; not so a user.
        for (const [pid, process] of known)
          if (process.tag === tag && (user === undefined || (await userOf(pid)) === user)) tagged.push(pid);
        const usage = await sumOf(new Set([leader.pid, ...members, ...tagged]), leader);
        if (usage) found.set(run, usage);
      }
      return found;
    },
  };
}

async function userOf(pid: number): Promise<number | undefined> {
  const [, user] = /^Uid:\t(\d+)/m.exec(await procFile(pid, 'status')) ?? [];
  return user === undefined ? undefined : Number(user);
}

/** Tags begin at 2^60: 19 digits. */
async function tagAt(pid: number): Promise<string | undefined> {
  return /^Max file locks +(\d{19})\b/m.exec(await procFile(pid, 'limits'))?.[1];
}

/** Nothing where the leader is gone. */
async function sumOf(pids: Iterable<number>, leader: ProcessId): Promise<Usage | undefined> {
  let [memoryBytes, cpuSeconds] = [0, 0];
  if (!(await usageOf(leader))) return undefined;
  for (const pid of pids) {
    const began = await beganAt(pid);
    const usage = began === undefined ? undefined : await usageOf({ pid, began });
    memoryBytes += usage?.memoryBytes ?? 0;
    cpuSeconds += usage?.cpuSeconds ?? 0;
  }
  return { memoryBytes, cpuSeconds };
}
