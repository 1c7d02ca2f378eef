// What is committed in schemas/ is what the nouns say today.
import { readFileSync } from 'node:fs';
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

committed.run();
