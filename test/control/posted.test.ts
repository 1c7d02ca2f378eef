// A tree that is sent and the folder that holds the same files are one tree: the same documents, findings, digest and plan.

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TreeInvalid } from '../../src/control/failures.ts';
import { judgePosted } from '../../src/control/posted.ts';
import { prepare } from '../../src/control/reconcile.ts';
import { judgeTree, type LoadedTree, loadTree, readTree } from '../../src/control/tree.ts';
import { hasErrors } from '../../src/core/model/finding.ts';
import { desireSteps } from '../../src/core/plan/desired-tree.ts';
import { judgeSteps } from '../../src/core/plan/judge.ts';
import { planSteps } from '../../src/core/plan/plan.ts';
import { type TextFile, textsOf, treeOfTexts, treeOfTextsSteps } from '../../src/manifests/texts.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { facts, newWorld } from './world.ts';

type Files = Readonly<Record<string, string>>;

const posted = suite('a tree that is sent');

/** What may stand at the root: an exclude more often than not. */
const manifest = fc
  .constantFrom(
    '',
    'spec: {exclude: [drafts]}\n',
    'spec: {exclude: ["**/b.yaml", overlays]}\n',
    'spec: {licence: enterprise}\n',
  )
  .map((spec) => `kind: Platform\nmetadata: {name: platform}\n${spec}`);

const folder = fc.constantFrom(
  '',
  'stacks/',
  'drafts/',
  'deep/er/',
  'overlays/prod/',
  'overlays/prod/overlays/',
  'overlays/other/',
  '..data/',
  '.git/',
  'node_modules/x/',
  'old~/',
);

const name = fc.constantFrom(
  'a.yaml',
  'b.yaml',
  'c.yml',
  '.hidden.yaml',
  '.#a.yaml',
  'a.yaml~',
  '.a.yaml.swp',
  '4913',
  'd.YAML',
  'idp.pem',
  'README.md',
);

const stack = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('"4.1"', '"4.2"', '"4.2"\n  label: x', '4'))
  .map(([at, runtime]) => `kind: Stack\nmetadata: {name: ${at}}\nspec:\n  runtime: ${runtime}\n`);

const saml = fc
  .tuple(fc.constantFrom('x', 'y'), fc.constantFrom('idp.pem', '../idp.pem', '../../out.pem', 'none.pem', 'c.yml'))
  .map(
    ([at, file]) =>
      `kind: SsoConfig\nmetadata: {name: ${at}}\nspec:\n  emailDomain: ${at}.example\n  provider: saml\n  saml:\n    certificate: {fromFile: ${file}}\n`,
  );

const document = fc.oneof(
  { weight: 6, arbitrary: stack },
  { weight: 3, arbitrary: saml },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '# nothing\n', 'a: b: c\n', 'kind: Stac\nmetadata: {name: q}\n', 'CERT\n'),
  },
);

const content = fc
  .tuple(fc.array(document, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '\uFEFF'), fc.boolean())
  .map(([parts, mark, windows]) => {
    const text = mark + parts.join('---\n');
    return windows ? text.replaceAll('\n', '\r\n') : text;
  });

const files: fc.Arbitrary<Files> = fc
  .tuple(
    manifest,
    fc.array(
      fc.tuple(
        fc.tuple(folder, name).map((parts) => parts.join('')),
        content,
      ),
      { maxLength: 8 },
    ),
  )
  .map(([root, others]) => ({ 'weir.yaml': root, 'idp.pem': 'CERT\n', ...Object.fromEntries(others) }));

posted('is the tree of the folder that holds the same files', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.constantFrom(undefined, 'prod', '..data'), async (given, environment) => {
      const here = temporaryFolder();
      try {
        await writeFiles(here.path, given);
        const onDisk = await readTree(here.path, { overlay: environment });
        const sent = treeOfTexts(textsIn(given), environment);
        if (isMissing(onDisk) || isMissing(sent)) return assert.is(isMissing(onDisk), isMissing(sent));
        assert.equal(shown(await judged(sent)), shown(await judged(onDisk)));
        if (onDisk.findings.some(({ severity }) => severity === 'error')) return;
        const sendable = textsOf(onDisk);
        const again = treeOfTexts(sendable, isAmong(environment, sendable) ? environment : undefined);
        if (isMissing(again)) return assert.unreachable(again.message);
        assert.equal(shown(await judged(again)), shown(await judged(onDisk)), 'what a command sends');
      } finally {
        await here.remove();
      }
    }),
    { numRuns: 150 },
  );
});

