// A control group of the system for each run, where Weir may make one: whatever a runtime starts is in it, and is ended with it in one go.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLinux } from './process-table.ts';

/** The folder of a run's group, whether it is there or not; nothing where this system has no groups. */
export async function groupFor(run: string): Promise<string | undefined> {
  for (const folder of await ownGroups()) {
    const probe = join(folder, `weir-probe-${run}`);
    const isWritable = await mkdir(probe)
      .then(() => rmdir(probe))
      .then(
        () => true,
        () => false,
      );
    // Its name can be read by everybody, and what marks a run is not for others.
    if (isWritable) return join(folder, `weir-${createHash('sha256').update(run).digest('hex').slice(0, 32)}`);
  }
  return undefined;
}

/** Makes it, and puts processes into it; whether it could be done. */
export async function enterGroup(group: string, pids: readonly number[]): Promise<boolean> {
  try {
    await mkdir(group, { recursive: true });
    for (const pid of pids) await writeFile(join(group, 'cgroup.procs'), String(pid));
    return true;
  } catch {
    return false;
  }
}

/** The numbers of those who are in it. */
export async function groupMembers(group: string): Promise<number[]> {
  const text = await textOf(join(group, 'cgroup.procs'));
  return text.split('\n').flatMap((line) => (/^[1-9]\d*$/.test(line) ? [Number(line)] : []));
}

/** Kills all who are in it. Nobody in it can start anything meanwhile. */
export async function killGroup(group: string): Promise<void> {
  // Version 2 since Linux 5.14 does it by itself; elsewhere nothing new comes in while each is killed.
  if (await written(join(group, 'cgroup.kill'), '1')) return;
  await written(join(group, 'pids.max'), '0');
  for (const pid of await groupMembers(group)) killNow(pid);
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

/** The groups that this process is in, as folders: first that of version 2, then those of version 1 that end what they hold best. */
async function ownGroups(): Promise<string[]> {
  if (!isLinux) return [];
  const own = memberships(await textOf('/proc/self/cgroup'));
  const mounts = mountsIn(await textOf('/proc/self/mountinfo'));
  return ['', 'pids', 'freezer'].flatMap((controller) => {
    const [path, mount] = [own.get(controller), mounts.get(controller)];
    if (path === undefined || mount === undefined) return [];
    const below = relative(mount.root, path);
    return below.startsWith('..') ? [] : [join(mount.folder, below)];
  });
}

/** Of /proc/self/cgroup (cgroups(7)): `ID:CONTROLLERS:PATH`. Version 2 has no controllers there. */
function memberships(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, controllers, ...path] = line.split(':');
      return (controllers ?? '').split(',').map((controller) => [controller, path.join(':')] as const);
    }),
  );
}

/** Of /proc/self/mountinfo (proc_pid_mountinfo(5)): where the trees of groups are, and which part of them. */
function mountsIn(text: string): ReadonlyMap<string, { readonly root: string; readonly folder: string }> {
  const found = new Map<string, { readonly root: string; readonly folder: string }>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', folder = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') found.set('', { root, folder });
    if (type === 'cgroup') for (const controller of options.split(',')) found.set(controller, { root, folder });
  }
  return found;
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function written(path: string, text: string): Promise<boolean> {
  // Never made: these files are the system's.
  return writeFile(path, text, { flag: 'r+' }).then(
    () => true,
    () => false,
  );
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
