// Tasks that take turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurns } from '../../src/lib/turns.ts';

const turns = suite('tasks that take turns');

turns('run a few at a time, in the order in which they came, whether they succeed or fail', async () => {
  const turn = createTurns(2, 10, () => new Error('full'));
  let [running, most] = [0, 0];
  const begun: number[] = [];
  const task = (number: number) => async () => {
    begun.push(number);
    running += 1;
    most = Math.max(most, running);
    await sleep(2);
    running -= 1;
    if (number % 2 === 1) throw new Error('odd');
    return number;
  };
  const ended = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((number) => turn(task(number))));
  assert.equal(begun, [0, 1, 2, 3, 4, 5]);
  assert.is(most, 2);
  assert.equal(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
  );
  assert.is(await turn(async () => 'again'), 'again');
});

turns('are refused where too many wait', async () => {
  const turn = createTurns(1, 1, () => new Error('full'));
  const ended = await Promise.allSettled([1, 2, 3].map((number) => turn(() => sleep(2, number))));
  assert.equal(
    ended.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [1, 2, 'full'],
  );
});

turns.run();
