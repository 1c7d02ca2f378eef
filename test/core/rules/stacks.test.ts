// What stacks, and those who use them, do not allow.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import type { Proposal } from '../../../src/core/model/proposal.ts';
import {
  allowing,
  apply,
  type Files,
  living,
  made,
  newWorld,
  planOf,
  problemsIn,
  put,
  violationsOf,
  type World,
  write,
} from '../../control/world.ts';

const stack = (name: string, more = '') => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"${more}}\n`;

/** A world in which a stack, an instance type, a template and a team type are declared, and instances and a team use them. */
async function inUse(instances: number): Promise<{ world: World; files: Files }> {
  const world = newWorld();
  const files = {
    'stack.yaml': stack('nr-4'),
    'type.yaml': 'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4]}\n',
    'template.yaml': 'kind: Template\nmetadata: {name: standard}\n',
    'team.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
  };
  await apply(world, files);
  const id = (kind: 'Stack' | 'InstanceType' | 'Template' | 'TeamType', name: string) =>
    world.store.read().named(kind, name)?.id;
  const uses = {
    team: 'Team-a',
    instanceType: id('InstanceType', 'small'),
    template: id('Template', 'standard'),
    stack: id('Stack', 'nr-4'),
  };
  await put(
    world,
    living('Team', 'a', { displayName: 'A', type: id('TeamType', 'starter') }),
    ...Array.from({ length: instances }, (_, at) => living('Instance', `i${at}`, uses)),
  );
  return { world, files };
}

const without = (files: Files, ...gone: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !gone.includes(path)));

const stackInUse = suite('stack-in-use');

stackInUse('keeps a stack that instances use from being deleted', async () => {
  const { world, files } = await inUse(1);
  const problems = await violationsOf(world, without(files, 'stack.yaml', 'type.yaml'));
  assert.ok(
    problems.includes(
      'stack-in-use Stack/nr-4: cannot be deleted, because 1 instance uses it: move it to another stack first',
    ),
    problems.join(),
  );
});

stackInUse('keeps its runtime and resources as they are, and leaves everything else editable', async () => {
  const { world, files } = await inUse(2);
  const edited = { ...files, 'stack.yaml': stack('nr-4', ', resources: {memoryMb: 64}').replace('"4"', '"5"') };
  assert.equal(await violationsOf(world, edited), [
    'stack.yaml:3:17 stack-in-use Stack/nr-4: runtime cannot change, because 2 instances use it: declare a new Stack with "replaces: nr-4" instead',
    'stack.yaml:3:33 stack-in-use Stack/nr-4: resources cannot change, because 2 instances use it: declare a new Stack with "replaces: nr-4" instead',
  ]);
  assert.equal(await violationsOf(world, { ...files, 'stack.yaml': stack('nr-4', ', label: Old, active: false') }), []);
  const renamed = stack('nr-four').replace('}', ', previousNames: [nr-4]}');
  const type = 'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-four]}\n';
  assert.equal(await violationsOf(world, { ...files, 'stack.yaml': renamed, 'type.yaml': type }), []);
});

stackInUse('says the same through the API', async () => {
  const world = newWorld();
  const own = made('Stack', 'nr-4', { runtime: '4' });
  await put(world, own, living('Instance', 'i', { team: 't', instanceType: 'x', template: 'x', stack: own.id }));
  const edit: Proposal = () => [updated(own, { ...own, spec: { ...own.spec, runtime: '5' } })];
  assert.equal(await write(world, edit), [
    'stack-in-use Stack/nr-4: runtime cannot change, because 1 instance uses it: declare a new Stack with "replaces: nr-4" instead',
  ]);
  assert.equal(await write(world, () => [deleted(own)]), [
    'stack-in-use Stack/nr-4: cannot be deleted, because 1 instance uses it: move it to another stack first',
  ]);
});

stackInUse.run();

const inUseRule = suite('in-use');

inUseRule('keeps a team type with teams, an instance type and a template with instances', async () => {
  const { world, files } = await inUse(2);
  assert.equal(await violationsOf(world, without(files, 'team.yaml', 'type.yaml', 'template.yaml'), allowing(3)), [
    'in-use TeamType/starter: cannot be deleted, because 1 team is of this type: set "active: false" to end its use',
    'in-use InstanceType/small: cannot be deleted, because 2 instances are of this type: set "active: false" to end its use',
    'in-use Template/standard: cannot be deleted, because 2 instances are made from it: set "active: false" to end its use',
  ]);
});

