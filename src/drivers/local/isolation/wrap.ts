// Wraps a program of an instance, so that it runs at a level of isolation; and starts what was wrapped.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
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
  /** The lists of control groups that it joins before it begins. */
  readonly joins?: readonly string[];
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
  readonly user?: number | undefined;
  /** What it reads on the descriptors from 3 on. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** Whether it tells on the descriptor after those which process is the first one inside. */
  readonly tells: boolean;
}

const enter = fileURLToPath(new URL('./enter.cjs', import.meta.url));
const firstInput = 3;

/** Wraps a program. */
export function wrap(given: Program, wrapping: Wrapping): Wrapped {
  const { level, joins = [] } = wrapping;
  // Weir's own place for what is temporary is not theirs.
  const program = level === 'none' ? given : { ...given, env: { ...given.env, TMPDIR: '/tmp' } };
  const wrapped = level === 'bwrap' ? inNamespaces(program, wrapping) : asUser(program, wrapping);
  return joins.length === 0 ? wrapped : joined(wrapped, joins);
}

/** The shell joins the groups, and then becomes what is started: so nothing of that ever runs outside of them. */
function joined({ command, args, user, ...rest }: Wrapped, joins: readonly string[]): Wrapped {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"';
  return { ...rest, user, command: '/bin/sh', args: ['-c', script, 'sh', ...joins, '--', command, ...args] };
}

function asUser({ command, args, env, cwd }: Program, { level, user, tools }: Wrapping): Wrapped {
  if (level === 'none') return { command, args, env, cwd, inputs: [], tells: false };
  const nothing = { env, cwd, user, inputs: [], tells: false };
  if (tools.setpriv === undefined) return { ...nothing, command, args };
  // What on this machine gives its user more rights (sudo, su) does not for these.
  return { ...nothing, command: tools.setpriv, args: ['--no-new-privs', '--', command, ...args] };
}

function inNamespaces({ command, args, env, cwd, ...sight }: Program, wrapping: Wrapping): Wrapped {
  const { node, user, hidden, marks, tools } = wrapping;
  const readable = [node, enter, ...sight.readable];
  const id = user ?? process.getuid?.() ?? 0;
  const filter = seccompFilter(process.arch);
  const inputs = [
    JSON.stringify({ user, cwd, command, args, env }),
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
  const inside = [node, '--disable-warning=ExperimentalWarning', enter];
  return {
    command: tools.bwrap ?? 'bwrap',
    args: [...bwrapArguments({ ...sight, readable, hidden }, descriptors, user !== undefined), ...inside],
    // The variables of the instance act inside only: they come with the orders.
    env: { ...marks, PATH: '/usr/bin:/bin' },
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
  { command, args, env, cwd, user, inputs, tells }: Wrapped,
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
    ...(user === undefined ? {} : { uid: user, gid: user }),
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
