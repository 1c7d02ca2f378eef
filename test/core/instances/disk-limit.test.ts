// The limit of the disk: told when it is passed, and what goes on is stopped; not what stands still.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DiskLooks, diskVerdict } from '../../../src/core/instances/disk-limit.ts';

const limits = suite('the limit of the disk');

const mib = 1024 ** 2;

/** The verdicts on looks (MiB), at a limit of 100. */
function verdicts(...used: readonly (number | string)[]): string[] {
  let looks: DiskLooks | undefined;
  let run = 'first';
  return used.flatMap((one) => {
    if (typeof one === 'string') {
      run = one;
      return [];
    }
    const found = diskVerdict(looks, { run, used: one * mib, limit: 100 * mib });
    looks = found.looks;
    return [found.verdict];
  });
}

limits('is told when it is passed, and stops what goes on to grow', () => {
  assert.equal(verdicts(50, 100, 101, 101, 101), ['fine', 'fine', 'over', 'over', 'over']);
  assert.equal(verdicts(50, 101, 103), ['fine', 'over', 'stop']);
  assert.equal(verdicts(50, 110), ['fine', 'stop']);
  assert.equal(verdicts(101, 90, 101), ['over', 'fine', 'over']);
});

limits('stops what fills the disk before it is first looked at', () => {
  assert.equal(verdicts(500, 600), ['over', 'stop']);
});

limits('lets somebody clear up what was over it at the start, as long as it does not grow', () => {
  assert.equal(verdicts(50, 120, 'second', 120, 120, 80, 99), ['fine', 'stop', 'over', 'over', 'fine', 'fine']);
  assert.equal(verdicts('second', 120, 125), ['over', 'stop']);
  assert.equal(verdicts('second', 120, 90, 130), ['over', 'fine', 'stop']);
});

limits.run();
