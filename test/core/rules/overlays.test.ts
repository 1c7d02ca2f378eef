// overlay-without-base: documents of an overlay that nothing stands under.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeTree } from '../../../src/control/tree.ts';
import { treeOfTexts } from '../../../src/manifests/texts.ts';
import { isMissing } from '../../../src/manifests/tree.ts';
import { type Files, facts, root, told } from '../../control/world.ts';

const stack = (name: string, spec = 'runtime: "4"') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;

/** The findings of a tree in its environment `live`. */
async function findingsIn(files: Files): Promise<string[]> {
  const texts = Object.entries({ 'weir.yaml': root, ...files }).map(([path, content]) => ({ path, content }));
  const tree = treeOfTexts(texts, 'live');
  if (isMissing(tree)) throw new Error(tree.message);
  const { findings } = await judgeTree(tree, { facts, git: false });
  return findings.map((finding) => `${finding.severity}: ${told(finding)}`);
}

const loose = suite('overlay-without-base');

loose('refuses a part of what the tree does not declare, and tells the name that was meant', async () => {
  const over = stack('nr-40', 'label: Live');
  assert.equal(await findingsIn({ 'a.yaml': stack('nr-4'), 'overlays/live/a.yaml': over }), [
    'error: overlays/live/a.yaml:2:18 overlay-without-base Stack/nr-40: has no base object, because the tree declares no Stack/nr-40, and lacks runtime itself: correct its name, or write all of it (did you mean nr-4)',
  ]);
  const sso = 'kind: SsoConfig\nmetadata: {name: corp}\nspec: {label: Live}\n';
  assert.equal(await findingsIn({ 'a.yaml': stack('corp'), 'overlays/live/a.yaml': sso }), [
    'error: overlays/live/a.yaml:2:18 overlay-without-base SsoConfig/corp: has no base object, because the tree declares no SsoConfig/corp, and lacks emailDomain, provider itself: correct its name, or write all of it',
  ]);
});

loose('warns of one that is whole', async () => {
  assert.equal(await findingsIn({ 'a.yaml': stack('nr-4'), 'overlays/live/a.yaml': stack('nr-5') }), [
    'warning: overlays/live/a.yaml:2:18 overlay-without-base Stack/nr-5: has no base object, because the tree declares no Stack/nr-5: it is made from the overlay alone',
  ]);
});

loose('tells what else is wrong in such a part', async () => {
  const found = await findingsIn({ 'overlays/live/a.yaml': stack('nr-5', 'lable: Live') });
  assert.is(found.length, 2);
  assert.match(found[0] ?? '', 'spec has no field "lable"');
  assert.match(found[1] ?? '', 'lacks runtime itself');
});

loose('says nothing of what has a base, also one that is wrong or cannot be read', async () => {
  const over = { 'overlays/live/a.yaml': stack('a', 'label: Live') };
  assert.equal(await findingsIn({ 'a.yaml': stack('a'), ...over }), []);
  const others = async (files: Files) =>
    (await findingsIn({ ...files, ...over })).filter((text) => text.includes('overlay-without-base'));
  assert.equal(await others({ 'a.yaml': stack('a', 'runtime: 4') }), []);
  assert.equal(await others({ 'a.yaml': `${stack('a')}  - [` }), []);
  assert.equal(
    await others({ 'overlays/live/b.yaml': 'kind: Platform\nmetadata: {name: main}\n', 'a.yaml': stack('a') }),
    [],
  );
  assert.equal(await others({ 'overlays/live/b.yaml': 'kind: Stak\nmetadata: {name: a}\n', 'a.yaml': stack('a') }), []);
});

loose.run();
