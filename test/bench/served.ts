// Servers in processes of their own, measured from within by the monitor that is loaded into them.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { usageOf } from '../support/process-usage.ts';
import type { LoopDelay } from './monitor.ts';

/** The script of Weir. */
export const main = new URL('../../src/bin/weir.js', import.meta.url).pathname;

const monitor = new URL('./monitor.ts', import.meta.url).href;

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  /** How its event loop was held, and its CPU, since it was last asked. */
  readonly read: () => Promise<LoopDelay>;
  /** Resident memory in MB, as the system sees it (`proc(5)`); nothing where it does not say. */
  readonly memory: () => number | undefined;
  /** The most that it has had so far, likewise. */
  readonly peak: () => number | undefined;
  readonly stop: () => Promise<void>;
}

/** What the launcher gives a server on its way. It cannot do so here, where the server has a channel to whoever started it. */
const memory = JSON.parse(readFileSync(new URL('../../src/bin/memory.json', import.meta.url), 'utf8'));

/** Starts `weir serve`. */
export function startServer(tree: string, store: string): Promise<Server> {
  return startScript(main, ['serve', tree, '--store', store, '--port', '0'], {
    execArgv: memory.flags,
    env: { ...process.env, ...memory.environment },
  });
}

/** How a script is started otherwise than always. */
export type StartOptions = Pick<ForkOptions, 'execArgv' | 'env'>;

/** Starts a script that prints the address that it listens on. Should it end before it is told to, whoever asks it something hears what it said last. */
export async function startScript(
  script: string,
  args: readonly string[],
  { execArgv = [], env = process.env }: StartOptions = {},
): Promise<Server> {
  const child = fork(script, args, {
    execArgv: ['--import', monitor, ...execArgv],
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said = listenTo(child);
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  const failed = ended.then((how) => Promise.reject(new Error(`the server ended (${how}):\n${said().slice(-4000)}`)));
  failed.catch(() => {});
  const url = await Promise.race([addressIn(child, said), failed]);
  return {
    url,
    read: () => {
      const answer = new Promise<LoopDelay>((resolve) =>
        child.once('message', (message) => resolve(message as LoopDelay)),
      );
      child.send('read');
      return Promise.race([answer, failed]);
    },
    memory: () => {
      const { residentBytes } = usageOf(child.pid ?? 0) ?? {};
      return residentBytes === undefined ? undefined : residentBytes / 1e6;
    },
    peak: () => {
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      return kilobytes === undefined ? undefined : Number(kilobytes) / 1e3;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function listenTo(child: ChildProcess): () => string {
  let text = '';
  const listen = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  return () => text;
}

function addressIn(child: ChildProcess, said: () => string): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said()) ?? [];
      if (url) resolve(url);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
  });
}
