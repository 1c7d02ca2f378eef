// Where a command prints to and what it may know of its surroundings, so that it never asks the process itself.
import { fstatSync } from 'node:fs';

/** A stream to print on. */
export interface Screen {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Whether people want colours on it. */
  readonly colours: boolean;
  /** How many characters fit beside each other; nothing where that is not known. */
  readonly columns: number | undefined;
}

/** The surroundings of a command. */
export interface Io {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Which file stdout leads into, where it leads into one. */
  readonly stdoutFile?: () => { readonly dev: number; readonly ino: number } | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Weir's own. */
  readonly version: string;
  /** Monotonic, in milliseconds, from the start of the command. */
  readonly elapsed: () => number;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  /** Calls back at each signal that asks for an end; answers what stops listening. */
  readonly onStop: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** The surroundings of this process. */
export function ioOf(process: NodeJS.Process, version: string): Io {
  const { env } = process;
  const started = performance.now();
  return {
    stdout: screenOf(process.stdout, env),
    stderr: screenOf(process.stderr, env),
    stdoutFile: () => fileOf(process.stdout.fd),
    env,
    cwd: process.cwd(),
    version,
    elapsed: () => performance.now() - started,
    now: instants(),
    onStop: (listener) => {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

/** The time now, as RFC 3339 has it, written once a millisecond. */
function instants(): () => string {
  let [ms, text] = [Number.NaN, ''];
  return () => {
    const now = Date.now();
    if (now !== ms) [ms, text] = [now, new Date(now).toISOString()];
    return text;
  };
}

/** Nothing for a stream that is closed. */
function fileOf(descriptor: number) {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

function screenOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = stream.isTTY === true;
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal,
    colours: isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    columns: isTerminal ? stream.columns : undefined,
  };
}
