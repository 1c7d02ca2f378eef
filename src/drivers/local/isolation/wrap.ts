// Wraps a program of an instance, so that it runs at a level of isolation; and starts what was wrapped.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { temporaryMb } from '../../../core/instances/memory.ts';
import { taskLimit } from '../../../core/instances/tasks.ts';
import { beganAt, type ProcessId } from '../process-table.ts';
import { bwrapArguments, type Sight } from './bwrap.ts';
import { firstInside } from './inside.ts';
import type { Level } from './level.ts';
import { seccompFilter } from './seccomp.ts';

/** A program of an instance: what it runs, and what of this machine it needs. */
export interface Program extends Omit<Sight, 'hidden'> {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where it begins. */
  readonly cwd: string;
  /** The memory that its stack allows, in MiB: what is temporary may hold no more of it. */
  readonly memoryMb?: number | undefined;
}

/** What a level needs to know. */
export interface Wrapping {
  readonly level: Level;
  /** The Node that runs it. */
  readonly node: string;
  /** The number of the user that it becomes, where Weir is root. */
  readonly user: number | undefined;
  readonly hidden: readonly string[];
  /** Variables that the processes around it have, too. */
  readonly marks: NodeJS.ProcessEnv;
  readonly tools: Tools;
}

/** The programs that levels are made of, by their paths. */
export interface Tools {
  readonly bwrap?: string | undefined;
  readonly setpriv?: string | undefined;
}

/** What is to be started in place of a program. */
export interface Wrapped {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** What it reads on the descriptors from 3 on. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** Whether it tells on the descriptor after those which process is the first one inside. */
  readonly tells: boolean;
}

const enter = fileURLToPath(new URL('./enter.cjs', import.meta.url));
const firstInput = 3;

/** Wraps a program. */
export function wrap(given: Program, wrapping: Wrapping): Wrapped {
  const { level } = wrapping;
  if (level === 'none') return { ...given, inputs: [], tells: false };
  // Weir's own place for what is temporary is not theirs.
  const program = { ...given, env: { ...given.env, TMPDIR: '/tmp' } };
  return level === 'bwrap' ? inNamespaces(program, wrapping) : asUser(program, wrapping);
}

/** Until it has become the user none of its variables act. */
function asUser({ command, args, env, cwd }: Program, { node, user, marks, tools }: Wrapping): Wrapped {
  // What on this machine gives its user more rights (sudo, su) does not for these.
  const rights = tools.setpriv === undefined ? [] : [tools.setpriv, '--no-new-privs', '--'];
  const orders = ordersFor({ user, cwd, env }, bounded([...rights, command, ...args]));
  return { command: node, args: [...inside], env: around(marks), cwd: '/', inputs: [orders], tells: false };
}

const inside = ['--disable-warning=ExperimentalWarning', enter];

/** The variables of what stands around: those of the instance come with the orders. */
function around(marks: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...marks, PATH: '/usr/bin:/bin' };
}

/** What `enter.cjs` reads. */
function ordersFor(who: object, [command = '', ...args]: readonly string[]): string {
  return JSON.stringify({ ...who, command, args });
}

/** Since then users are counted by the namespace that they are in; before it those of all instances that Weir starts as itself were one. */
const [countsByNamespace, minor] = [5, 14];

/** With a limit on the tasks of its user, so that a fork bomb stays with its instance. The shell is its own already, and shells differ in the name of the limit. */
function bounded(command: readonly string[], isOwnUser = true): readonly string[] {
  const [first = 0, second = 0] = release().split('.').map(Number);
  const isCounted = isOwnUser || first > countsByNamespace || (first === countsByNamespace && second >= minor);
  if (!isCounted) return command;
  const script = `unset PWD OLDPWD SHLVL; ulimit -p ${taskLimit} 2>/dev/null || ulimit -u ${taskLimit} 2>/dev/null; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...command];
}

function inNamespaces({ command, args, env, cwd, memoryMb, ...sight }: Program, wrapping: Wrapping): Wrapped {
  const { node, user, hidden, marks, tools } = wrapping;
  const readable = [node, enter, ...sight.readable];
  const id = user ?? process.getuid?.() ?? 0;
  const filter = seccompFilter(process.arch);
  const inputs = [
    ordersFor({ user, cwd, env }, bounded([command, ...args], user !== undefined)),
    `instance:x:${id}:${id}:instance:${cwd}:/bin/sh\n`,
    `instance:x:${id}:\n`,
    ...(filter ? [filter] : []),
  ];
  const descriptors = {
    passwd: firstInput + 1,
    group: firstInput + 2,
    ...(filter ? { seccomp: firstInput + 3 } : {}),
    info: firstInput + inputs.length,
  };
  const bytes = temporaryMb(memoryMb) * 1024 ** 2;
  const outer = bwrapArguments({ ...sight, readable, hidden }, descriptors, { root: user !== undefined, bytes });
  return {
    command: tools.bwrap ?? 'bwrap',
    args: [...outer, node, ...inside],
    env: around(marks),
    cwd: '/',
    inputs,
    tells: true,
  };
}

/** A program that was started. `leader` is the program itself; `init` is the first process of its namespace, with which all in it end. */
export interface Started {
  readonly child: ChildProcess;
  readonly leader: ProcessId;
  readonly init?: ProcessId;
}

type Stdio = 'pipe' | 'ignore' | number;

/** Starts what was wrapped. Rejects where the system does not let it, or where it ends before the program begins. */
export async function startWrapped(
  { command, args, env, cwd, inputs, tells }: Wrapped,
  {
    stdio,
    detached,
    signal,
  }: { stdio: readonly [Stdio, Stdio, Stdio]; detached: boolean; signal?: AbortSignal | undefined },
): Promise<ChildProcess> {
  const all: StdioOptions = [...stdio, ...inputs.map(() => 'pipe' as const), ...(tells ? ['pipe' as const] : [])];
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: all,
    detached,
    ...(signal ? { signal } : {}),
  });
  inputs.forEach((input, index) => {
    const pipe = child.stdio[firstInput + index];
    if (pipe && 'write' in pipe) pipe.on('error', () => {}).end(input);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('spawn', resolve).once('error', reject);
  await promise;
  return child;
}

/** Which processes a started program is. Rejects where it ended before it began. */
export async function startedBy(child: ChildProcess, { inputs, tells }: Wrapped): Promise<Started> {
  const pid = child.pid ?? 0;
  if (!tells) return { child, leader: { pid, began: (await beganAt(pid)) ?? '' } };
  const told = child.stdio[firstInput + inputs.length];
  const { init, leader } = await firstInside(child, told && 'read' in told ? told : undefined);
  return { child, init, leader };
}
