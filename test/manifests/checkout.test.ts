// A tree in a git work tree: a commit needs no settling, and a checkout under way is never read half.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkoutAt } from '../../src/manifests/checkout.ts';
import { read } from '../../src/manifests/read.ts';
import { settle, type Timing } from '../../src/manifests/settle.ts';
import { isMissing, type Missing, type Tree } from '../../src/manifests/tree.ts';
import { manifest, stack, told } from '../support/follow-tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A repository whose branch `next` has another stack; the tree stands at the first commit, and was acted on there. */
async function repository() {
  const { path: folder } = temporaryFolder();
  const tree = join(folder, 'config');
  await writeFiles(folder, {
    'config/weir.yaml': manifest,
    'config/a.yaml': stack('one'),
    'config/b.yaml': stack('two'),
  });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  git(folder, 'checkout', '-qb', 'next');
  await writeFiles(folder, { 'config/c.yaml': stack('three') });
  rmSync(join(tree, 'b.yaml'));
  git(folder, 'add', '-A', '.');
  git(folder, 'commit', '-qm', 'next');
  git(folder, 'checkout', '-q', 'main');
  return { folder, tree, accepted: await read(tree) };
}

/** Settles, and counts what was waited; `during` is done when so much has been. */
async function settled(tree: string, accepted: Tree | Missing | undefined, during: (now: number) => void = () => {}) {
  let now = 0;
  const timing: Timing = {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
      during(now);
    },
  };
  const checkout = checkoutAt(tree, () => now);
  const { reading } = await settle({
    settleMs: 200,
    read: (previous) => read(tree, { previous }),
    accepted,
    checkout,
    timing,
  });
  return { reading, names: told(reading), waited: now };
}

const commits = suite('a tree in a git work tree');

commits('is believed at once where it is a commit', async () => {
  const { folder, tree, accepted } = await repository();
  git(folder, 'checkout', '-q', 'next');
  const { names, waited } = await settled(tree, accepted);
  assert.is(names, 'one three');
  assert.is(waited, 0);
  // At a start, too.
  assert.is((await settled(tree, undefined)).waited, 0);
});

commits('is settled where it is none, because of one file that is edited, ignored or changed by a filter', async () => {
  const cases: [string, (folder: string) => void][] = [
    ['edited', (folder) => writeFileSync(join(folder, 'config/a.yaml'), stack('edited'))],
    [
      'ignored',
      (folder) => {
        writeFileSync(join(folder, '.git/info/exclude'), 'ignored.yaml\n');
        writeFileSync(join(folder, 'config/ignored.yaml'), stack('ignored'));
      },
    ],
    [
      'filtered',
      (folder) => {
        rmSync(join(folder, 'config/a.yaml'));
        git(folder, 'config', 'core.autocrlf', 'true');
        git(folder, 'checkout', '--', '.');
      },
    ],
  ];
  for (const [what, change] of cases) {
    const { folder, tree, accepted } = await repository();
    change(folder);
    assert.is((await settled(tree, accepted)).waited, 200, what);
  }
});

commits('is not read half while git is at work, however long its files stand still', async () => {
  const { folder, tree, accepted } = await repository();
  const lock = join(folder, '.git/index.lock');
  writeFileSync(lock, '');
  rmSync(join(tree, 'b.yaml'));
  const { reading, names, waited } = await settled(tree, accepted);
  assert.is(names, 'one two');
  assert.equal(isMissing(reading) ? [] : reading.unsettled, ['.']);
  assert.is(waited, 2_000);
  const ended = await settled(tree, accepted, (now) => {
    if (now < 600 || !existsSync(lock)) return;
    rmSync(lock);
    git(folder, 'checkout', '-qf', 'next');
  });
  assert.is(ended.names, 'one three');
  assert.ok(ended.waited < 1_000);
});

commits('is followed again when git was killed and left its lock', async () => {
  const { folder, tree, accepted } = await repository();
  writeFileSync(join(folder, '.git/index.lock'), '');
  rmSync(join(tree, 'b.yaml'));
  let now = 0;
  const checkout = checkoutAt(tree, () => now);
  assert.is(checkout.isUnderWay(), true);
  now = 61_000;
  assert.is(checkout.isUnderWay(), false);
  const { reading } = await settle({ settleMs: 50, read: (previous) => read(tree, { previous }), accepted, checkout });
  assert.is(told(reading), 'one');
});

commits.run();
