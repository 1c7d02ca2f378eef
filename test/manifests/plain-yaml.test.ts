// The short way through YAML and the engine's way: wherever the short one answers, both say the same.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { cpuTime } from '../support/cpu-time.ts';
import { syntheticTree } from '../support/synthetic-tree.ts';
import { agree, readPlainly } from './both-ways.ts';

const ways = suite('readPlainly');

const root = resolve(import.meta.dirname, '../..');
const samples = [
  ...syntheticTree({ documents: 12, onePerFile: false }).values(),
  ...['config', 'examples'].flatMap((folder) => textsIn(join(root, folder))),
  'a:\n- b: 1\n  c:\n  - d\n  - e: f\n- |\n  x\n\n   y\n- >-\n  p\n  q\nz: "q" # c\n',
  'a: 0777\nb: 08\nc: +5\nd: .5\ne: 1_000\nf: 1.\ng: 0b1\nh: -08\ni: 00\nj: [0777, +5, .5]\n',
  ...['0o17', '0x1F', '1e3', '0777', '08', '+5', '1_000', '.5', '0o8', '0x', '+0x1F'].map((text) => `a: ${text}\n`),
  "a: {b: 1, c: 'x''y', d: \"e\"} # f\nl: [a b, 2, true, ~]\ne: {}\nf: []\n# end\n---\n---\nb:\nc: # d\n  - 1\n",
].filter((text) => text.length < 20_000);

ways('answers for the made-up trees and for nearly all of the shipped ones', () => {
  const read = samples.filter((text) => readPlainly(text.replace(/^\uFEFF/, '')) !== undefined);
  assert.ok(read.length > samples.length * 0.7, `${read.length} of ${samples.length}`);
  for (const text of samples) agree(text);
});

ways('takes time in proportion to the text, also where no comment or backslash ends a search', async () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `a${index}: b\nc${index}: "d"\n`).join('');
  const spent = await cpuTime(() => assert.ok(readPlainly(text)));
  assert.ok(spent < 2000, `${spent} ms: it grows with the square`);
});

ways('leaves to the engine what is wrong, rare, or hard to tell', () => {
  const left = [
    'a: 1\na: 2\n',
    '<<: {}\n',
    'a: &x 1\n',
    'a: *x\n',
    'a: !!str 1\n',
    '1: a\n',
    'true: a\n',
    'a: 9007199254740993\n',
    'a: .inf\n',
    'a: 0x1F\n',
    '"a": 1\n',
    '? a\n: b\n',
    'a\n',
    '- a\n',
    'a: b: c\n',
    'a: b:\n',
    'a: [b: 1]\n',
    'a: {b: [c]}\n',
    'a: "b\n  c"\n',
    'a: b\n  c\n',
    'a: |\u00a0\n  b\n',
    'a: "\\n"\n',
    "a: 'b\n",
    'a: |2\n  b\n',
    'a: |+\n  b\n',
    'a:\tb\n',
    'a: b\r\n',
    '%YAML 1.2\n---\na: 1\n',
    '...\n',
    'a: 1\n...\n',
    '--- {}\n',
    ' a: 1\n',
    'a:\n   b: 1\n  c: 2\n',
    'a: 1\n b: 2\n',
    'a:\n  - b\n c: 1\n',
    '- - a\n',
    'a:\n  -\n',
    'a: @b\n',
    'a: [b,]\n',
    'a: {b: 1\n}\n',
    'a: "b"c\n',
    '__proto__: 1\n',
    'a:b\n',
    'a: ? b\n',
  ];
  for (const text of left) assert.is(readPlainly(text), undefined, text);
});

ways('agrees on what a program wrote', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
    fc.string({ maxLength: 8 }),
    fc.constantFrom('yes', '1.10', 'x y', "it's", '#', 'a: b', 'null', '-1', '~'),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('mapping'),
    ),
    mapping: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  }));
  const style = fc.record({
    indentSeq: fc.boolean(),
    indent: fc.constantFrom(2, 4),
    singleQuote: fc.boolean(),
    lineWidth: fc.constantFrom(0, 20),
  });
  fc.assert(
    fc.property(json.mapping, style, (value, options) =>
      agree(stringify(value, { ...options, aliasDuplicateObjects: false })),
    ),
    { numRuns: runs(400) },
  );
});

