// What is provided, and what the README says is.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownFeatures } from '../../src/core/kinds/features.ts';
import { drivers } from '../../src/drivers/index.ts';

const provided = suite('the features that are provided');

provided('are those of which the README says what they give', () => {
  const readme = readFileSync(`${import.meta.dirname}/../../README.md`, 'utf8');
  const [, chapter = ''] = /\n### Features\n(.*?)\n### /s.exec(readme) ?? [];
  const rows = [...chapter.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const all = new Set([...ownFeatures, ...[...drivers.values()].flatMap(({ provides }) => [...provides])]);
  assert.equal(rows.sort(), [...all].sort());
});

provided.run();
