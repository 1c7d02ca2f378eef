// The processes of this machine: which is which although numbers are used again, what they use, and how they are ended.
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process for good: its number, and when it began, in the words of the system. */
export interface ProcessId {
  readonly pid: number;
  readonly began: string;
}

/** What a process uses. `cpuSeconds`: since it began. */
export interface Usage {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  /** Processes and their threads. */
  readonly tasks: number;
}

export const isLinux = process.platform === 'linux';
const run = promisify(execFile);

/** When the process that has this number now began; nothing where there is none, or only what is left of one that ended. */
export async function beganAt(pid: number): Promise<string | undefined> {
  return isLinux ? (await statOf(pid))?.began : beganByPs(pid);
}

/** Whether this very process still runs. */
export async function isRunning({ pid, began }: ProcessId): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return (await beganAt(pid)) === began;
}

/** Sends a signal to this very process; whether it was there. Node has no pidfd: between its look and its signal a moment is left. */
export async function signal(target: ProcessId, name: NodeJS.Signals): Promise<boolean> {
  return (await isRunning(target)) && kill(target.pid, name);
}

/** The numbers of all processes that there are. Only Linux tells; elsewhere there are none. */
export async function allPids(): Promise<number[]> {
  if (!isLinux) return [];
  return (await readdir('/proc')).flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Whether a process has this value in its environment; where the system does not tell, it is believed. */
export async function isMarked({ pid }: ProcessId, variable: string, value: string): Promise<boolean> {
  return !isLinux || (await environmentOf(pid)).includes(`${variable}=${value}`);
}

/** The value of a variable in the environment of a process, as it was started. */
export async function variableOf(pid: number, variable: string): Promise<string | undefined> {
  const found = (await environmentOf(pid)).find((line) => line.startsWith(`${variable}=`));
  return found?.slice(variable.length + 1);
}

/** Whether a process works in a folder, wherever that was moved since; where the system does not tell, it does not. */
export async function worksIn({ pid }: ProcessId, folder: string): Promise<boolean> {
  // Not by its name: it may work in a root of its own.
  const [its, ours] = await Promise.all(
    [`/proc/${pid}/cwd`, folder].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  return its !== undefined && its.ino === ours?.ino && its.dev === ours.dev;
}

async function environmentOf(pid: number): Promise<string[]> {
  return (await procFile(pid, 'environ')).split('\0');
}

/** What a process uses now, and the children of it that it has waited for; nothing where it is gone, or where the system does not tell. */
export async function usageOf({ pid, began }: ProcessId): Promise<Usage | undefined> {
  const stat = isLinux ? await statOf(pid) : undefined;
  if (!stat || stat.began !== began) return undefined;
  return {
    memoryBytes: stat.residentPages * pageBytes,
    cpuSeconds: stat.cpuTicks / ticksPerSecond,
    tasks: stat.threads,
  };
}

/** Where a process stands: when it began, its parent, and who leads its session. */
export async function standingOf(
  pid: number,
): Promise<{ readonly began: string; readonly parent: number; readonly session: number } | undefined> {
  return isLinux ? statOf(pid) : undefined;
}

/** The file of /proc about a process; empty where it is gone, or closed. */
export function procFile(pid: number, name: 'environ' | 'limits' | 'status'): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
}

/** Sends a signal to a number; whether something has it. */
function kill(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

// What Linux has on every machine that Node runs on but some exotic ones.
const ticksPerSecond = 100;
const pageBytes = 4096;

/** The fields of /proc/PID/stat (proc_pid_stat(5)) that are of use; nothing for a process that has ended. */
async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  // The second field is a name in brackets, which may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (field: number) => fields[field - 3] ?? '';
  // A leader may be dead before its other threads are, and until those are it holds its port.
  if (at(3) === 'X' || (at(3) === 'Z' && Number(at(20)) <= 1)) return undefined;
  return {
    began: `${await bootId()}/${at(22)}`,
    cpuTicks: [14, 15, 16, 17].reduce((sum, field) => sum + Number(at(field)), 0),
    residentPages: Number(at(24)),
    threads: Number(at(20)),
    parent: Number(at(4)),
    session: Number(at(6)),
  };
}

/** Clock ticks begin anew when the machine does. */
async function bootId(): Promise<string> {
  knownBootId ??= (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim() || undefined;
  return knownBootId ?? '';
}

// A memo of what cannot change while this process lives: it is asked for each time that a process is looked at.
let knownBootId: string | undefined;

async function beganByPs(pid: number): Promise<string | undefined> {
  const answer = await run('ps', ['-o', 'lstart=,stat=', '-p', String(pid)]).catch(() => undefined);
  const text = (answer?.stdout ?? '').trim();
  const at = text.lastIndexOf(' ');
  return at < 0 || text.startsWith('Z', at + 1) ? undefined : text.slice(0, at).trimEnd();
}
