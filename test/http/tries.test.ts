// How often a password may be tried for a name that has no account.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTries } from '../../src/http/tries.ts';

const minute = 60_000;
const five = () => createTries({ most: 5, closedMs: 15 * minute, names: 100 });

const tries = suite('tries');

tries('are five in a row, then none for a while', () => {
  const desk = five();
  for (let n = 0; n < 5; n += 1) desk.begin('ghost', n)?.end('wrong');
  assert.is(desk.begin('ghost', 15 * minute + 3), undefined);
  assert.ok(desk.begin('other', 5));
  assert.ok(desk.begin('ghost', 15 * minute + 4));
});

tries('are forgiven by a right one, and not counted where nobody could say', () => {
  const desk = five();
  for (let n = 0; n < 4; n += 1) desk.begin('ghost', n)?.end('wrong');
  desk.begin('ghost', 4)?.end('neither');
  desk.begin('ghost', 5)?.end('right');
  for (let n = 0; n < 4; n += 1) desk.begin('ghost', 6)?.end('wrong');
  assert.ok(desk.begin('ghost', 7));
});

tries('under way count, and those that are counted elsewhere', () => {
  const desk = five();
  const open = [1, 2, 3].map((at) => desk.begin('ghost', at));
  assert.ok(open.every((one) => one));
  assert.is(desk.begin('ghost', 4, 2), undefined);
  open[0]?.end('neither');
  assert.ok(desk.begin('ghost', 5, 2));
});

tries('are open again when the clock is set back', () => {
  const desk = five();
  for (let n = 0; n < 5; n += 1) desk.begin('ghost', 10 * minute)?.end('wrong');
  assert.ok(desk.begin('ghost', 9 * minute));
});

tries('forget the names that nothing happened to for longest, and none that is under way', () => {
  const desk = createTries({ most: 1, closedMs: minute, names: 3 });
  const held = desk.begin('held', 0);
  for (const name of ['a', 'b', 'c', 'd', 'e']) desk.begin(name, 1)?.end('wrong');
  assert.is(desk.begin('held', 2), undefined);
  assert.is(desk.begin('e', 2), undefined);
  assert.ok(desk.begin('a', 2), 'forgotten');
  held?.end('right');
});

tries('never let more than five wrong ones through in a quarter of an hour', () => {
  const step = fc.record({ wait: fc.nat(4 * minute), outcome: fc.constantFrom('wrong', 'neither') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const desk = five();
      let at = 0;
      let row = 0;
      let last = 0;
      for (const { wait, outcome } of steps) {
        at += wait;
        if (row > 0 && at - last >= 15 * minute) row = 0;
        const one = desk.begin('ghost', at);
        assert.is(one !== undefined, row < 5);
        one?.end(outcome);
        if (one && outcome === 'wrong') [row, last] = [row + 1, at];
      }
    }),
  );
});

tries.run();
