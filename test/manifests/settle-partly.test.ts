// What is believed of a tree that never stands still as a whole, in simulated time: quiet files count, and nothing is deleted for the others.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Settled, settle, type Timing } from '../../src/manifests/settle.ts';
import { stillnessFrom } from '../../src/manifests/stillness.ts';
import { treeOfTexts } from '../../src/manifests/texts.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';
import { manifest, stack, told } from '../support/follow-tree.ts';

type Files = Readonly<Record<string, string>>;

const settleMs = 200;

function treeOf(files: Files): Tree {
  const tree = treeOfTexts(
    Object.entries({ 'weir.yaml': manifest, ...files }).map(([path, content]) => ({ path, content })),
  );
  if (isMissing(tree)) throw new Error(tree.message);
  return tree;
}

/** Looks again and again, as the watch does, at what the tree holds at each moment; answers what was believed, and when. */
async function follow(before: Files | undefined, at: (now: number) => Files, until: number) {
  let now = 0;
  const timing: Timing = {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
  const read = async () => treeOf(at(now));
  let accepted = before && treeOf(before);
  const stillness = stillnessFrom(accepted);
  let isBusy = false;
  const seen: (Settled & { readonly at: number; readonly names: string })[] = [];
  while (now < until) {
    const settled = await settle({ settleMs, read, accepted, stillness, isBusy, timing });
    seen.push({ ...settled, at: now, names: told(settled.reading) });
    if (!settled.isRefused && !isMissing(settled.reading)) accepted = settled.reading;
    isBusy = settled.unquiet.length > 0;
    now += isBusy ? 1_000 : 5_000;
  }
  return seen;
}

const findings = ({ reading }: Settled) => (isMissing(reading) ? [] : reading.findings);
const twelve = Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}`);
/** A tree of which another file is edited every 60 ms, none of them twice within 700 ms. */
const edited = (now: number): Record<string, string> =>
  Object.fromEntries(
    twelve.map((name, index) => {
      const edits = Math.floor((Math.floor(now / 60) - index) / 12);
      return [`${name}.yaml`, `${stack(name)}# ${edits}\n`];
    }),
  );

const partly = suite('a tree that is never still as a whole');

partly('is taken after two seconds, with each file as it last stood still', async () => {
  const seen = await follow(edited(0), (now) => ({ ...edited(now), 'marker.yaml': stack('z') }), 12_000);
  assert.is(seen[0]?.at, 2_000);
  assert.is(seen[0]?.names, ['z', ...twelve].join(' '));
  assert.ok((seen[0]?.unquiet.length ?? 0) > 0);
  assert.equal(seen.flatMap(findings), []);
  assert.equal(
    seen.flatMap(({ restless }) => restless),
    [],
  );
});

partly('is waited for longer where files have to stand still for longer', async () => {
  let now = 0;
  const timing: Timing = {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
  const read = async () => treeOf({ 'a.yaml': `${stack('a')}# ${now}\n` });
  await settle({ settleMs: 3_000, read, accepted: treeOf({ 'a.yaml': stack('a') }), timing });
  assert.is(now, 12_000);
});

partly('loses no document that is on its way from one file to another, in either order', async () => {
  const before = { ...edited(0), 'a.yaml': `${stack('moved')}---\n${stack('stays')}`, 'b.yaml': stack('b') };
  const both = `${stack('b')}---\n${stack('moved')}`;
  for (const [lost, found] of [
    [500, 4_500],
    [4_500, 500],
  ] as const) {
    const at = (now: number) => ({
      ...edited(now),
      'a.yaml': now < lost ? before['a.yaml'] : stack('stays'),
      'b.yaml': now < found ? before['b.yaml'] : both,
    });
    const seen = await follow(before, at, 12_000);
    for (const { names, reading } of seen) {
      const times = names.split(' ').filter((name) => name === 'moved').length;
      assert.is(times, 1, `${times} times ${isMissing(reading) ? '' : reading.unsettled}`);
    }
    const last = seen.at(-1)?.reading as Tree;
    assert.is(last.files.get('b.yaml')?.text, both);
  }
});

partly('loses nothing by a checkout of ten seconds that moves every document', async () => {
  const old = (index: number) => [`old${index}.yaml`, stack(`s${index}`)] as const;
  const range = Array.from({ length: 50 }, (_, index) => index);
  const before = Object.fromEntries(range.map(old));
  // It first removes what goes, as git does, and then writes one file after another.
  const at = (now: number) =>
    Object.fromEntries([
      ...range.filter((index) => now < index * 40).map(old),
      ...range.filter((index) => now >= 2_000 + index * 160).map((index) => [`new${index}.yaml`, stack(`s${index}`)]),
    ]);
  const seen = await follow(before, at, 20_000);
  for (const { names, at: when } of seen) assert.is(new Set(names.split(' ')).size, 50, `at ${when}`);
  const last = seen.at(-1)?.reading as Tree;
  assert.is(last.unsettled, undefined);
  assert.ok([...last.files.keys()].every((path) => !path.startsWith('old')));
});

partly('loses in the end what was deleted, after a minute of edits', async () => {
  const before = { ...edited(0), 'gone.yaml': stack('gone') };
  const seen = await follow(before, edited, 90_000);
  const first = seen.find(({ names }) => !names.includes('gone'));
  assert.ok(first && first.at > 60_000 && first.at < 70_000, `at ${first?.at}`);
  assert.equal(seen.flatMap(findings), []);
});

partly('has what is written without pause told by its name, and what it may hold is not deleted', async () => {
  const noise = (now: number) => ({ ...edited(now), 'noise.yaml': `${stack('noise')}# ${now}\n` });
  const seen = await follow({ ...noise(0), 'gone.yaml': stack('gone') }, noise, 90_000);
  const last = seen.at(-1);
  assert.equal(last?.restless, ['noise.yaml']);
  assert.is(last?.isRefused, true);
  const [finding] = last ? findings(last) : [];
  assert.match(
    finding?.message ?? '',
    /whether Stack\/gone moved into it be told, because it is written without pause/,
  );
  assert.is(finding?.source?.file, 'noise.yaml');
  assert.equal(seen.filter(({ isRefused }) => !isRefused).flatMap(findings), []);
  assert.ok(seen.filter(({ isRefused }) => !isRefused).every(({ names }) => names.includes('gone')));
});

partly('is taken at a start once the same files were there for five seconds, each of them whole', async () => {
  const [first] = await follow(undefined, edited, 1);
  assert.ok(first && first.at >= 5_000 && first.at < 7_000, `at ${first?.at}`);
  assert.is(first?.names, twelve.join(' '));
  const growing = (now: number) =>
    Object.fromEntries(
      Array.from({ length: Math.min(100, 1 + now / 150) }, (_, index) => [`g${index}.yaml`, stack(`g${index}`)]),
    );
  const [whole] = await follow(undefined, growing, 1);
  assert.is(whole?.names.split(' ').length, 100);
  assert.is(whole?.unquiet.length, 0);
});

partly.run();
