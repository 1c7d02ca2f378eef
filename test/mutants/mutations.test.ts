// The faults of a mutation run: each is in its place, and leaves a text that can be run.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { parse } from 'acorn';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Mutation, mutationsOf } from './mutations.ts';

const root = resolve(import.meta.dirname, '../..');
const mutations = suite('mutations');

const applied = (source: string, { start, end, replacement }: Mutation) =>
  source.slice(0, start) + replacement + source.slice(end);

mutations('are those of the operators, at their places', () => {
  const source = `'use strict';
export function take(list: readonly number[], most?: number): number[] {
  if (list.length >= (most ?? 10) && !list.some((one): one is 3 => one === 3)) throw new Error('too many');
  note(list);
  return list.filter((one) => one > 0);
}
`;
  const texts = mutationsOf(source).map((mutation) => applied(source, mutation));
  const lines = texts.map((text) =>
    text
      .split('\n')
      .filter((line) => !source.includes(`${line}\n`))[0]
      ?.trim(),
  );
  assert.equal(lines, [
    "if (true) throw new Error('too many');",
    "if (false) throw new Error('too many');",
    "if (list.length > (most ?? 10) && !list.some((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most  ) && !list.some((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 0) && !list.some((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) || !list.some((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) &&  list.some((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) && !list.every((one): one is 3 => one === 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) && !list.some((one): one is 3 => undefined)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) && !list.some((one): one is 3 => one !== 3)) throw new Error('too many');",
    "if (list.length >= (most ?? 10) && !list.some((one): one is 3 => one === 0)) throw new Error('too many');",
    ';',
    'return undefined;',
    'return list.filter(() => true);',
    'return list.filter((one) => undefined);',
    'return list.filter((one) => one >= 0);',
    'return list.filter((one) => one > 1);',
  ]);
});

mutations('leave every file a program, and differ from it', () => {
  let count = 0;
  for (const file of globSync('src/{control,store}/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const mutation of mutationsOf(source).filter((_, nth) => nth % 7 === 0)) {
      const text = applied(source, mutation);
      assert.is.not(text, source, file);
      parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' });
      count += 1;
    }
  }
  assert.ok(count > 300, `${count} mutations`);
});

mutations.run();