posted('has the plan of the folder, with the commit that its sender tells and no other', async () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  await fc.assert(
    fc.asyncProperty(files, async (given) => {
      const here = temporaryFolder();
      try {
        await writeFiles(here.path, given);
        const onDisk = await loadTree(here.path, { facts, git: false });
        const sent = await judgePosted({ documents: textsIn(given), source: { commit, dirty: true } }, facts).catch(
          refusal,
        );
        if (hasErrors(onDisk.findings)) return assert.equal(sent, onDisk.findings);
        if (Array.isArray(sent)) return assert.unreachable(JSON.stringify(sent));
        const plan = async (loaded: LoadedTree) => {
          const { document } = await prepare(newWorld().store, loaded, newWorld().options());
          return JSON.parse(JSON.stringify(document));
        };
        assert.equal(await plan(sent as LoadedTree), {
          ...(await plan(onDisk)),
          source: { ...onDisk.source, commit, dirty: true },
        });
      } finally {
        await here.remove();
      }
    }),
    { numRuns: 60 },
  );
});

posted('may not hold a file over 4 MiB, nor more documents than a server has memory for', async () => {
  const root = { path: 'weir.yaml', content: 'kind: Platform\nmetadata: {name: platform}\n' };
  const large = { path: 'large.yaml', content: `# ${'x'.repeat(4 * 1024 * 1024)}\n` };
  const found = await judgePosted({ documents: [root, large] }, facts).catch(refusal);
  assert.equal(
    [found].flat().map(({ rule, message, source }) => [rule, message, source?.file]),
    [['syntax', 'the file cannot be read, because it is larger than 4 MiB: split it into several', 'large.yaml']],
  );
  // A document may end by dots instead of at the next one's dashes.
  for (const marker of ['---', '...']) {
    const many = { path: 'many.yaml', content: `a: b\n${marker}\n`.repeat(50_001) };
    const refused = await judgePosted({ documents: [root, many] }, facts).catch(refusal);
    const [{ message, source }] = [refused].flat();
    assert.match(message, /because it holds more than 50000 documents/);
    assert.equal(source, { file: 'weir.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 });
  }
});

posted('is read, judged and planned in many steps, however few files it has', async () => {
  const stacks = Array.from(
    { length: 5000 },
    (_, at) => `kind: Stack\nmetadata: {name: s-${at}}\nspec: {runtime: "4"}\n`,
  );
  const texts = [
    { path: 'weir.yaml', content: 'kind: Platform\nmetadata: {name: platform}\n' },
    { path: 'plain.yaml', content: stacks.slice(0, 4000).join('---\n') },
    // A tag leaves the file to the engine.
    { path: 'engine.yaml', content: stacks.slice(4000).join('---\n').replace('"4"', '!!str 4') },
  ];
  const reading = stepsOf(treeOfTextsSteps(texts));
  assert.ok(reading.steps > 4000 / 16, `${reading.steps} steps`);
  const tree = reading.value;
  if (isMissing(tree)) return assert.unreachable(tree.message);
  const desired = stepsOf(desireSteps({ ...tree, files: [...tree.files.values()], readPublicFile: tree.file }));
  assert.ok(desired.steps > 5000 / 64, `${desired.steps} steps`);
  const judging = stepsOf(judgeSteps(desired.value, facts));
  assert.ok(judging.steps > 5000 / 64, `${judging.steps} steps`);
  const planning = stepsOf(planSteps(desired.value.desired, newWorld().store.read(), newWorld().context('config')));
  assert.ok(planning.steps > (2 * 5000) / 64, `${planning.steps} steps`);
});

function stepsOf<T>(run: Generator<unknown, T>): { readonly value: T; readonly steps: number } {
  for (let steps = 0; ; steps++) {
    const step = run.next();
    if (step.done) return { value: step.value, steps };
  }
}

function textsIn(given: Files) {
  return Object.entries(given).map(([path, text]) => ({ path, content: text }));
}

function isAmong(environment: string | undefined, texts: readonly TextFile[]): boolean {
  return texts.some(({ path }) => path.startsWith(`overlays/${environment}/`));
}

function judged(tree: Tree): Promise<LoadedTree> {
  return judgeTree(tree, { facts, git: false });
}

/** All that a plan is made of. */
function shown({ tree, desired, findings, source }: LoadedTree) {
  return {
    source,
    findings,
    files: [...tree.files.values()].map(({ path, size, digest, text, broken }) => [path, size, digest, text, broken]),
    documents: tree.documents.map(({ file, value }) => [file, value]),
    desired: [...desired.desired].map(([address, one]) => [address, one.spec, one.source]),
    exclude: tree.exclude,
    empty: [...desired.facts.emptyFiles],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: findings, or whatever else was thrown
function refusal(error: unknown): any {
  if (error instanceof TreeInvalid) return error.findings;
  throw error;
}

posted.run();
