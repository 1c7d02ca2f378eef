// Stacks replace each other in a line, however long it is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created, updated } from '../../../src/core/model/change.ts';
import { createState } from '../../../src/core/model/state.ts';
import { noConsents } from '../../../src/core/rules/rule.ts';
import { stackChain } from '../../../src/core/rules/stack-chain.ts';
import { apply, facts, made, newWorld, problemsIn, put, violationsOf, write } from '../../control/world.ts';

const stack = (name: string, replaces?: string) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec:\n  runtime: "4"\n${replaces === undefined ? '' : `  replaces: ${replaces}\n`}`;
const files = (...pairs: readonly (readonly [string, string?])[]) =>
  Object.fromEntries(pairs.map(([name, replaces]) => [`${name}.yaml`, stack(name, replaces)]));

const chain = suite('stack-chain');

chain('lets stacks replace each other in a line', () => {
  assert.equal(problemsIn(files(['a'], ['b', 'a'], ['c', 'b'])), []);
});

chain('refuses a stack that replaces itself', () => {
  assert.equal(problemsIn(files(['a', 'a'])), [
    'a.yaml:5:13 stack-chain Stack/a: replaces cannot be a, because the stacks would replace each other in a circle: a → a',
  ]);
});

chain('refuses a circle once, at the first of its stacks, and not at those that lead into it', () => {
  assert.equal(problemsIn(files(['a', 'b'], ['b', 'a'])), [
    'a.yaml:5:13 stack-chain Stack/a: replaces cannot be b, because the stacks would replace each other in a circle: a → b → a',
  ]);
  const problems = problemsIn(files(['d', 'b'], ['a', 'c'], ['b', 'a'], ['c', 'b']));
  const circles = problems.filter((problem) => problem.includes('circle'));
  assert.equal(
    circles.map((problem) => problem.slice(0, 6)),
    ['a.yaml'],
  );
});

chain('refuses two successors of one stack, at both', () => {
  assert.equal(problemsIn(files(['a'], ['b', 'a'], ['c', 'a'])), [
    'b.yaml:5:13 stack-chain Stack/b: replaces cannot be a, because Stack/c replaces it already',
    'c.yaml:5:13 stack-chain Stack/c: replaces cannot be a, because Stack/b replaces it already',
  ]);
});

chain('says the same through the API, and in the live state', async () => {
  const world = newWorld();
  await apply(world, files(['a'], ['b', 'a']));
  const rival = made('Stack', 'own', { runtime: '4', replaces: 'a' });
  assert.equal(await write(world, () => [created(rival)]), [
    'stack-chain Stack/own: replaces cannot be a, because Stack/b replaces it already',
  ]);
  await put(world, made('Stack', 'own', { runtime: '4', replaces: 'b' }));
  assert.equal(await violationsOf(world, files(['a'], ['b', 'a'], ['c', 'b'])), [
    'c.yaml:5:13 stack-chain Stack/c: replaces cannot be b, because Stack/own replaces it already',
  ]);
  const [first, second] = [made('Stack', 'x', { runtime: '4' }), made('Stack', 'y', { runtime: '4', replaces: 'x' })];
  await put(world, first, second);
  const turned = updated(first, { ...first, spec: { ...first.spec, replaces: 'y' } });
  assert.equal(await write(world, () => [turned]), [
    'stack-chain Stack/x: replaces cannot be y, because the stacks would replace each other in a circle: x → y → x',
  ]);
});

chain('judges a line and a circle of 20 000 stacks once each stack, and cuts a long circle short', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `s${at}`);
  const checked = (last: string | undefined) => {
    const replaces = (at: number) => (at === 0 ? last : names[at - 1]);
    const changes = names.map((name, at) =>
      created(made('Stack', name, { runtime: '4', ...(replaces(at) ? { replaces: replaces(at) } : {}) })),
    );
    const [before, after] = [createState(), createState()];
    after.apply(changes);
    const start = process.cpuUsage().user;
    const found = [...stackChain.check({ door: 'tree', changes, before, after, consents: noConsents, facts })];
    assert.ok(process.cpuUsage().user - start < 5_000_000);
    return found;
  };
  assert.is(checked(undefined).length, 0);
  const circle = checked('s19999');
  assert.equal(
    circle.map(({ message }) => message),
    [
      'Stack/s0: replaces cannot be s19999, because the stacks would replace each other in a circle: s0 → s19999 → s19998 → s19997 → s19996 → s19995 → … (20000 stacks) → s0',
    ],
  );
});

chain.run();
