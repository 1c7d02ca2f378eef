// Finds the processes of a namespace from outside: its first one, with which all in it end, and the program that was started in it.
import type { ChildProcess } from 'node:child_process';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DriverFailed } from '../../driver.ts';
import { beganAt, isRunning, type ProcessId, signal } from '../process-table.ts';
import { temporaryFolders } from './bwrap.ts';

const pollMs = 5;
const mostMs = 30_000;

/** What bubblewrap tells of (`--info-fd`), and the child of it. Rejects with `DriverFailed` where it ended first. */
export async function firstInside(
  child: ChildProcess,
  told: Readable | undefined,
): Promise<{ readonly init: ProcessId; readonly leader: ProcessId }> {
  const first = await toldPid(told);
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const init = first === undefined ? undefined : await processAt(first);
  for (let waited = 0; init && waited < mostMs && !isOver(); waited += pollMs) {
    const pid = await childOf(init.pid);
    const leader = pid === undefined ? undefined : await processAt(pid);
    if (leader) return { init, leader };
    await sleep(pollMs);
  }
  if (init) await signal(init, 'SIGKILL');
  throw new DriverFailed('StartFailed', 'it could not be started in isolation; its log says why');
}

async function toldPid(told: Readable | undefined): Promise<number | undefined> {
  let text = '';
  // To its end: bubblewrap would be ended by a descriptor that nobody reads.
  for await (const part of told ?? []) text += String(part);
  const [, pid] = /"child-pid": *(\d+)/.exec(text) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

async function processAt(pid: number): Promise<ProcessId | undefined> {
  const began = await beganAt(pid);
  return began === undefined ? undefined : { pid, began };
}

/** The first child of a process (proc_pid_children(5)). */
async function childOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const [first = ''] = text.split(' ');
  return first === '' ? undefined : Number(first);
}

/** Ends a namespace with all in it, however much that is. */
export async function endInside(init: ProcessId | undefined): Promise<void> {
  if (!init) return;
  await signal(init, 'SIGKILL');
  for (let waited = 0; waited < mostMs && (await isRunning(init)); waited += pollMs) await sleep(pollMs);
}

/** How much memory the files take that a program sees in its folders for what is temporary; nothing where it is gone. */
export async function temporaryBytesOf({ pid }: ProcessId): Promise<number> {
  const root = join('/proc', String(pid), 'root');
  const sizes = await Promise.all(
    temporaryFolders.map((folder) =>
      Promise.all([statfs(join(root, folder)), stat(join(root, folder)), stat(folder)]).then(
        ([{ blocks, bfree, bsize }, its, own]) => (its.dev === own.dev ? 0 : (blocks - bfree) * bsize),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
