// Previous names that say nothing are warned of, where nobody can have been called so; what is on its way is not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply, load, newWorld, planOf, type World } from '../../control/world.ts';

const stack = (name: string, ...previous: string[]) =>
  `kind: Stack\nmetadata: {name: ${name}, previousNames: [${previous.join(', ')}]}\nspec: {runtime: "4"}\n`;

/** What is found of previous names, with where. */
async function told(files: Readonly<Record<string, string>>, world: World = newWorld()): Promise<readonly string[]> {
  const { document } = await planOf(world, files);
  return document.findings
    .filter(({ path = '' }) => path.startsWith('/metadata/previousNames'))
    .map(({ rule, severity, message, source }) => `${severity} ${rule} ${source?.line}:${source?.column} ${message}`);
}

const own = (name: string) =>
  `warning previous-name-without-effect 2:37 Stack/${name}: the previous name "${name}" has no effect, because that is its name now: take it out of previousNames`;
const beside = (name: string, other: string) =>
  `warning previous-name-without-effect 2:37 Stack/${name}: the previous name "${other}" has no effect, because Stack/${other} is declared beside it: take it out of previousNames`;

const names = suite('previous-name-without-effect');

names('warns of the name that the document has', async () => {
  assert.equal(await told({ 'a.yaml': stack('a', 'a') }), [own('a')]);
});

names('warns of a name that another document of the kind declares and keeps', async () => {
  const files = { 'a.yaml': stack('a'), 'b.yaml': stack('b', 'a') };
  assert.equal(await told(files), [beside('b', 'a')]);
  assert.equal(
    await told({
      'a.yaml': stack('a').replace('Stack', 'Template').replace('{runtime: "4"}', '{}'),
      'b.yaml': stack('b', 'a'),
    }),
    [],
  );
});

names('says nothing of names that go on: in a line, in a circle, of what is gone', async () => {
  assert.equal(await told({ 'a.yaml': stack('a', 'b'), 'b.yaml': stack('b', 'a') }), []);
  assert.equal(await told({ 'a.yaml': stack('a', 'old'), 'b.yaml': stack('b', 'a') }), []);
  assert.equal(await told({ 'b.yaml': stack('b', 'a', 'older') }), []);
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  await apply(world, { 'b.yaml': stack('b', 'a') });
  assert.equal(await told({ 'b.yaml': stack('b', 'a') }, world), [], 'it may stay');
  assert.equal(await told({ 'a.yaml': stack('a'), 'b.yaml': stack('b', 'a') }, world), [beside('b', 'a')]);
});

names('leaves the word to the plan, where that refuses the name', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const [one = '', ...more] = await told({ 'a.yaml': stack('a'), 'b.yaml': stack('b', 'a') }, world);
  assert.match(
    one,
    /^error duplicate-object 2:37 Stack\/b: cannot have been a, because a\.yaml:2 still declares Stack\/a/,
  );
  assert.equal(more, []);
});

names('needs no word of a name twice: the schema refuses that', () => {
  assert.equal(
    load({ 'b.yaml': stack('b', 'a', 'a') }).findings.map(({ rule, message }) => `${rule} ${message}`),
    ['schema Stack/b: metadata.previousNames[1] cannot be "a", because it stands in the list already'],
  );
});

names.run();
