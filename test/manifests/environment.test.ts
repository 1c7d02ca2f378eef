// A tree in its environments: what is merged, and where each part of it stands.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeTree, type LoadedTree, loadTree, readTree } from '../../src/control/tree.ts';
import { scan } from '../../src/manifests/scan.ts';
import { treeOfTexts } from '../../src/manifests/texts.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const facts = { drivers: new Map([['local', { provides: new Set<never>() }]]), certificateProblem: () => undefined };

const files = {
  'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n',
  'stacks.yaml': [
    'kind: Stack',
    'metadata: {name: a, labels: {tier: free, zone: one}}',
    'spec:',
    '  runtime: "4.1"',
    '  label: base',
    '  resources: {memoryMb: 128}',
    '---',
    'kind: Stack',
    'metadata: {name: b}',
    'spec: {runtime: "4.0"}',
    '',
  ].join('\n'),
  'overlays/staging/a.yaml': [
    '# partial',
    'kind: Stack',
    'metadata:',
    '  name: a',
    '  labels: {zone: null}',
    'spec:',
    '  label: staged',
    '  resources: {cpuPercent: 20}',
    '---',
    'kind: Stack',
    'metadata: {name: c}',
    'spec: {runtime: "5", label: null}',
    '',
  ].join('\n'),
  'overlays/staging/weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {pollSeconds: 5}, exclude: [drafts]}\n',
  'overlays/production/.gitkeep': '',
  'overlays/other/a.yaml': 'kind: Stack\nmetadata: {name: a}\nspec: {label: other}\n',
  'drafts/x.yaml': 'kind: Stack\nmetadata: {name: draft}\nspec: {runtime: "5"}\n',
};

const merging = suite('an overlay');

merging('is merged over the base by kind and name', async () => {
  const staging = await loaded(files, 'staging');
  assert.equal(
    staging.findings.map(({ rule, severity, name }) => [rule, severity, name]),
    [['overlay-without-base', 'warning', 'c']],
  );
  assert.equal([...staging.desired.desired.keys()].sort(), ['Platform/platform', 'Stack/a', 'Stack/b', 'Stack/c']);
  const a = staging.desired.desired.get('Stack/a');
  assert.equal(a?.spec, {
    active: true,
    runtime: '4.1',
    label: 'staged',
    resources: { memoryMb: 128, cpuPercent: 20 },
  });
  assert.equal(a?.labels, { tier: 'free' });
  assert.equal(staging.desired.desired.get('Stack/c')?.spec, {
    active: true,
    runtime: '5',
    label: '',
    resources: {},
  });
});

merging('that is empty leaves the base as it is', async () => {
  const { root, base } = await written(files);
  const production = await loadTree(root, { facts, overlay: 'production', git: false });
  assert.is(production.source.digest, base.source.digest);
  assert.equal([...production.desired.desired.keys()].length, 4);
});

merging('leaves each part where it was set', async () => {
  const { desired } = (await loaded(files, 'staging')).desired;
  const document = desired.get('Stack/a')?.document;
  const at = (pointer: string, part: 'key' | 'value' = 'value') => {
    const { file, line, column } = document?.locate(pointer, part) ?? {};
    return `${file}:${line}:${column}`;
  };
  assert.is(at('/kind', 'key'), 'stacks.yaml:1:1');
  assert.is(at('/metadata/name'), 'stacks.yaml:2:18');
  assert.is(at('/spec/runtime'), 'stacks.yaml:4:12');
  assert.is(at('/spec/label'), 'overlays/staging/a.yaml:7:10');
  assert.is(at('/spec/resources/memoryMb'), 'stacks.yaml:6:25');
  assert.is(at('/spec/resources/cpuPercent'), 'overlays/staging/a.yaml:8:27');
  assert.is(at('/metadata/labels/zone'), 'overlays/staging/a.yaml:5:18');
  assert.is(at('/metadata/labels/tier'), 'stacks.yaml:2:36');
  assert.is(document?.raw('/spec/label'), 'staged');
  assert.is(document?.raw('/spec/runtime'), '"4.1"');
  assert.is(document?.raw('/metadata/labels/zone'), undefined);
  assert.equal(desired.get('Stack/a')?.source, { file: 'stacks.yaml', line: 1 });
  assert.equal(desired.get('Stack/c')?.source, { file: 'overlays/staging/a.yaml', line: 10 });
});

