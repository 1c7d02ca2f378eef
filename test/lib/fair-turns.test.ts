// Tasks that take turns which are fair.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFairTurns } from '../../src/lib/fair-turns.ts';

const turns = suite('turns that are fair');

/** Tasks that note when they begin, and end when they are told to. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, task, end };
}

turns('let whoever has one go before the rest of whoever has many', async () => {
  const turn = createFairTurns({ atOnce: 1, places: 10, perKey: 5 }, () => new Error('full'));
  const { begun, task, end } = tasks();
  const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => turn(name.charAt(0), task(name)));
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(begun.at(-1), name);
    await end(name);
  }
  await Promise.all(all);
});

turns('refuse what is too much of one, or in all, and forget who has nothing any more', async () => {
  const turn = createFairTurns({ atOnce: 2, places: 3, perKey: 2 }, () => new Error('full'));
  const { task, end } = tasks();
  const message = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );
  const said = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => message(turn(name.charAt(0), task(name))));
  for (const name of ['a1', 'b1', 'a2']) {
    await new Promise((resolve) => setImmediate(resolve));
    await end(name);
  }
  assert.equal(await Promise.all(said), ['done', 'done', 'full', 'done', 'full']);
  assert.is(await turn('a', async () => 'again'), 'again');
  assert.is(await message(turn('a', () => Promise.reject(new Error('odd')))), 'odd');
});

turns('give up what waits for too long, never begin it, and go on', async () => {
  const turn = createFairTurns({ atOnce: 1, places: 9, perKey: 9, maxWaitMs: 20 }, () => new Error('full'));
  const { begun, task, end } = tasks();
  const held = turn('a', task('a1'));
  const error = await turn('b', task('b1')).catch((thrown: unknown) => thrown);
  assert.is(error instanceof Error && error.message, 'full');
  await end('a1');
  await held;
  assert.is(await turn('b', async () => 2), 2);
  assert.equal(begun, ['a1']);
});

turns('go on where a task fails', async () => {
  const turn = createFairTurns({ atOnce: 1, places: 9, perKey: 9 }, () => new Error('full'));
  const failed = turn('a', () => Promise.reject(new Error('odd'))).catch(() => 'failed');
  assert.equal(await Promise.all([failed, turn('a', async () => 1), turn('b', async () => 2)]), ['failed', 1, 2]);
});

turns.run();
