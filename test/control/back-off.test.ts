// Back-off: what goes on failing waits longer each time, and begins anew once it has gone well for long, or something else is wanted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBackOff } from '../../src/control/back-off.ts';
import { until } from '../support/until.ts';

const pauses = { firstMs: 10, mostMs: 1000, steadyMs: 60_000 };
const at = (ms: number) => new Date(Date.UTC(2026, 10, 21) + ms).toISOString();

const backing = suite('back-off');

backing('comes back in the order of how long things have been well', async () => {
  const back: string[] = [];
  const backOff = createBackOff((id) => back.push(id), pauses);
  for (let nth = 0; nth < 6; nth += 1) {
    // Each of its failures is followed by less than a minute in which it was well, with its pauses of up to a second.
    backOff.failed('failing', 1, at(nth * 59_000));
    backOff.failed('steady', 1, at(nth * 61_100));
    backOff.failed('changed', nth, at(nth * 10));
  }
  await until(() => back.length === 3);
  assert.is(back.at(-1), 'failing', back.join());
  backOff.close();
});

backing('pauses what was wanted then, and nothing else', async () => {
  const back: string[] = [];
  const backOff = createBackOff((id) => back.push(id), pauses);
  backOff.failed('one', 1, at(0));
  assert.equal(
    [backOff.isPausing('one', 1), backOff.isPausing('one', 2), backOff.isPausing('two', 1)],
    [true, false, false],
  );
  backOff.forget('one');
  assert.is(backOff.isPausing('one', 1), false);
  backOff.failed('two', 1, at(0));
  await until(() => back.length === 1);
  assert.equal([back, backOff.isPausing('two', 1)], [['two'], false]);
  backOff.failed('three', 1, at(0));
  backOff.close();
  backOff.failed('four', 1, at(0));
  assert.equal([backOff.isPausing('three', 1), backOff.isPausing('four', 1)], [false, false]);
});

backing.run();
