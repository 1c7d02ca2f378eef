// Suites of which each test has a world of its own.
import { suite } from 'uvu';
import type { ServerWorld } from './world.ts';

/** What each test is given. */
export interface InWorld {
  world: ServerWorld;
}

/** A suite that starts a world before each of its tests, and closes it behind them. */
export function suiteInWorld(name: string, startOne: () => Promise<ServerWorld>) {
  const tests = suite<InWorld>(name);
  tests.before.each(async (context) => {
    context.world = await startOne();
  });
  tests.after.each(({ world }) => world.close());
  return tests;
}
