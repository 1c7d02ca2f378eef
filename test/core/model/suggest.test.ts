// "Did you mean": near enough to be meant, and quick among many.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { suggest } from '../../../src/core/model/suggest.ts';

/** Optimal string alignment as the textbook defines it, by recursion. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)];
  if (a.at(-1) === b.at(-1)) return distance(restA, restB);
  const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  const swap = swapped ? distance(a.slice(0, -2), b.slice(0, -2)) : Number.POSITIVE_INFINITY;
  return 1 + Math.min(distance(restA, b), distance(a, restB), distance(restA, restB), swap);
}

const suggestions = suite('a suggestion');

suggestions('is the nearest word, by insertions, deletions, substitutions and swaps', () => {
  assert.is(suggest('nr-41', ['nr-4', 'nr-5']), 'nr-4');
  assert.is(suggest('activ', ['description', 'active']), 'active');
  assert.is(suggest('lisence', ['licence', 'driver']), 'licence');
  assert.is(suggest('teamLibary', ['teamLibrary', 'teamBroker']), 'teamLibrary');
});

suggestions('finds a word in another case', () => {
  assert.is(suggest('memoryMB', ['memoryMb', 'cpuPercent']), 'memoryMb');
  assert.is(suggest('teamtype', ['TeamType']), 'TeamType');
});

suggestions('is none where nothing is near', () => {
  assert.is(suggest('foo', ['bar', 'quux']), undefined);
  assert.is(suggest('abc', ['cab']), undefined);
  assert.is(suggest('x', []), undefined);
});

suggestions('is never the word itself', () => {
  assert.is(suggest('nr-4', ['nr-4']), undefined);
});

suggestions('is as near as the textbook says, within one edit, two or three', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 5 }), (typed, candidates) => {
      const limit = typed.length <= 3 ? 1 : typed.length < 9 ? 2 : 3;
      const others = candidates.filter((candidate) => candidate !== typed);
      const least = Math.min(...others.map((candidate) => distance(typed, candidate)));
      const found = suggest(typed, candidates);
      if (least > limit) assert.is(found, undefined);
      else assert.is(distance(typed, found ?? ''), least);
    }),
  );
});

suggestions('compares a hundred words with ten thousand names in a fraction of a second', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `stack-${index}`);
  const start = process.cpuUsage().user;
  for (let index = 0; index < 100; index++) suggest(`stak-x${index}`, names);
  assert.ok(process.cpuUsage().user - start < 3_000_000);
});

suggestions('does not compare what is too long to be a word', () => {
  assert.is(suggest('a'.repeat(1_000_000), ['a'.repeat(1_000_001)]), undefined);
});

suggestions.run();
