// A brief look at a tree: it may see a change where there is none, and must see every one that there is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSlicer } from '../../src/lib/slice.ts';
import { read } from '../../src/manifests/read.ts';
import { scan } from '../../src/manifests/scan.ts';
import { isMissing, type Missing, type Tree } from '../../src/manifests/tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const start = {
  'weir.yaml': 'kind: Platform\nspec: {exclude: [drafts]}\n',
  'a/b.yaml': 'b: 1\n',
  'a/c.yaml': 'c: 1\n',
  'd/e.yaml': 'e: 1\n',
  'd/notes.txt': '',
  'drafts/x.yaml': 'x: 1\n',
};
const later = () => Date.now() + 60_000;

const changes: readonly (readonly [what: string, change: (root: string) => void])[] = [
  ['a file that was edited', (root) => writeFileSync(join(root, 'a/b.yaml'), 'b: 22\n')],
  ['a file that was edited to the same length', (root) => writeFileSync(join(root, 'a/b.yaml'), 'b: 2\n')],
  [
    'a file that was replaced by one of the same length and time',
    (root) => {
      writeFileSync(join(root, 'new'), 'b: 2\n');
      utimesSync(join(root, 'new'), 1e9, 1e9);
      renameSync(join(root, 'new'), join(root, 'a/b.yaml'));
    },
  ],
  ['a file that was set back in time', (root) => utimesSync(join(root, 'a/b.yaml'), 1e9, 1e9)],
  ['a new file', (root) => writeFileSync(join(root, 'a/z.yaml'), '')],
  [
    'a new file in a new folder',
    (root) => {
      mkdirSync(join(root, 'new'));
      writeFileSync(join(root, 'new/z.yaml'), '');
    },
  ],
  ['a file that went', (root) => unlinkSync(join(root, 'a/b.yaml'))],
  ['a file with another name', (root) => renameSync(join(root, 'a/b.yaml'), join(root, 'a/bb.yaml'))],
  [
    'two files that changed places',
    (root) => {
      renameSync(join(root, 'a/b.yaml'), join(root, 'tmp'));
      renameSync(join(root, 'a/c.yaml'), join(root, 'a/b.yaml'));
      renameSync(join(root, 'tmp'), join(root, 'a/c.yaml'));
    },
  ],
  ['a folder that went', (root) => rmSync(join(root, 'd'), { recursive: true })],
  [
    'a folder that was replaced',
    (root) => {
      renameSync(join(root, 'd'), join(root, 'drafts/d'));
      mkdirSync(join(root, 'd'));
      writeFileSync(join(root, 'd/e.yaml'), 'e: 2\n');
      writeFileSync(join(root, 'd/notes.txt'), '');
    },
  ],
  [
    'a file that became a pipe',
    (root) => {
      unlinkSync(join(root, 'a/b.yaml'));
      execFileSync('mkfifo', [join(root, 'a/b.yaml')]);
    },
  ],
  [
    'a text that became a folder of documents',
    (root) => {
      unlinkSync(join(root, 'd/notes.txt'));
      mkdirSync(join(root, 'd/notes.txt'));
      writeFileSync(join(root, 'd/notes.txt/f.yaml'), '');
    },
  ],
  ['a link to a file', (root) => symlinkSync('b.yaml', join(root, 'a/z.yaml'))],
  ['the root manifest', (root) => writeFileSync(join(root, 'weir.yaml'), 'kind: Platform\n')],
  ['the root manifest that went', (root) => unlinkSync(join(root, 'weir.yaml'))],
  ['the whole tree that went', (root) => rmSync(root, { recursive: true })],
];

const sees = suite('scan: sees');

for (const [what, change] of changes) {
  sees(what, async () => {
    for (const brief of [true, false]) {
      const { root, tree } = await aged(brief);
      assert.is(await scan(tree), false, 'before');
      change(root);
      assert.is(await scan(tree), true, brief ? 'by the listings' : 'by walking');
    }
  });
}

sees.run();

const ignores = suite('scan: sees nothing in');

ignores('what is not read', async () => {
  for (const brief of [true, false]) {
    const { root, tree } = await aged(brief);
    writeFileSync(join(root, 'drafts/y.yaml'), '');
    writeFileSync(join(root, 'a/.b.yaml.swp'), '');
    writeFileSync(join(root, 'a/b.yaml~'), '');
    writeFileSync(join(root, 'd/notes.txt'), 'more');
    assert.is(await scan(tree), false);
  }
});

ignores('a root that is missing as it was', async () => {
  const root = join(temporaryFolder().path, 'none');
  const reading = await read(root);
  assert.is(await scan(reading), false);
  mkdirSync(root);
  assert.is(await scan(reading), true);
});

ignores('a tree of links that did not change', async () => {
  const { root } = await aged(true);
  symlinkSync('a', join(root, 'linked'));
  symlinkSync('../d/e.yaml', join(root, 'a/link.yaml'));
  const tree = await read(root, { now: later });
  assert.is(await scan(tree), false);
  unlinkSync(join(root, 'a/link.yaml'));
  symlinkSync('../d/nothing', join(root, 'a/link.yaml'));
  assert.is(await scan(tree), true);
});

ignores.run();

const slices = suite('scan');

slices('lets others have their turn', async () => {
  const { tree } = await aged(true);
  let now = 0;
  let turns = 0;
  const slicer = createSlicer(1, () => now++);
  const breathe = () => {
    turns += 1;
    return slicer.breathe();
  };
  await scan(tree, { spent: slicer.spent, breathe });
  assert.ok(turns > 2);
});

slices.run();

/** A tree read as if long after it was written, with what makes a brief look possible or without. */
async function aged(brief: boolean): Promise<{ readonly root: string; readonly tree: Tree }> {
  const root = join(temporaryFolder().path, 'config');
  await writeFiles(root, start);
  const reading: Tree | Missing = await read(root, { now: later });
  if (isMissing(reading)) throw new Error(reading.message);
  assert.is(reading.fresh, false);
  assert.ok(reading.listings);
  const { listings: _, ...walked } = reading;
  return { root, tree: brief ? reading : walked };
}
