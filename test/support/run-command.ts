// Runs a program as a user would, and tells what it printed and how it ended.
import { type ChildProcess, spawn } from 'node:child_process';

/** How a program ended: `code` is null when a signal ended it; `timedOut` when that signal was ours. */
export interface CommandResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** `env` is the whole environment (default: this process's); `input` its standard input; `timeoutMs` is for who must not run on. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** A program that runs. `output()` is what it printed until now; `ended` never rejects for an exit code, only when it cannot be started. */
export interface RunningCommand {
  readonly child: ChildProcess;
  output(): { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<CommandResult>;
}

/** A program that hangs shall tell what it printed before its test file is stopped. */
const patienceMs = 240_000;

/** Runs `file` with `args` to its end, at most four minutes long. Rejects only when the program cannot be started. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return startCommand(file, args, { timeoutMs: patienceMs, ...options }).ended;
}

/** Starts `file` with `args` and leaves it running; it dies with this process, or after `timeoutMs` where that is given. */
export function startCommand(file: string, args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const { timeoutMs, input = '', cwd = process.cwd(), env = process.env } = options;
  const child = spawn(file, args, { cwd, env, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => {}).end(input);
  let timedOut = false;
  const kill = () => child.kill('SIGKILL');
  const stop = () => {
    timedOut = kill();
    // A grandchild may hold the other ends of these pipes open for ever.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  children.add(child);
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  child.once('error', reject).once('close', (code, signal) => resolve({ code, signal, ...output, timedOut }));
  const ended = promise.finally(() => {
    clearTimeout(timer);
    children.delete(child);
  });
  return { child, output: () => ({ ...output }), ended };
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
