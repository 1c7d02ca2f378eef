// Line diffs: what is shown, and a change made to a text that is laid out otherwise.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeLike, unifiedDiff } from '../../src/lib/line-diff.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const diff = suite('a unified diff');

diff('shows what changed, with three lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n';
  assert.is(
    unifiedDiff('x.yaml', before, before.replace('b\n', 'B\n').replace('k\n', 'k\nl\n')),
    '--- a/x.yaml\n+++ b/x.yaml\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -9,3 +9,4 @@\n i\n j\n k\n+l\n',
  );
  assert.is(unifiedDiff('x.yaml', before, before), '');
  assert.match(unifiedDiff('x', 'a', 'b'), /-a\n\\ No newline at end of file\n\+b\n\\ No newline/);
});

const text = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '  d\n'), { maxLength: 12 })
  .map((lines) => lines.join(''));

diff('is what git applies', async () => {
  const { path } = temporaryFolder();
  await fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after && before !== '' && after !== '');
      writeFileSync(join(path, 'x'), before);
      execFileSync('git', ['apply', '--unsafe-paths', '-'], {
        cwd: path,
        input: unifiedDiff('x', before, after),
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      assert.is(readFileSync(join(path, 'x'), 'utf8'), after);
    }),
    { numRuns: 40 },
  );
});

diff('of a change is made to a text as it is laid out', () => {
  const before = 'a: 1 # one\nb: 2\nc: 3 # three\nd: 4\n';
  const original = 'a:   1    # one\nb: 2\n\nc:   3    # three\nd: 4\n';
  assert.is(
    changeLike(original, before, before.replace('b: 2\n', 'b: 5\nnew: 6\n')),
    'a:   1    # one\nb: 5\nnew: 6\n\nc:   3    # three\nd: 4\n',
  );
  assert.is(changeLike(original, before, before.replace('a: 1', 'a: 7')), original.replace('a:   1    #', 'a: 7 #'));
});

diff('of nothing changes nothing, and in the same layout it is the whole change', async () => {
  await fc.assert(
    fc.property(text, text, (one, other) => {
      assert.is(changeLike(one, other, other), one);
      assert.is(changeLike(one, one, other), other);
    }),
  );
});

diff.run();
