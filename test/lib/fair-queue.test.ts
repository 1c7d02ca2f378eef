// Work of several, in turns.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFairQueue, QueueFull } from '../../src/lib/fair-queue.ts';

const queue = suite('a fair queue');

queue('does one piece of each key after another, whoever has many, also where one fails', async () => {
  const inTurn = createFairQueue({ maxPerKey: 10, maxWaitMs: 60_000 });
  const done: string[] = [];
  let [running, atOnce] = [0, 0];
  const put = (name: string) =>
    inTurn(name.slice(0, 1), async () => {
      running += 1;
      atOnce = Math.max(atOnce, running);
      await Promise.resolve();
      running -= 1;
      done.push(name);
      if (name === 'a2') throw new Error('broken');
    }).catch(() => {});
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(put));
  assert.equal(done, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.is(atOnce, 1);
  await put('d1');
  assert.is(done.at(-1), 'd1');
});

queue('refuses more of one key than may wait, and nobody else', async () => {
  const inTurn = createFairQueue({ maxPerKey: 2, maxWaitMs: 60_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = inTurn('a', () => promise);
  const [second, third] = [inTurn('a', async () => 2), inTurn('a', async () => 3)];
  const error = await inTurn('a', async () => 4).catch((thrown: unknown) => thrown);
  assert.instance(error, QueueFull);
  const other = inTurn('b', async () => 5);
  resolve();
  assert.equal(await Promise.all([held, second, third, other]), [undefined, 2, 3, 5]);
});

queue('gives up what waits for too long, and goes on', async () => {
  const inTurn = createFairQueue({ maxPerKey: 2, maxWaitMs: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = inTurn('a', () => promise);
  const error = await inTurn('b', async () => 1).catch((thrown: unknown) => thrown);
  assert.instance(error, QueueFull);
  resolve();
  await held;
  assert.is(await inTurn('b', async () => 2), 2);
});

queue.run();
