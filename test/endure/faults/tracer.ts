// System calls that are made to fail, or to be the last: strace injects the faults.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { debian } from '../../support/debian.ts';
import { waitFor } from '../world.ts';

/** What happens at a system call. `when`: at which call of each thread. */
export interface Injection {
  readonly call: string;
  readonly fault: 'error=EIO' | 'error=ENOSPC' | 'signal=KILL';
  readonly when: number;
  /** At every later one, too. */
  readonly andAfter?: true;
}

/** The options of strace for an injection. */
export function injecting({ call, fault, when, andAfter }: Injection): string[] {
  return [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${fault}:when=${when}${andAfter ? '+' : ''}`,
  ];
}

/** Attaches to all threads of a process; answers what lets it go. */
export async function attach(pid: number, injection: Injection): Promise<() => Promise<void>> {
  const tracer = spawn('strace', [...injecting(injection), '-p', String(pid)], { stdio: 'ignore' });
  const ended = new Promise((resolve) => tracer.once('exit', resolve).once('error', resolve));
  await waitFor(() => isTraced(pid) || hasEnded(tracer));
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}

/** Why nothing can be traced here; nothing where it can. */
export async function cannotTrace(): Promise<string | undefined> {
  if (!debian(['strace'], ['strace'])) return 'there is no strace (Debian: apt-get install strace)';
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    const detach = await attach(sleeper.pid ?? 0, { call: 'fsync', fault: 'error=EIO', when: 1 });
    const traced = isTraced(sleeper.pid ?? 0);
    await detach();
    return traced ? undefined : 'this machine lets no process trace another (ptrace)';
  } finally {
    sleeper.kill('SIGKILL');
  }
}

function isTraced(pid: number): boolean {
  try {
    return /^TracerPid:\t[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
