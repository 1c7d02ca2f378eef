// `weir serve` as a process on a folder that a test keeps: for what only a whole server shows, such as how it ends and what it finds again.
import type { ChildProcess } from 'node:child_process';
import { type CommandResult, startCommand } from '../support/run-command.ts';
import { addressOf } from '../support/serving.ts';
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
  });
  const output = () => command.output().stdout + command.output().stderr;
  const stop = () => {
    command.child.kill('SIGTERM');
    return command.ended;
  };
  return { url: await addressOf(command), child: command.child, output, ended: command.ended, stop };
}
