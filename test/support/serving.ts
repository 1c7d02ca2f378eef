// Starts `weir serve` as a process, and waits for what a process does.
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from './run-command.ts';
import { launcher, plainEnvironment } from './weir.ts';

/** A server that runs, and where. */
export type Serving = RunningCommand & { readonly url: string };

/** Starts `weir serve ARGS` in a folder on a free port, and waits until it says where. */
export async function serve(
  { path }: { readonly path: string },
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  timeoutMs = 60_000,
): Promise<Serving> {
  const running = startCommand(process.execPath, [launcher, 'serve', '--port', '0', ...args], {
    cwd: path,
    env: { ...plainEnvironment(), ...env },
    timeoutMs,
  });
  const url = await until(
    () =>
      / on (http:\/\/\S+)\n/.exec(running.output().stdout)?.[1] ??
      (running.child.exitCode === null ? undefined : 'ended'),
    running,
  );
  assert.is.not(url, 'ended', running.output().stderr);
  return { ...running, url };
}

/** Looks again and again, until there is something to see. */
export async function until<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { output }: Pick<RunningCommand, 'output'>,
): Promise<T> {
  for (const start = performance.now(); performance.now() - start < 45_000; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited in vain: ${JSON.stringify(output())}`);
}
