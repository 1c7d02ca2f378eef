// Reads what the runs of a machine use. It remembers which process is of which, so that a look costs little where much else runs, and nobody gets out by what it takes off later.
import { readlink } from 'node:fs/promises';
import { groupProcesses } from './control-group.ts';
import { temporaryBytesOf } from './isolation/inside.ts';
import { allPids, type ProcessId, procFile, standingOf, type Usage, usageOf } from './process-table.ts';
import { type Tree, tagAt, tagOf } from './process-tree.ts';

/** A run that is measured; `leader` counts wherever the system tells nothing else. */
export type Measured = Tree & { readonly leader: ProcessId };

export interface TreeMeter {
  /** What each tree uses now, by its run. */
  read(trees: Iterable<Measured>): Promise<ReadonlyMap<string, Usage>>;
  /** Those that were of a run when it was read last. */
  membersOf(run: string): readonly ProcessId[];
}

/** A process as it was when it was first seen; its tag may be that of who started it. */
interface Seen {
  readonly began: string;
  readonly tag: string | undefined;
  readonly user: number | undefined;
  readonly space: string | undefined;
}

/** Makes one. */
export function createTreeMeter(): TreeMeter {
  let known: ReadonlyMap<number, Seen> = new Map();
  let members: ReadonlyMap<string, readonly ProcessId[]> = new Map();
  // One look is the next one's memory.
  let turn: Promise<unknown> = Promise.resolve();
  const read = async (trees: readonly Measured[]) => {
    known = await look(known);
    const [usages, found] = [new Map<string, Usage>(), new Map<string, readonly ProcessId[]>()];
    for (const tree of trees) {
      const its = await processesIn(tree, known);
      const usage = await sumOf(its, tree.leader);
      const files = tree.init ? await temporaryBytesOf(tree.leader) : 0;
      if (usage) usages.set(tree.run, { ...usage, memoryBytes: usage.memoryBytes + files });
      found.set(tree.run, its);
    }
    members = found;
    return usages;
  };
  return {
    membersOf: (run) => members.get(run) ?? [],
    read: (trees) => {
      const mine = turn.then(() => read([...trees]));
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

async function look(before: ReadonlyMap<number, Seen>): Promise<ReadonlyMap<number, Seen>> {
  const now = new Map<number, Seen>();
  const came: Came[] = [];
  for (const pid of await allPids()) {
    const seen = before.get(pid);
    // One that is of nobody is nobody's later; but one that is may be the next with its number.
    if (seen && isNobodys(seen)) {
      now.set(pid, seen);
      continue;
    }
    const standing = await standingOf(pid);
    if (!standing) continue;
    if (seen?.began === standing.began) now.set(pid, seen);
    else {
      now.set(pid, await seenAt(pid, standing.began));
      came.push({ pid, ...standing });
    }
  }
  while (inherit(now, came)) {}
  return now;
}

/** Gives what came the tags of those who started or lead it; whether there was one. */
function inherit(now: Map<number, Seen>, came: readonly Came[]): boolean {
  let isNew = false;
  for (const { pid, parent, session } of came) {
    const [own, tag] = [now.get(pid), now.get(parent)?.tag ?? now.get(session)?.tag];
    if (!own || own.tag !== undefined || tag === undefined) continue;
    now.set(pid, { ...own, tag });
    isNew = true;
  }
  return isNew;
}

interface Came {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/** Whoever has neither a tag, nor a user of its own, nor a namespace of its own. */
function isNobodys({ tag, user, space }: Seen): boolean {
  return tag === undefined && user === undefined && space === undefined;
}

/** What is everybody's counts as nothing. */
async function seenAt(pid: number, began: string): Promise<Seen> {
  const [tag, user, space, ours] = await Promise.all([tagAt(pid), userOf(pid), spaceOf(pid), spaceOf(process.pid)]);
  return {
    began,
    tag,
    user: user === process.getuid?.() ? undefined : user,
    space: space === ours ? undefined : space,
  };
}

async function processesIn(
  { run, groups = [], user, init, leader }: Measured,
  known: ReadonlyMap<number, Seen>,
): Promise<ProcessId[]> {
  const [tag, space] = [tagOf(run), init && known.get(init.pid)?.space];
  const inGroups = (await Promise.all(groups.map(groupProcesses))).flat();
  const found = new Map([...inGroups, leader].map((its) => [its.pid, its]));
  for (const [pid, its] of known) {
    // A tag can be seen, and put on by whoever wants another to be ended for it; not so a user.
    const isUsers = user !== undefined && (its.user === user || (its.tag === tag && (await userOf(pid)) === user));
    const isTagged = its.tag === tag && user === undefined;
    const isOf = isUsers || isTagged || (space !== undefined && its.space === space);
    // By when it began as it was looked at: whoever has its number later is another.
    if (isOf && !found.has(pid)) found.set(pid, { pid, began: its.began });
  }
  return [...found.values()];
}

async function userOf(pid: number): Promise<number | undefined> {
  const [, user] = /^Uid:\t(\d+)/m.exec(await procFile(pid, 'status')) ?? [];
  return user === undefined ? undefined : Number(user);
}

/** Its process namespace; nothing where that is not for Weir to see. */
async function spaceOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
}

/** Nothing where the leader is gone. */
async function sumOf(processes: Iterable<ProcessId>, leader: ProcessId): Promise<Usage | undefined> {
  let [memoryBytes, cpuSeconds, tasks] = [0, 0, 0];
  if (!(await usageOf(leader))) return undefined;
  for (const process of processes) {
    const usage = await usageOf(process);
    memoryBytes += usage?.memoryBytes ?? 0;
    cpuSeconds += usage?.cpuSeconds ?? 0;
    tasks += usage?.tasks ?? 0;
  }
  return { memoryBytes, cpuSeconds, tasks };
}
