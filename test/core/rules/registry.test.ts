// Every rule has a suite of its own in this folder, named by its id.
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../../src/core/rules/index.ts';

const registry = suite('the registry of rules');
const ids: readonly string[] = rules.map(({ id }) => id);

registry('names each rule once, and says what it refuses', () => {
  assert.is(new Set(ids).size, ids.length);
  for (const { id, refuses } of rules) assert.ok(refuses.length > 10, id);
});

registry('has a suite for each rule', () => {
  const texts = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'));
  const suites = new Set([...texts.join('\n').matchAll(/= suite\('([a-z-]+)'\)/g)].map(([, id]) => id));
  assert.equal(
    ids.filter((id) => !suites.has(id)),
    [],
  );
});

registry('has a file for each rule', () => {
  const files = readdirSync(`${import.meta.dirname}/../../../src/core/rules`);
  const shared = ['username-unique', 'email-unique'];
  assert.equal(
    ids.filter((id) => !shared.includes(id) && !files.includes(`${id}.ts`)),
    [],
  );
});

registry('has a row in the README for each rule', () => {
  const readme = readFileSync(`${import.meta.dirname}/../../../README.md`, 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
  assert.equal(
    ids.filter((id) => !rows.some((row) => row.split(' | ')[0]?.includes(`\`${id}\``))),
    [],
  );
});

registry.run();
