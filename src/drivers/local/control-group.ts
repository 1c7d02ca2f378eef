// Control groups of the system for each run, where Weir may make them: they bound what a runtime and all that it starts hold, and end it in one go.
import { createHash } from 'node:crypto';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { treeLimitMb } from '../../core/instances/memory.ts';
import { taskLimit } from '../../core/instances/tasks.ts';
import { type Bound, placesFor, textOf, written } from './control-group-places.ts';
import { beganAt, type ProcessId, signal } from './process-table.ts';

/** The folders of a run's groups, whether they are there or not; none where Weir may make none. */
export async function groupsFor(run: string): Promise<string[]> {
  // Its name can be read by everybody, and what marks a run is not for others.
  const name = createHash('sha256').update(run).digest('hex').slice(0, 32);
  return (await placesFor(`weir-probe-${name}`)).map(({ folder }) => join(folder, `weir-${name}`));
}

/** What groups bound here; `run` is that of nobody. */
export async function boundsHere(run: string): Promise<ReadonlySet<Bound>> {
  return new Set((await placesFor(`weir-probe-${run}`)).flatMap(({ bounds }) => bounds));
}

/** Makes the groups of a run, with their limits; answers those that are there. */
export async function makeGroups(
  groups: readonly string[],
  { memoryMb }: { readonly memoryMb?: number | undefined },
): Promise<string[]> {
  const made: string[] = [];
  for (const group of groups) {
    const isThere = await mkdir(group).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    made.push(group);
    await written(join(group, 'pids.max'), String(taskLimit));
    if (memoryMb !== undefined) await boundMemory(group, treeLimitMb(memoryMb) * 1024 ** 2);
  }
  return made;
}

/** Swap counts as memory: what is moved there is no way past the limit. */
async function boundMemory(group: string, bytes: number): Promise<void> {
  if (await written(join(group, 'memory.max'), String(bytes))) {
    await written(join(group, 'memory.swap.max'), '0');
    // A part that was killed leaves a whole that nobody wrote.
    await written(join(group, 'memory.oom.group'), '1');
    return;
  }
  await written(join(group, 'memory.limit_in_bytes'), String(bytes));
  await written(join(group, 'memory.memsw.limit_in_bytes'), String(bytes));
}

/** The file by which processes join a group. */
export function joinFile(group: string): string {
  return join(group, 'cgroup.procs');
}

/** The numbers of those who are in it. */
export async function groupMembers(group: string): Promise<number[]> {
  const text = await textOf(joinFile(group));
  return text.split('\n').flatMap((line) => (/^[1-9]\d*$/.test(line) ? [Number(line)] : []));
}

/** Those who are in it. Each began before it was seen there: a number that was given again since is that of nobody here (`isRunning`). */
export async function groupProcesses(group: string): Promise<ProcessId[]> {
  const seen: ProcessId[] = [];
  for (const pid of await groupMembers(group)) {
    const began = await beganAt(pid);
    if (began !== undefined) seen.push({ pid, began });
  }
  const members = new Set(await groupMembers(group));
  return seen.filter(({ pid }) => members.has(pid));
}

/** Kills all who are in it. Nobody in it can start anything meanwhile. */
export async function killGroup(group: string): Promise<void> {
  // Version 2 since Linux 5.14 does it by itself; elsewhere nothing new comes in while each is killed.
  if (await written(join(group, 'cgroup.kill'), '1')) return;
  await written(join(group, 'pids.max'), '0');
  for (const process of await groupProcesses(group)) await signal(process, 'SIGKILL');
}

/** Takes it away when nobody is in it any more; whoever was killed may take a moment to go. */
export async function removeGroup(group: string): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const error = await rmdir(group).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    if (error !== 'EBUSY') return;
    await sleep(pollMs);
  }
}

const mostRounds = 40;
const pollMs = 25;

/** How many in it the system killed because their memory did not suffice. */
export async function memoryKills(group: string): Promise<number> {
  const text = (await textOf(join(group, 'memory.events'))) || (await textOf(join(group, 'memory.oom_control')));
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
