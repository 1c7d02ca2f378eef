// Where a command prints to and what it may know of its surroundings, so that it never asks the process itself.
import { fstatSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '../lib/clock.ts';
import { reasonOf } from '../lib/reason-of.ts';
import { Unavailable } from './failure.ts';

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
  /** Resolves when nobody reads stdout any more (`weir plan | head -1`), which shows when something is printed. */
  readonly readerGone?: Promise<undefined>;
  /** Nobody wants to read on stdout that all is well, nor of progress. */
  readonly quiet?: boolean;
  /** Each report on stdout is one line, because one follows another. */
  readonly lines?: boolean;
  /** The plan that comes to be carried out was shown already. */
  readonly planShown?: boolean;
  /** Asks a question on the terminal; answers nothing at the end of the input. Absent where nobody can be asked. */
  readonly ask?: (question: string) => Promise<string | undefined>;
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
    stdout: screenOf(process.stdout, env, (error) => {
      throw stdoutNotWritten(error);
    }),
    // There is nobody left to tell. A server goes on, and its log with it as soon as the disk has room again.
    stderr: screenOf(process.stderr, env, () => {}),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askOn(process) } : {}),
    stdoutFile: () => fileOf(process.stdout.fd),
    readerGone: goneFrom(process.stdout),
    env,
    cwd: process.cwd(),
    version,
    elapsed: () => performance.now() - started,
    now: systemClock(),
    onStop: (listener) => {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

function goneFrom(stream: NodeJS.WriteStream): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  stream.on('error', (error: Error & { readonly code?: string }) => error.code === 'EPIPE' && resolve(undefined));
  return promise;
}

/** The terminal stays as it is: it shows what is typed, and Ctrl-C ends the process. */
function askOn({ stdin, stderr }: NodeJS.Process): (question: string) => Promise<string | undefined> {
  return async (question) => {
    const lines = createInterface({ input: stdin, terminal: false });
    stderr.write(question);
    try {
      for await (const line of lines) return line;
      return undefined;
    } finally {
      lines.close();
      stdin.pause();
    }
  };
}

/**
 * How to write into a file, or to a device that is no terminal; nothing for other streams. A stream of Node's would not notice that only a part
 * of a text went out, would tell of an error later, and would take nothing more after it.
 */
function fileWriter(
  { fd, isTTY }: NodeJS.WriteStream & { readonly fd: number },
  onError: (error: unknown) => void,
): ((text: string) => void) | undefined {
  const file = fileOf(fd);
  if (isTTY || !file || !(file.isFile() || file.isCharacterDevice())) return undefined;
  return (text) => {
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch (error) {
      onError(error);
    }
  };
}

/** What is said where stdout takes nothing more: a full disk is no bug. What the command did is done. */
export function stdoutNotWritten(error: unknown): Unavailable {
  return new Unavailable('output_not_written', `stdout cannot be written, because ${reasonOf(error)}`);
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

function screenOf(
  stream: NodeJS.WriteStream & { readonly fd: number },
  env: NodeJS.ProcessEnv,
  onError: (error: unknown) => void,
): Screen {
  const isTerminal = stream.isTTY === true;
  const toStream = (text: string) => {
    stream.write(text);
  };
  return {
    write: fileWriter(stream, onError) ?? toStream,
    isTerminal,
    colours: isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    columns: isTerminal ? stream.columns : undefined,
  };
}
