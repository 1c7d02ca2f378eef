// Slices: long work lets everything else have its turn.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSlicer, inSlices } from '../../src/lib/slice.ts';

const slices = suite('createSlicer');

slices('gives way when the time of a slice is used up, and only then', async () => {
  const clock = { now: 0 };
  const slicer = createSlicer(8, () => clock.now);
  const turns: string[] = [];
  setImmediate(() => turns.push('another'));
  await slicer.breathe();
  turns.push('first slice');
  clock.now = 8;
  assert.is(slicer.spent(), true);
  await slicer.breathe();
  turns.push('second slice');
  assert.is(slicer.spent(), false);
  assert.equal(turns, ['first slice', 'another', 'second slice']);
});

slices('runs a generator to its end, and answers what it returns', async () => {
  let steps = 0;
  const work = function* (): Generator<void, string> {
    for (; steps < 100; steps += 1) yield;
    return 'done';
  };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  let now = 0;
  const clock = () => {
    now += 1;
    return now;
  };
  assert.is(await inSlices(work(), createSlicer(5, clock)), 'done');
  isOver = true;
  assert.is(steps, 100);
  assert.ok(turns > 10, `others had ${turns} turns`);
});

slices('hands on what a generator throws', async () => {
  const work = function* (): Generator<void, never> {
    yield;
    throw new Error('broken');
  };
  await inSlices(work(), createSlicer()).then(
    () => assert.unreachable(),
    ({ message }) => assert.is(message, 'broken'),
  );
});

slices.run();
