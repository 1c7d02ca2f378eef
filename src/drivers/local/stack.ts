// The runtimes in the stacks directory: where each is, and whether it can be used.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverFailed } from '../driver.ts';

/** The name of the package that is a runtime. */
export const runtimePackage = 'node-red';

/** A runtime that is there. */
export interface Runtime {
  /** The folder of its package. */
  readonly path: string;
  /** The script that starts it. */
  readonly script: string;
  readonly version: string;
}

/** Finds a runtime by the name of its directory; `storeFlag`: what a command needs to find the store, ` --store DIR`. Throws `DriverFailed` where it is missing or broken. */
export async function runtimeIn(stacks: string, name: string, storeFlag = ''): Promise<Runtime> {
  const found = await lookInto(join(stacks, name));
  if (found === 'missing')
    throw new DriverFailed(
      'StackMissing',
      `the stacks directory has no ${JSON.stringify(name)}: an admin can put it there with "weir stacks install ${name}${storeFlag}"`,
    );
  if (found === 'broken')
    throw new DriverFailed(
      'StackBroken',
      `the directory ${JSON.stringify(name)} in the stacks directory holds no usable runtime: an admin can delete it and install it anew`,
    );
  return found;
}

/** What a directory of the stacks directory holds. */
export async function lookInto(directory: string): Promise<Runtime | 'missing' | 'broken'> {
  if (!(await isDirectory(directory))) return 'missing';
  const path = join(directory, 'node_modules', runtimePackage);
  const script = join(path, 'red.js');
  try {
    const { version } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    return typeof version === 'string' && (await stat(script)).isFile() ? { path, script, version } : 'broken';
  } catch {
    return 'broken';
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
