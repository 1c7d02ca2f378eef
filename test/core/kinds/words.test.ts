// What kinds are called in sentences: words, as people write them, in every text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { kindNames } from '../../../src/core/kinds/index.ts';
import { wordsOf } from '../../../src/core/kinds/words.ts';
import { reasonOf } from '../../../src/core/model/issue-reason.ts';
import { problemsOf } from '../../../src/core/model/request-problems.ts';

const words = suite('words of kinds');

words('are apart, and never the name of the kind in small letters', () => {
  assert.is(wordsOf('ProvisioningToken'), 'provisioning token');
  assert.is(wordsOf('HttpToken'), 'HTTP token');
  for (const kind of kindNames) {
    assert.match(wordsOf(kind), /^[a-zA-Z -]+$/);
    const parts = kind.split(/\B(?=[A-Z])/);
    if (parts.length > 1) assert.ok(wordsOf(kind).split(/[ -]/).length >= parts.length, wordsOf(kind));
  }
});

words('are asked for wherever a kind stands in a text', () => {
  const root = new URL('../../../src/', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const written = files.filter((file) =>
    /\$\{[\w.]*kind\.toLowerCase\(\)\}/i.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.equal(written, []);
});

words('count what they count', () => {
  const about = z.strictObject({
    text: z.string().min(1),
    list: z.array(z.int()).min(1).max(1),
    many: z.string().min(2),
    n: z.int().min(1),
  });
  const { error } = about.safeParse({ text: '', list: [1, 2], many: '', n: 0 }, { reportInput: true });
  assert.equal(
    problemsOf(error?.issues ?? []).map(({ message }) => message),
    [
      'text must be at least 1 character long',
      'list must be at most 1 item long',
      'many must be at least 2 characters long',
      'n must be at least 1',
    ],
  );
});

words('of zod, which are for programmers, reach nobody', () => {
  const root = new URL('../../../src/', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  // Each option has words of its own for whatever can be wrong with it: see the test of `options.ts`.
  const mayRead = ['core/model/issue-reason.ts', 'options.ts'];
  const taken =
    /\bissues?(\[\d\]\??)?\.message|issues\.(map|flatMap)\(\(\{[^}]*\bmessage\b|prettifyError|treeifyError|flattenError/;
  const readers = files.filter((file) => taken.test(readFileSync(join(root, file), 'utf8')));
  assert.equal(readers.sort(), mayRead);
});

words('of one value say why it cannot be', () => {
  const reasons = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(reasonOf);
  assert.equal(reasons(z.string().max(3), 'abcd'), ['it is longer than 3 characters']);
  assert.equal(reasons(z.string().min(1), ''), ['it is empty']);
  assert.equal(reasons(z.int().multipleOf(5), 7), ['it is not a multiple of 5']);
  assert.equal(reasons(z.array(z.int()).max(1), [1, 2]), ['it has more than 1 item']);
  assert.equal(reasons(z.iso.datetime(), 'now'), ['it is not of the form "datetime"']);
});

words.run();
