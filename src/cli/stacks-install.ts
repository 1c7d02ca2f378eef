// weir stacks install: puts a version of the runtime into the stacks directory, from the npm registry.
import { resolve } from 'node:path';
import { singleton } from '../core/model/view.ts';
import { exactVersion, installRuntime, NotInstalled } from '../drivers/local/install.ts';
import { type Options, UsageError } from '../options.ts';
import { exitCodes } from './exit-codes.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { withProgress } from './progress.ts';
import type { Verb } from './verb.ts';
import { planningGround } from './workbench.ts';

export const stacksInstall: Verb = {
  usage: 'VERSION',
  words: { least: 1, most: 1 },
  options: ['store', 'secretKeyFile', 'quiet'],
  details: `Installs Node-RED VERSION (an exact one) from the npm registry into the stacks directory: the one that the platform in the store names, or
"stacks" in the folder of the store. A Stack whose runtime is VERSION then runs it. It needs npm, which comes with Node.js; the install scripts of
packages are not run. What is there already is left as it is.`,
  examples: ['weir stacks install 5.0.7', 'weir stacks install 4.1.15 --store /var/lib/weir'],
  async run({ args: [version = ''], options, io }) {
    if (!exactVersion.test(version))
      throw new UsageError(`${JSON.stringify(version)} is no exact version: write one like 5.0.7`);
    const stacks = await stacksOf(options, io);
    const outcome = await installed(version, stacks, io);
    const words = outcome === 'there' ? 'is there already' : 'is installed';
    io.stdout.write(`Node-RED ${version} ${words}: ${stacks}/${version}\n`);
    return exitCodes.fine;
  },
};

/** A store that nobody made yet is not made for this. */
async function stacksOf(options: Options, io: Io): Promise<string> {
  const { store } = await planningGround(options, io);
  const { stacksDirectory } = singleton(store.read(), 'Platform').spec.driver;
  await store.close();
  return resolve(io.cwd, options.store, stacksDirectory);
}

async function installed(version: string, stacks: string, io: Io): Promise<'installed' | 'there'> {
  const stop = new AbortController();
  const ignore = io.onStop(() => stop.abort());
  const { env } = io;
  try {
    const work = () => installRuntime({ stacks, version, env, node: process.execPath, signal: stop.signal });
    return await withProgress(io, `installing Node-RED ${version}`, work);
  } catch (error) {
    if (error instanceof NotInstalled) throw new Unavailable(error.code, error.message);
    if (stop.signal.aborted) throw new Unavailable('stopped', 'stopped: nothing was installed');
    throw error;
  } finally {
    ignore();
  }
}
