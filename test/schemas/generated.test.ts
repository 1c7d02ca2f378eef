// What is committed in schemas/ is what the nouns say today.
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generatedFiles } from '../../src/core/schemas/generate.ts';

const committed = suite('schemas/');

for (const [name, text] of Object.entries(generatedFiles()))
  committed(`has ${name} as it is generated (else run: npm run schemas)`, () => {
    assert.ok(
      readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8') === text,
      `${name} is not current`,
    );
  });

// A reader of JSON Schema may compile patterns with the flag `u` or without, and may stand in another language, which has no `\p{…}` of JavaScript's and no `\u{…}`.
committed('has patterns that every reader can compile', () => {
  const folder = new URL('../../schemas/', import.meta.url);
  const found = new Set(
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => [...patternsIn(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))]),
  );
  assert.ok(found.size > 20, `${found.size} patterns`);
  for (const pattern of found) {
    assert.not.match(pattern, /\\p\{|\\P\{|\\u\{|\(\?<[^=!]|\(\?[a-z-]+[:)]/);
    for (const flags of ['', 'u']) assert.not.throws(() => new RegExp(pattern, flags), `${pattern} with "${flags}"`);
  }
});

function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string') yield value;
    if (key === 'patternProperties') yield* Object.keys(value);
    yield* patternsIn(value);
  }
}

committed.run();
