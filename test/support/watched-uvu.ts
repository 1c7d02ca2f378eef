// What test files get for `uvu` where the runner runs them: the same, and each suite that has tests is noted until it is run.
import { suite as makeSuite, type Test, test as usual } from 'uvu';

export { exec } from 'uvu';

const waiting = new Set<string>();
let count = 0;

process.once('exit', () => {
  // One line each, which the runner looks for.
  for (const name of waiting)
    console.error(`the suite "${name.slice(name.indexOf(' ') + 1)}" is never run: call its run()`);
  if (waiting.size > 0) process.exitCode ||= 1;
});

function watched<T>(name: string, made: Test<T>): Test<T> {
  count += 1;
  const key = `${count} ${name}`;
  const run = made.run.bind(made);
  const noted = (...given: Parameters<Test<T>>) => {
    waiting.add(key);
    return made(...given);
  };
  return Object.assign(noted, made, {
    run: () => {
      waiting.delete(key);
      run();
    },
  });
}

/** As uvu makes it. */
export function suite<T = Record<string, never>>(name: string, context?: T): Test<T> {
  return watched(name, makeSuite(name, context));
}

export const test = watched('test', usual);