inUseRule('lets them be edited, and deleted once nobody uses them', async () => {
  const { world, files } = await inUse(0);
  assert.equal(await violationsOf(world, without(files, 'type.yaml', 'template.yaml'), allowing(2)), []);
  const closed = 'kind: TeamType\nmetadata: {name: starter}\nspec: {active: false}\n';
  assert.equal(await violationsOf(world, { ...files, 'team.yaml': closed }), []);
});

inUseRule('says the same through the API', async () => {
  const world = newWorld();
  const type = made('TeamType', 'own');
  await put(world, type, living('Team', 'a', { displayName: 'A', type: type.id }));
  assert.equal(await write(world, () => [deleted(type)]), [
    'in-use TeamType/own: cannot be deleted, because 1 team is of this type: set "active: false" to end its use',
  ]);
});

inUseRule.run();

const runtime = suite('stack-runtime');

runtime('wants one plain directory name with the local driver', () => {
  const problem = (text: string) =>
    problemsIn({ 'a.yaml': `kind: Stack\nmetadata: {name: a}\nspec: {runtime: ${JSON.stringify(text)}}\n` });
  for (const wrong of ['../up', 'a/b', 'a\\b', '.', '..', 'a b', '-x', 'a\nb', 'é', 'x'.repeat(256)])
    assert.match(problem(wrong)[0] ?? '', /stack-runtime .*runtime cannot be/, wrong);
  for (const right of ['4.1.15', 'latest', 'v5', '@scope', 'x'.repeat(255)]) assert.equal(problem(right), [], right);
  assert.equal(problem('a/b'), [
    'a.yaml:3:17 stack-runtime Stack/a: runtime cannot be "a/b", because the local driver takes it as one directory name in the stacks directory: write a name such as "4.1.15"',
  ]);
});

runtime('takes anything with the other drivers, and looks at all stacks again when the driver changes', async () => {
  const platform = (kind: string) => `kind: Platform\nmetadata: {name: platform}\nspec: {driver: {kind: ${kind}}}\n`;
  const image = 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "registry.example.com/flows:4"}\n';
  assert.equal(problemsIn({ 'weir.yaml': platform('container'), 'a.yaml': image }), []);
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('container') });
  await put(world, made('Stack', 'own', { runtime: 'registry/own' }));
  const { document } = await planOf(world, { 'weir.yaml': platform('local') });
  assert.equal(
    document.findings.map(({ message }) => message.slice(0, 45)),
    ['Stack/own: runtime cannot be "registry/own", '],
  );
  assert.equal(
    document.changes.map(({ address, action }) => `${action} ${address}`),
    ['blocked Platform/platform'],
  );
});

runtime('says the same through the API', async () => {
  const problems = await write(newWorld(), () => [created(made('Stack', 'a', { runtime: 'a/b' }))]);
  assert.match(problems[0] ?? '', /^stack-runtime Stack\/a: runtime cannot be "a\/b"/);
});

runtime.run();

const defaults = suite('default-stack');
const type = (spec: string) => `kind: InstanceType\nmetadata: {name: small}\nspec: ${spec}\n`;
const both = { 'a.yaml': stack('a'), 'b.yaml': stack('b') };

defaults('is one of the stacks', () => {
  assert.equal(problemsIn({ ...both, 't.yaml': type('{stacks: [a], defaultStack: b}') }), [
    't.yaml:3:35 default-stack InstanceType/small: defaultStack cannot be b, because it is not among its stacks (a)',
  ]);
  assert.equal(problemsIn({ ...both, 't.yaml': type('{defaultStack: b}') }), [
    't.yaml:3:22 default-stack InstanceType/small: defaultStack cannot be b, because it is not among its stacks (it has none)',
  ]);
});

defaults('may be left out where there is one stack or none', () => {
  assert.equal(problemsIn({ ...both, 't.yaml': type('{stacks: [a]}') }), []);
  assert.equal(problemsIn({ ...both, 't.yaml': type('{}') }), []);
  assert.equal(problemsIn({ ...both, 't.yaml': type('{stacks: [a, b]}') }), [
    't.yaml:3:16 default-stack InstanceType/small: defaultStack cannot be left out, because there are several stacks: name one of a, b',
  ]);
});

defaults('is asked for in the same words through the API, and of many names a few are told', async () => {
  const world = newWorld();
  const stacks = Array.from({ length: 5000 }, (_, at) => `s${at}`);
  await put(world, ...stacks.map((name) => made('Stack', name, { runtime: '4' })));
  assert.equal(await write(world, () => [created(made('InstanceType', 'small', { stacks }))]), [
    'default-stack InstanceType/small: defaultStack cannot be left out, because there are several stacks: name one of s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 4990 more',
  ]);
});

defaults.run();
