// A tree that is never still as a whole, because somebody edits one file or another all the time: each file counts once it stands still itself.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMissing, type Missing, type Tree } from '../../src/manifests/tree.ts';
import { following, manifest, stack } from '../support/follow-tree.ts';

const count = 400;
const file = (index: number) => `stacks/s${index}.yaml`;
const files = {
  'weir.yaml': manifest,
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [file(index), stack(`s${index}`)])),
};

/** Edits one file after another, none of them twice within seconds, until it is told to stop. */
function startEdits(root: string): { stop(): void } {
  let edits = 0;
  const timer = setInterval(() => {
    edits += 1;
    const index = 1 + ((edits * 149) % (count - 1));
    writeFileSync(join(root, file(index)), `${stack(`s${index}`)}# ${edits}\n`);
  }, 60);
  return { stop: () => clearInterval(timer) };
}

const names = (reading: Tree | Missing) =>
  isMissing(reading) ? [] : reading.documents.map(({ value }) => String(Object(Object(value).metadata).name));

const runtimeOf = (reading: Tree | Missing, name: string) =>
  isMissing(reading)
    ? undefined
    : reading.documents.map(({ value }) => Object(value)).find(({ metadata }) => metadata.name === name)?.spec.runtime;

/** How long it takes until a reading that was told shows something; gives up after 20 s. */
async function seconds(isSeen: () => boolean): Promise<number> {
  const begun = performance.now();
  while (!isSeen() && performance.now() - begun < 20_000) await delay(50);
  return (performance.now() - begun) / 1_000;
}

const busy = suite('watch: a tree that is edited continually');

busy('has new documents and edits taken up meanwhile, without an error', async () => {
  await following(files, { settleMs: 200 }, async ({ root, last, findings }) => {
    const edits = startEdits(root);
    try {
      await delay(1_000);
      writeFileSync(join(root, 'marker.yaml'), stack('marker'));
      const added = await seconds(() => names(last()).includes('marker'));
      // It is about two and a half; the rest is for slow machines.
      assert.ok(added < 12, `a new document was taken up after ${added} s`);
      writeFileSync(join(root, 'marker.yaml'), stack('marker').replace('runtime: r', 'runtime: other'));
      const edited = await seconds(() => runtimeOf(last(), 'marker') === 'other');
      assert.ok(edited < 12, `an edit was taken up after ${edited} s`);
      rmSync(join(root, file(0)));
      await delay(3_000);
      // It may be on its way into another file.
      assert.ok(names(last()).includes('s0'));
    } finally {
      edits.stop();
    }
    const gone = await seconds(() => !names(last()).includes('s0'));
    assert.ok(gone < 12, `what went was told ${gone} s after the last edit`);
    assert.equal(findings(), []);
  });
});

busy.run();
