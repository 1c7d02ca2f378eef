// timeout: 1200
// Every parser at the edge, given what once went wrong or another way, and a few hundred changed inputs: the same ones each time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstInputs, keptInputs } from './corpus.ts';
import { judge, minimise } from './judge.ts';
import { mutate, randomFrom } from './mutate.ts';
import { holds, type Target } from './target.ts';
import { targets } from './targets/index.ts';

const corpus = suite('a parser at the edge');

for (const [name, target] of Object.entries<Target>(targets)) {
  corpus(`${name} takes everything that is kept for it`, async () => {
    for (const { file, input } of keptInputs(name)) await passes(target, input, `${name}/${file}`);
  });

  corpus(`${name} takes what is made of it`, async () => {
    const random = randomFrom(1);
    const pool = firstInputs(name, target);
    for (const [index, input] of pool.entries()) await passes(target, input, `${name}, input ${index}`);
    for (let count = 0; count < 150; count += 1) {
      const chosen = pool[random(pool.length)] ?? Buffer.alloc(0);
      await passes(target, mutate(chosen, random, target.words, pool), `${name}, change ${count}`);
    }
  });
}

corpus('that breaks is found out, and what breaks it gets small', async () => {
  const wrong: Target = {
    words: ['ab'],
    seeds: () => ['a'],
    mostMs: 1000,
    check: (input) => {
      holds(!input.includes('abab'), 'it holds "abab"');
      return String(input.length);
    },
  };
  const random = randomFrom(3);
  for (let input: Buffer = Buffer.from('a'); ; input = mutate(input, random, wrong.words, [input])) {
    const verdict = await judge(wrong, input);
    if (!('failure' in verdict)) continue;
    assert.is(verdict.failure, 'Broken: it holds ""');
    assert.is((await minimise(wrong, input, verdict.failure)).toString(), 'abab');
    return;
  }
});

corpus.after(async () => {
  for (const { end } of Object.values<Target>(targets)) await end?.();
});

corpus.run();

async function passes(target: Target, input: Buffer, where: string): Promise<void> {
  const verdict = await judge(target, input);
  if (!('failure' in verdict)) return;
  const stack = verdict.error instanceof Error ? verdict.error.stack : String(verdict.error);
  assert.unreachable(`${where}: ${stack}\n${JSON.stringify(input.toString().slice(0, 2000))}`);
}
