// Random texts: URL-safe, never the same twice, without a favourite character.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idSource, newId, randomText } from '../../src/lib/id.ts';

const ids = suite('ids');

ids('are 22 base62 characters, another each time', () => {
  const made = new Set(Array.from({ length: 10_000 }, newId));
  assert.is(made.size, 10_000);
  for (const id of made) assert.match(id, /^[0-9A-Za-z]{22}$/);
});

ids('come from a source of many just so', () => {
  const source = idSource();
  const made = new Set([...Array.from({ length: 10_000 }, source), ...Array.from({ length: 1_000 }, idSource())]);
  assert.is(made.size, 11_000);
  for (const id of made) assert.match(id, /^[0-9A-Za-z]{22}$/);
});

ids('draw each character equally often', () => {
  const counts = new Map<string, number>();
  for (const character of randomText(124_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.is(counts.size, 62);
  for (const [character, count] of counts) assert.ok(Math.abs(count - 2000) < 300, `${character}: ${count}`);
});

ids.run();
