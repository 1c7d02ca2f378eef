// Real runtimes for tests: installed once, into a folder that outlives the run.
import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installRuntime } from '../../src/drivers/local/install.ts';

/** The versions that tests run. */
export const runtimes = { four: '4.1.15', five: '5.0.7' } as const;

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/weir/stacks');

/** The stacks directory of the tests, with these versions in it. The first who asks waits half a minute for each. */
export async function stacksWith(...versions: readonly string[]): Promise<string> {
  mkdirSync(cache, { recursive: true });
  for (const version of versions)
    await alone(version, () => installRuntime({ stacks: cache, version, env: process.env, node: process.execPath }));
  return cache;
}

/** Test files run side by side, and one installation is enough. */
async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = join(cache, `.lock-${name}`);
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (isOld(lock)) release(lock);
      await sleep(100);
    }
  }
  try {
    return await work();
  } finally {
    release(lock);
  }
}

function isOld(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > 300_000;
  } catch {
    return false;
  }
}

function release(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Somebody else released it.
  }
}