merging('blames the line that is wrong, in the file that has it', async () => {
  const bad =
    'kind: Stack\nmetadata: {name: a}\nspec:\n  lable: x\n  runtime: null\n---\nkind: Stack\nmetadata: {name: d}\n';
  const { findings } = await loaded(
    { ...files, 'overlays/staging/bad.yaml': bad, 'overlays/staging/a.yaml': '' },
    'staging',
  );
  assert.equal(
    findings.map(({ message, source }) => `${source?.file}:${source?.line} ${message.replace(/ \(.*/, '')}`).sort(),
    [
      'overlays/staging/bad.yaml:4 Stack/a: spec has no field "lable"',
      'overlays/staging/bad.yaml:5 Stack/a: runtime is missing',
      'overlays/staging/bad.yaml:8 Stack/d: has no base object, because the tree declares no Stack/d, and lacks runtime itself: correct its name, or write all of it',
    ],
  );
});

merging('cannot name one object twice, and cannot hide that the base does', async () => {
  const again = { 'overlays/staging/b.yaml': 'kind: Stack\nmetadata: {name: a}\nspec: {label: again}\n' };
  const { findings } = await loaded(
    { ...files, ...again, 'more.yaml': files['stacks.yaml'].split('---')[1] ?? '' },
    'staging',
  );
  assert.equal(
    findings.map(({ rule, message }) => `${rule} ${message}`),
    [
      'duplicate-object Stack/a: cannot stand twice in one overlay, because overlays/staging/a.yaml:4 has it already: write both as one document',
      'duplicate-object Stack/b: cannot be declared twice, because more.yaml:3 declares it already',
      'overlay-without-base Stack/c: has no base object, because the tree declares no Stack/c: it is made from the overlay alone',
    ],
  );
});

merging('takes secrets by reference only, and says that one reference does not replace the other', async () => {
  const base = {
    'weir.yaml':
      'kind: Platform\nmetadata: {name: platform}\nspec: {tables: {url: "https://t.example"}, ai: {enabled: true, assistantService: {url: "https://a.example", token: {fromEnv: WEIR_SECRET_A}}}}\n',
  };
  const over = (token: string) => ({
    ...base,
    'overlays/s/p.yaml': `kind: Platform\nmetadata: {name: platform}\nspec: {ai: {assistantService: {token: ${token}}}}\n`,
  });
  const both = await loaded(over('{fromFile: a}'), 's');
  assert.match(
    both.findings[0]?.message ?? '',
    /it has both fromEnv and fromFile: write one \(in an overlay null takes the other away\)/,
  );
  assert.is(both.findings[0]?.source?.file, 'overlays/s/p.yaml');
  assert.match(
    (await loaded(over('hunter2'), 's')).findings[0]?.message ?? '',
    /cannot be written out, because a tree holds no secrets/,
  );
  assert.equal((await loaded(over('{fromFile: a, fromEnv: null}'), 's')).findings, []);
});

