// The queue of turns: one after another, shared by those who want the same, and ended when the server ends.
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurnQueue } from '../../src/control/turn-queue.ts';
import { NotKept } from '../../src/store/store.ts';

const nothing = () => {};
const failed = (error: unknown) => error;

const queue = suite('a queue of turns');

queue('takes them one after another, whatever comes of one, and calls back after each', async () => {
  const done: string[] = [];
  const turns = createTurnQueue(() => done.push('after'));
  const first = turns.take(async () => {
    await delay(20);
    done.push('first');
    throw new Error('no');
  });
  const second = turns.take(async () => done.push('second'));
  assert.is(((await first.catch(failed)) as Error).message, 'no');
  await second;
  await delay(1);
  await turns.close();
  assert.equal(done, ['first', 'after', 'second', 'after']);
});

queue('lets those who want the same share a turn that has not begun, and no other', async () => {
  const turns = createTurnQueue(nothing);
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const ask = (key: string, who: string) =>
    turns.share(key, who, async (all) => {
      const turn = all.join('+');
      begun.push(turn);
      await gate.promise;
      return turn;
    });
  const first = ask('a', 'ann');
  await delay(5);
  // The first has begun: who comes now may have changed the tree since it was read.
  const later = [ask('a', 'bob'), ask('b', 'cy'), ask('a', 'dee')];
  gate.resolve();
  assert.equal(await Promise.all([first, ...later]), ['ann', 'bob+dee', 'cy', 'bob+dee']);
  assert.equal(begun, ['ann', 'bob+dee', 'cy']);
});

queue('is bounded: one caller too many is told so', async () => {
  const turns = createTurnQueue(nothing);
  const gate = Promise.withResolvers<void>();
  const under = turns.take(() => gate.promise);
  const asked = Array.from({ length: 100 }, (_, at) => turns.share(`${at}`, at, async () => 'done').catch(failed));
  gate.resolve();
  await under;
  const answers = await Promise.all(asked);
  assert.is(answers.filter((one) => one === 'done').length, 32);
  assert.is(answers.filter((one) => one instanceof NotKept).length, 68);
});

queue('answers all who wait at once when it is closed, and begins nothing any more', async () => {
  const turns = createTurnQueue(nothing);
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const under = turns.take(() => gate.promise.then(() => 'ended well'));
  await delay(5);
  const work = async () => begun++;
  const waiting = [turns.take(work), turns.share('a', 'ann', work), turns.share('a', 'bob', work)];
  const closed = turns.close();
  for (const one of waiting) assert.instance(await one.catch(failed), NotKept);
  assert.instance(await turns.take(work).catch(failed), NotKept);
  assert.instance(await turns.share('a', 'cy', work).catch(failed), NotKept);
  gate.resolve();
  await closed;
  assert.equal([await under, begun], ['ended well', 0]);
});

queue.run();
