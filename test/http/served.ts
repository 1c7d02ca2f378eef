// `weir serve` as a process on a folder that a test keeps: for what only a whole server shows, such as how it ends and what it finds again.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandResult, startCommand } from '../support/run-command.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';

export interface Served {
  readonly url: string;
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<CommandResult>;
  /** Asks it to end by SIGTERM, and waits until it has. */
  stop(): Promise<CommandResult>;
}

/** Starts it on `config/` and `.weir/` of a folder, and waits until it serves. */
export async function serveIn(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const command = startCommand(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: folder,
    env: { ...plainEnvironment(), ...env },
    timeoutMs: 120_000,
  });
  const output = () => command.output().stdout + command.output().stderr;
  const stop = () => {
    command.child.kill('SIGTERM');
    return command.ended;
  };
  for (const begin = performance.now(); performance.now() - begin < 60_000; await sleep(20)) {
    const url = / on (http:\/\/\S+)\n/.exec(output())?.[1];
    if (url !== undefined) return { url, child: command.child, output, ended: command.ended, stop };
    if (command.child.exitCode !== null) break;
  }
  throw new Error(`the server did not start: ${output()}`);
}