ways('agrees on texts that were edited at random', () => {
  const edit = fc.record({
    kind: fc.constantFrom('insert', 'insert', 'remove', 'indent', 'drop', 'repeat', 'swap', 'cut'),
    at: fc.nat(),
    other: fc.nat(),
    piece: fc.constantFrom(
      ' ',
      '  ',
      '\n',
      '\n\n',
      '#',
      ' # c',
      ':',
      ': ',
      '- ',
      '-',
      '"',
      "'",
      "''",
      '[',
      ']',
      '{',
      '}',
      ',',
      ', ',
      '|',
      '>',
      '|-\n',
      '>-\n',
      '&a ',
      '*a',
      '!x ',
      '~',
      'null',
      'true',
      '.',
      '..',
      '---\n',
      '...\n',
      '%',
      '@',
      '\\',
      '\t',
      '\r',
      '1',
      '-1',
      '0.5',
      '1e3',
      'é',
      '\u{1F600}',
      '\u2028',
      '\u0085',
      '\u00a0',
      '?',
      '? ',
      '=',
      '<<',
      '(',
      '+',
      '\n# c\n',
      '\n  # c\n',
      '\n    x: y\n',
      'a: b',
    ),
  });
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
      agree(
        edits.reduce(
          (before, { kind, at, other, piece }) => edited(before, kind, at, other, piece),
          excerpt(text, edits[0]?.other ?? 0),
        ),
      );
    }),
    { numRuns: runs(4_000) },
  );
});

ways('agrees on lines put together at random', () => {
  const indent = fc.constantFrom('', '', '  ', '  ', '    ', ' ', '      ');
  const lead = fc.constantFrom('', '', '', '- ', '-  ', '- - ', '-', '? ');
  const key = fc.constantFrom('a: ', 'b: ', 'c:', 'd: ', 'e:  ', 'f:', 'a.b/c-d_e: ', '"g": ', 'no: ', '1: ', '');
  const value = fc.constantFrom(
    '',
    '',
    '1',
    'x',
    'x y',
    '"q"',
    "'q'",
    "'it''s'",
    '|',
    '>',
    '|-',
    '>-',
    '[]',
    '{}',
    '[a, b]',
    '{a: 1, b: x y}',
    '# c',
    'x # c',
    'x#c',
    '-1',
    '- x',
    '---',
    '...',
    'a:b',
    'http://x/y',
    '1.',
    '.5',
    '+1',
    '1_0',
    '~x',
    '(x)',
    'x:',
    '*x',
  );
  const tail = fc.constantFrom('\n', '\n', '\n', ' \n', ' # c\n', '\n\n', '\n# c\n', '\n  # c\n', '\n   \n', '');
  const line = fc.tuple(indent, lead, key, value, tail).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => agree(lines.join(''))),
    { numRuns: runs(6_000) },
  );
});

ways.run();

/** More with `RUNS=50 node test/manifests/plain-yaml.test.ts`. */
function runs(count: number): number {
  return count * Number(process.env['RUNS'] ?? 1);
}

function edited(text: string, kind: string, at: number, other: number, piece: string): string {
  const lines = text.split('\n');
  const [line, place] = [at % lines.length, at % (text.length + 1)];
  if (kind === 'insert') return text.slice(0, place) + piece + text.slice(place);
  if (kind === 'remove') return text.slice(0, place) + text.slice(place + 1 + (other % 3));
  if (kind === 'cut') return text.slice(0, place);
  if (kind === 'indent')
    return lines
      .with(line, other % 2 === 0 ? ` ${lines[line]}` : (lines[line] ?? '').replace(/^ {1,2}/, ''))
      .join('\n');
  if (kind === 'drop') return lines.toSpliced(line, 1).join('\n');
  if (kind === 'repeat') return lines.toSpliced(other % lines.length, 0, lines[line] ?? '').join('\n');
  const swapped = other % lines.length;
  return lines
    .with(line, lines[swapped] ?? '')
    .with(swapped, lines[line] ?? '')
    .join('\n');
}

/** Some lines of a text: short ones are quicker, and an edit more often hits what matters. */
function excerpt(text: string, from: number): string {
  const documents = text.split('---\n');
  return documents[from % documents.length] ?? text;
}

function textsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.ya?ml$/.test(file)).map((file) => readFileSync(join(folder, file), 'utf8'));
}