merging('reads public files beside the document that names them', async () => {
  const config =
    'kind: SsoConfig\nmetadata: {name: s}\nspec: {provider: ldap, emailDomain: example.com, ldap: {tls: {ca: {fromFile: ca.pem}}}}\n';
  const base = { 'weir.yaml': files['weir.yaml'], 'sso/s.yaml': config, 'sso/ca.pem': 'one' };
  const over = {
    ...base,
    'overlays/s/x/s.yaml': config.replace('emailDomain: example.com, ', '').replace('ca.pem', 'its.pem'),
    'overlays/s/x/its.pem': 'two',
  };
  const ca = (tree: LoadedTree) => {
    const spec = tree.desired.desired.get('SsoConfig/s')?.spec;
    return spec && 'ldap' in spec ? spec.ldap?.tls.ca : undefined;
  };
  const { base: plain } = await written(over);
  assert.is(ca(plain), 'one');
  const { root, tree } = await environment(over, 's');
  const staged = await judgeTree(tree, { facts, git: false });
  assert.is(ca(staged), 'two');
  writeFileSync(join(root, 'overlays/s/x/its.pem'), 'three');
  const after = await loadTree(root, { facts, overlay: 's', previous: tree, git: false });
  assert.is(ca(after), 'three');
  assert.is.not(after.source.digest, staged.source.digest);
});

merging('counts for the revision, and other overlays do not', async () => {
  const { root, tree } = await environment(files, 'staging');
  const again = async () => (await environment({}, 'staging', root)).tree.digest;
  writeFileSync(join(root, 'overlays/other/a.yaml'), 'nonsense: [');
  assert.is(await again(), tree.digest);
  writeFileSync(join(root, 'overlays/staging/more.yaml'), '# a remark\n');
  assert.is.not(await again(), tree.digest);
});

merging('keeps what did not change the very same document', async () => {
  const { root, tree } = await environment(files, 'staging');
  writeFileSync(join(root, 'stacks.yaml'), files['stacks.yaml'].replace('4.0', '4.2'));
  const after = await readTree(root, { overlay: 'staging', previous: tree });
  if (isMissing(after)) return assert.unreachable();
  const named = ({ documents }: Tree, name: string) =>
    documents.find(({ value }) => JSON.stringify(value).includes(`"name":"${name}"`));
  assert.is(named(after, 'platform'), named(tree, 'platform'));
  assert.is(named(after, 'c'), named(tree, 'c'));
  assert.is.not(named(after, 'b'), named(tree, 'b'));
});

merging('shows when it changes, comes and goes', async () => {
  const { root, tree } = await environment(files, 'staging');
  const old = {
    ...tree,
    files: new Map([...tree.files].map(([path, entry]) => [path, { ...entry, fresh: false }])),
    fresh: false,
  };
  assert.is(await scan(old), false);
  writeFileSync(join(root, 'overlays/staging/a.yaml'), `${files['overlays/staging/a.yaml']}# more\n`);
  assert.is(await scan(old), true);
  rmSync(join(root, 'overlays/staging'), { recursive: true });
  assert.is(await scan(old), true);
  const gone = await readTree(root, { overlay: 'staging' });
  assert.ok(isMissing(gone));
  assert.match(
    gone.message,
    /has no environment "staging" \(it has other, production\): make the folder overlays\/staging in it/,
  );
  assert.is(await scan(gone), true, 'it may come back at any time');
});

merging('means the same in texts', async () => {
  const { tree } = await environment(files, 'staging');
  const texts = Object.entries(files).map(([path, content]) => ({ path, content }));
  const given = treeOfTexts(
    texts.filter(({ path }) => !path.startsWith('drafts/')),
    'staging',
  );
  if (isMissing(given)) return assert.unreachable();
  const values = ({ documents }: Tree) => documents.map(({ value }) => JSON.stringify(value)).sort();
  assert.equal(values(given), values(tree));
  assert.is(given.digest, tree.digest);
  assert.ok(isMissing(treeOfTexts(texts, 'nope')));
});

async function loaded(content: Record<string, string>, overlay: string): Promise<LoadedTree> {
  return judgeTree((await environment(content, overlay)).tree, { facts, git: false });
}

async function environment(content: Record<string, string>, overlay: string, root = temporaryFolder().path) {
  await writeFiles(root, content);
  const tree = await readTree(root, { overlay });
  if (isMissing(tree)) throw new Error(tree.message);
  return { root, tree };
}

async function written(content: Record<string, string>) {
  const root = temporaryFolder().path;
  await writeFiles(root, content);
  return { root, base: await loadTree(root, { facts, git: false }) };
}

merging.run();
