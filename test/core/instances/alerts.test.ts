// When the owners of an instance are told something, and when not.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { farFrom, looksInARow, type Nearness, nearnessAfter } from '../../../src/core/instances/near-limit.ts';
import { isUntoldNear, untoldCrashes } from '../../../src/core/instances/untold.ts';

const near = suite('near a limit');

const after = (shares: readonly number[], before: Nearness = farFrom) =>
  shares.reduce((nearness, share) => nearnessAfter(nearness, share), before);
const times = (count: number, share: number) => Array.from({ length: count }, () => share);

near('is what stays there, and not what peaks', () => {
  assert.is(after(times(looksInARow - 1, 1)).near, false);
  assert.is(after(times(looksInARow, 0.9)).near, true);
  assert.is(after([...times(looksInARow - 1, 5), 0.89, ...times(looksInARow - 1, 5)]).near, false);
});

near('stays so while it swings around the mark, until it is well below', () => {
  const hot = after(times(looksInARow, 1));
  assert.is(after(times(100, 0.8), hot).near, true);
  assert.is(after([...times(looksInARow - 1, 0), 0.76, ...times(looksInARow - 1, 0)], hot).near, true);
  assert.is(after(times(looksInARow, 0.74), hot).near, false);
});

near('never changes twice within a few looks', () =>
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 2, noNaN: true })), (shares) => {
      let [last, since] = [farFrom, looksInARow];
      for (const share of shares) {
        const next = nearnessAfter(last, share);
        if (next.near !== last.near) assert.ok(since >= looksInARow - 1);
        since = next.near === last.near ? since + 1 : 0;
        last = next;
      }
    }),
  ),
);

near.run();

const untold = suite('what owners were not told yet');
const at = (time: string) => `2026-11-21T${time}.000Z`;
const crashes = (count: number, time = '10:00:00') => ({ count, at: at(time), reason: 'Exited', message: 'it ended' });
const told = (count: number, time: string) => ({ crash: { count, toldAt: at(time) } });

untold('are all crashes since the last mail, an hour after that', () => {
  assert.is(untoldCrashes(undefined, undefined, at('10:00:00')), 0);
  assert.is(untoldCrashes(crashes(1), undefined, at('10:00:00')), 1);
  assert.is(untoldCrashes(crashes(3), undefined, at('10:00:00')), 3);
  assert.is(untoldCrashes(crashes(1), told(1, '10:00:01'), at('12:00:00')), 0);
  assert.is(untoldCrashes(crashes(4), told(1, '09:30:00'), at('10:29:59')), 0);
  assert.is(untoldCrashes(crashes(4), told(1, '09:30:00'), at('10:30:00')), 3);
});

untold('is no crash of long ago, and a clock that was set back delays nothing', () => {
  assert.is(untoldCrashes(crashes(1), undefined, '2026-11-22T10:00:00.000Z'), 1);
  assert.is(untoldCrashes(crashes(1), undefined, '2026-11-22T10:00:01.000Z'), 0);
  assert.is(untoldCrashes(crashes(2), told(1, '23:00:00'), at('10:00:00')), 1);
});

untold('is a limit that it is near to, once while that lasts, and an hour later at the soonest', () => {
  const now = at('10:00:00');
  const of = (toldAt: string, isNear: boolean) => ({ memory: { toldAt: at(toldAt), near: isNear } });
  assert.is(isUntoldNear('memory', undefined, now), true);
  assert.is(isUntoldNear('memory', of('01:00:00', true), now), false);
  assert.is(isUntoldNear('memory', of('09:00:01', false), now), false);
  assert.is(isUntoldNear('memory', of('09:00:00', false), now), true);
  assert.is(isUntoldNear('cpu', of('09:59:00', false), now), true);
});

untold.run();
