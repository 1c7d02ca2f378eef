// What else is wrong with a document that its kind refuses is told in the same run, and nothing that only seems to be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemsIn } from '../../control/world.ts';

/** The problems of some documents in one file. */
function problems(...documents: readonly string[]): string[] {
  return problemsIn({ 'a.yaml': documents.join('---\n') }).map((problem) => problem.replace(/^a\.yaml:/, ''));
}

/** The rules that speak, each with its place. */
function rulesOf(...documents: readonly string[]): string[] {
  return problems(...documents)
    .map((problem) => problem.split(' ').slice(0, 2).join(' '))
    .toSorted();
}

const wrong = suite('a document that its kind refuses');

wrong('is judged by every rule as far as it can be read', () => {
  assert.equal(
    rulesOf(
      'kind: Stack\nmetadata: {name: a}\nspec:\n  lable: x\n  runtime: ../x\n  resources: {memoryMb: -1}\n  replaces: b\n',
    ),
    ['4:3 schema', '5:12 stack-runtime', '6:25 schema', '7:13 references'],
  );
});

wrong('is told of alone where its name is none, whatever is wrong with that', () => {
  for (const name of [`${'a'.repeat(64)}`, 'A', '-a', '""', '5', '[a]', '{a: b}', 'null', '"a\\n"'])
    assert.equal(rulesOf(`kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "../x"}\n`), ['2:18 schema'], name);
});

wrong('has what is misspelt taken for what was meant, at its place', () => {
  assert.equal(
    rulesOf('kind: Stack\nmetadata: {name: a}\nspec:\n  runtimme: ../x\n'),
    ['4:3 schema', '4:3 schema', '4:13 stack-runtime'].toSorted(),
  );
  assert.equal(rulesOf('kind: InstanceType\nmetadata: {name: t}\nspec:\n  stakcs: [gone]\n'), [
    '4:12 references',
    '4:3 schema',
  ]);
});

wrong('is not said to lack what could not be read', () => {
  const stack = (name: string) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`;
  const stacks = [stack('a'), stack('b')];
  // Two stacks and no default, but for a word that nobody can read; and a default that is among stacks of which one is no text.
  assert.equal(
    rulesOf(...stacks, 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a, b], standard: a}\n').length,
    1,
  );
  assert.equal(
    rulesOf(...stacks, 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a, 4], defaultStack: a}\n').length,
    1,
  );
  const sso =
    'kind: SsoConfig\nmetadata: {name: s}\nspec: {emailDomain: x.example, provider: saml, active: true, saml: 5}\n';
  assert.equal(
    rulesOf(sso).filter((rule) => rule.endsWith('sso-complete')),
    [],
  );
});

wrong('counts as declared: others may name it, and none may have its name', () => {
  const twice = 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4", x: 1}\n';
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a]}\n';
  assert.equal(rulesOf(twice, type, twice), ['10:18 duplicate-object', '11:22 schema', '3:22 schema']);
});

wrong('tells nothing of others by halves of the Platform', () => {
  const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {email: 5}\n';
  const settings = 'kind: AdminSettings\nmetadata: {name: default}\nspec: {registration: true}\n';
  assert.equal(problemsIn({ 'weir.yaml': platform, 'a.yaml': settings }).length, 1);
});

wrong('costs no more than it is worth when very much is wrong', () => {
  const keys = Array.from({ length: 5000 }, (_, at) => `  k${at}: 1\n`).join('');
  assert.is(problems(`kind: Stack\nmetadata: {name: a}\nspec:\n  runtime: "4"\n${keys}`).length, 101);
});

wrong.run();
