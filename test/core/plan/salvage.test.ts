// What else is wrong with a document that its kind refuses is told in the same run, and nothing that only seems to be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
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
  assert.equal(rulesOf('kind: Stack\nmetadata: {name: a}\nspec:\n  runtimme: ../x\n'), [
    '4:13 stack-runtime',
    '4:3 schema',
  ]);
  assert.equal(rulesOf('kind: InstanceType\nmetadata: {name: t}\nspec:\n  stakcs: [gone]\n'), [
    '4:12 references',
    '4:3 schema',
  ]);
});

wrong('is not said to lack what could not be read', () => {
  const stack = (name: string) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`;
  const stacks = [stack('a'), stack('b')];
  // Two stacks, and a default that is no text; and a default that is among stacks of which one is no text.
  assert.equal(
    rulesOf(...stacks, 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a, b], defaultStack: [a]}\n').length,
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

wrong('tells nothing of others by what could not be read of the Platform, and all by the rest', () => {
  const platform = (spec: string) => `kind: Platform\nmetadata: {name: platform}\nspec: {${spec}}\n`;
  const settings = 'kind: AdminSettings\nmetadata: {name: default}\nspec: {registration: true}\n';
  assert.equal(problemsIn({ 'weir.yaml': platform('email: 5'), 'a.yaml': settings }).length, 1);
  assert.equal(problemsIn({ 'weir.yaml': platform('emial: {}'), 'a.yaml': settings }).length, 1);
  assert.equal(problemsIn({ 'weir.yaml': platform('frob: 5, driver: {kind: x}'), 'a.yaml': settings }).length, 3);
});

wrong('costs no more than it is worth when very much is wrong', () => {
  const keys = Array.from({ length: 5000 }, (_, at) => `  k${at}: 1\n`).join('');
  assert.is(problems(`kind: Stack\nmetadata: {name: a}\nspec:\n  runtime: "4"\n${keys}`).length, 101);
});

wrong('loses an item of a list, and the others keep their places', () => {
  assert.equal(
    problems(
      'kind: TeamType\nmetadata: {name: t}\nspec:\n  instanceTypes:\n    - limit: 3\n    - name: gone\n    - name: 5\n    - nmae: also\n    - {name: third, x: 3}\n',
    ).map((problem) => problem.split(',')[0]?.split(':  ')[0]?.slice(0, 70)),
    [
      '5:7 schema TeamType/t: instanceTypes[0].name is missing',
      '7:13 schema TeamType/t: instanceTypes[2].name must be text',
      '8:7 schema TeamType/t: instanceTypes[3] has no field "nmae" (it has na',
      '9:21 schema TeamType/t: instanceTypes[4] has no field "x" (it has name',
      '6:13 references TeamType/t: instanceTypes[1].name names InstanceType/g',
      '8:13 references TeamType/t: instanceTypes[3].nmae names InstanceType/a',
      '9:14 references TeamType/t: instanceTypes[4].name names InstanceType/t',
    ],
  );
});

wrong('is judged though it lacks what it cannot do without', () => {
  const stack = (spec: string) => rulesOf(`kind: Stack\nmetadata: {name: a}\nspec: {${spec}}\n`);
  assert.equal(stack('replaces: gone'), ['3:18 references', '3:7 schema']);
  assert.equal(stack('runtime: 4, replaces: gone'), ['3:17 schema', '3:30 references']);
  const sso = (spec: string) => rulesOf(`kind: SsoConfig\nmetadata: {name: s}\nspec: {${spec}}\n`);
  assert.equal(sso('active: true'), ['3:16 sso-licence', '3:7 schema', '3:7 schema']);
  for (const kind of declaredKindNames) {
    const { issues = [] } = kindOf(kind).spec.safeParse({}).error ?? {};
    const name = kindOf(kind).singleton ?? 'a';
    const problem = problemsIn({ 'a.yaml': `kind: ${kind}\nmetadata: {name: ${name}, frob: 1}\nspec: {}\n` });
    if (kind !== 'Platform') assert.is(problem.length, issues.length + 1, `${kind} has a stand-in for each field`);
  }
});

wrong('with an unknown field lacks what it lacks; with a misspelt one it does not', () => {
  const active = 'emailDomain: x.example, provider: saml, active: true';
  const saml = (more: string) =>
    problemsIn({
      'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n',
      'a.yaml': `kind: SsoConfig\nmetadata: {name: s}\nspec: {${active}, saml: {signOnUrl: "https://x.example/", certificate: CERT, ${more}}}\n`,
    }).map((problem) => problem.split(' ')[1]);
  assert.equal(saml('frob: 1'), ['schema', 'sso-complete']);
  assert.equal(saml('isuer: x'), ['schema']);
  assert.equal(saml('issuer: 5'), ['schema']);
});

wrong('is told of once where a part around its spec is misspelt', () => {
  const stack = 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"}\n';
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a]}\n';
  for (const part of ['kind', 'metadata', 'name', 'spec', 'runtime']) {
    const typo = `${part[0]}${part[2]}${part[1]}${part.slice(3)}`;
    assert.is(problems(stack.replace(part, typo), type).length, 1, typo);
  }
});

wrong('and a file that cannot be read declare what they seem to declare', () => {
  const type = 'kind: InstanceType\nmetadata: {name: t}\nspec: {stacks: [a]}\n';
  for (const text of [
    'kind: Stack\nmetadata: {name: a}\nspec: {\n',
    '{"kind": "Stack", "metadata": {"name": "a"}, "spec": [}',
  ])
    assert.is(problemsIn({ 'a.yaml': text, 'b.yaml': type }).length, 1, text);
});

wrong.run();
