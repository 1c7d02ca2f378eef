// When a tree is believed: a file that lost its end is looked at once more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settle, type Timing } from '../../src/manifests/settle.ts';
import { treeOfTexts } from '../../src/manifests/texts.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';

const full = `kind: TeamType
metadata:
  name: starter
lifecycle:
  protect: true
spec:
  description: for a start
  limits:
    members: 5000
    instances: 10
  features:
    teamLibrary: true
---
kind: Stack
metadata: {name: four}
spec:
  runtime: "4"
  label: Node-RED 4
`;

/** Settles on texts of one file, each of which stands for so many milliseconds; answers the text that was believed, and when. */
async function believed(steps: readonly (readonly [text: string, ms: number])[], settleMs = 200) {
  let now = 0;
  const timing: Timing = {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
  const trees = new Map<string, Tree>();
  const treeAt = (text: string) => {
    const tree = trees.get(text) ?? treeOf(text);
    trees.set(text, tree);
    return tree;
  };
  const read = async () => {
    let end = 0;
    for (const [text, ms] of steps) {
      end += ms;
      if (now < end) return treeAt(text);
    }
    return treeAt(steps.at(-1)?.[0] ?? '');
  };
  const { reading } = await settle({ settleMs, read, accepted: treeOf(full), timing });
  assert.not(isMissing(reading));
  return { text: isMissing(reading) ? '' : (reading.files.get('a.yaml')?.text ?? ''), at: now };
}

function treeOf(text: string): Tree {
  const weir = 'kind: Platform\nmetadata: {name: platform}\n';
  const tree = treeOfTexts([
    { path: 'weir.yaml', content: weir },
    { path: 'a.yaml', content: text },
  ]);
  if (isMissing(tree)) throw new Error(tree.message);
  return tree;
}

const cut = suite('a file that lost its end');

cut('is not believed at any place where a writer may pause, for twice as long as trees settle', async () => {
  // Without its last line break a text is whole.
  for (let end = 1; end < full.length - 1; end++) {
    const text = full.slice(0, end);
    if (treeOf(text).files.get('a.yaml')?.broken) continue;
    const { text: seen } = await believed([
      [text, 600],
      [full, 10_000],
    ]);
    assert.is(seen, full, `cut after ${end}: ${JSON.stringify(text.slice(-30))}`);
  }
});

cut('is believed when it stays so', async () => {
  const shorter = full.slice(0, full.indexOf('---'));
  assert.equal(await believed([[shorter, 10_000]]), { text: shorter, at: 1_200 });
  assert.equal(await believed([[shorter, 10_000]], 2_000), { text: shorter, at: 6_000 });
});

cut('is looked at again from the start when it moves meanwhile', async () => {
  const shorter = full.slice(0, full.indexOf('---'));
  const longer = `${full}---\n${full.replaceAll('four', 'five').replaceAll('starter', 'pro')}`;
  assert.is(
    (
      await believed([
        [shorter, 700],
        [longer, 10_000],
      ])
    ).text,
    longer,
  );
});

cut('is no other edit: those take no longer than before', async () => {
  const edits = [
    full.replace('5000', '5'),
    full.replace('    members: 5000\n', ''),
    full.replace('Node-RED 4', 'Vier'),
    `${full}---\nkind: Stack\nmetadata: {name: more}\nspec: {runtime: "4"}\n`,
  ];
  for (const edit of edits) assert.equal(await believed([[edit, 10_000]]), { text: edit, at: 200 });
});

cut.run();
