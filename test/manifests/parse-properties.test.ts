// What holds for every text: what is written is read, everything has its place, and nothing throws.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { parse } from '../../src/manifests/parse.ts';

const properties = suite('parse: properties');

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('yes', '1.10', '<', '- a', 'a: b', '', ' ', '__proto__', 'x\ny', '~'),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => Math.abs(number) <= 2 ** 53),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('mapping'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  mapping: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
}));

const written = fc.record({ flow: fc.boolean(), crlf: fc.boolean(), width: fc.constantFrom(0, 20, 80) });

properties('what is written is what is read, and every place holds the text of its value', () => {
  fc.assert(
    fc.property(json.mapping, written, (value, style) => {
      const yaml = stringify(value, {
        collectionStyle: style.flow ? 'flow' : 'block',
        lineWidth: style.width,
        aliasDuplicateObjects: false,
      });
      const source = style.crlf ? yaml.replaceAll('\n', '\r\n') : yaml;
      const { documents, findings } = parse('a.yaml', source);
      assert.equal(findings, []);
      const plain = JSON.parse(JSON.stringify(value));
      assert.is(JSON.stringify(documents[0]?.value), JSON.stringify(plain));
      for (const [pointer, part] of parts(plain, '')) checkPlace(source, style.flow, pointer, part);
    }),
    { numRuns: 300 },
  );
});

properties('random text gives findings or documents, never an exception, and places inside the text', () => {
  const sign = fc.constantFrom(
    'a',
    'b: ',
    ': ',
    '- ',
    '? ',
    '\n',
    '\n  ',
    ' ',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    '&a ',
    '*a',
    '!x ',
    '!!',
    '|',
    '>',
    '#',
    '%',
    '---\n',
    '...\n',
    '\t',
    '\r',
    '\0',
    '1',
    '<<',
    '@',
    '\\',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.array(sign, { maxLength: 40 }).map((signs) => signs.join('')),
      ),
      (source) => {
        const { findings, documents } = parse('a.yaml', source);
        const lines = source.replace(/^\uFEFF/, '').split('\n');
        for (const finding of findings) {
          const { line, column, endLine, endColumn } = finding.source ?? nowhere;
          assert.ok(
            line >= 1 && line <= lines.length && column >= 1 && column <= (lines[line - 1] ?? '').length + 1,
            source,
          );
          assert.ok(endLine > line || (endLine === line && endColumn >= column), source);
          assert.ok(finding.message.length < 400 && !/\p{Cc}/u.test(finding.message), finding.message);
        }
        for (const document of documents)
          for (const pointer of ['', '/a', '/a/0', '/a/a', '/a/a/0/b', '/0/a'])
            assert.not.throws(() => [document.locate(pointer, 'value'), document.raw(pointer)]);
      },
    ),
    { numRuns: 3_000 },
  );
});

properties.run();

const nowhere = { line: 0, column: 0, endLine: 0, endColumn: 0 };

function* parts(value: unknown, pointer: string): Generator<[string, unknown]> {
  yield [pointer, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value))
    yield* parts(entry, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

/** The text of a scalar at its place, read alone, is the value again (a block of text keeps its header and its own indentation). */
function checkPlace(source: string, flow: boolean, pointer: string, value: unknown): void {
  const [document] = parse('a.yaml', source).documents;
  const raw = document?.raw(pointer);
  const scalar = typeof value !== 'object' || value === null;
  assert.is(raw !== undefined, scalar, pointer);
  if (raw === undefined || /^[|>]|\n/.test(raw)) return;
  const alone = parse('alone.yaml', flow ? `{k: ${raw}}` : `k: ${raw}`).documents[0];
  assert.equal(alone?.value, { k: value }, pointer);
  const place = document?.locate(pointer, 'value');
  const line = source.split('\n')[(place?.line ?? 0) - 1] ?? '';
  if (raw !== '') assert.is(line.slice((place?.column ?? 0) - 1, (place?.endColumn ?? 0) - 1), raw);
}
