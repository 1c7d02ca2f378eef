// A field before and after, for people: what differs is always to be seen.

import { X509Certificate } from 'node:crypto';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { styleOf } from '../../../src/cli/output/style.ts';
import { fieldRows } from '../../../src/cli/output/value-diff.ts';
import { apart } from '../../../src/cli/output/value-text.ts';
import type { DeclaredKindName } from '../../../src/core/kinds/index.ts';
import { rsaPair } from '../../support/self-signed.ts';

const plain = styleOf(false);

function rows(path: string, before: unknown, after: unknown, kind: DeclaredKindName = 'TeamType') {
  return fieldRows({ path, before, after }, { kind, action: 'update' }, plain);
}

const texts = suite('a text that changes');

texts('stands on one line where it is short', () => {
  assert.equal(rows('/spec/description', 'a', 'b'), ['~ description: "a" → "b"']);
});

texts('is cut around the first difference where it is long', () => {
  const start = 'The same words, again and again, until something is otherwise. '.repeat(3);
  assert.equal(rows('/spec/description', `${start}Old end.`, `${start}New end, which is longer.`), [
    '~ description: (197 → 214 characters)',
    '    - "…thing is otherwise. Old end."',
    '    + "…thing is otherwise. New end, which is longer."',
  ]);
  const around = rows('/spec/description', `${start}X${start}`, `${start}Y${start}`).join('\n');
  assert.match(around, /- "….*\. XThe same .*…"\n {4}\+ "….*\. YThe same .*…"$/);
});

texts('never looks the same on both sides', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    ' ',
    '\t',
    '\u00e9',
    'e\u0301',
    '\ufb01',
    'fi',
    '😀',
    '😁',
    '\u200b',
    '…',
    '"',
    '\\',
    'x'.repeat(50),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );
  void fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const [a, b] = apart(before, after);
      assert.is.not(a.normalize('NFKC'), b.normalize('NFKC'));
      assert.ok(a.length < 600 && b.length < 600);
      assert.not.match(a + b, /[\ud800-\udbff](?![\udc00-\udfff])/, 'no half of a character');
    }),
  );
  void fc.assert(
    fc.property(text, text, fc.string({ unit: 'grapheme', maxLength: 300 }), (before, after, start) => {
      fc.pre(before !== after && before !== '' && after !== '');
      const told = rows('/spec/description', `${start}\n${before}`, `${start}\n${after}`);
      const [old, fresh] = ['-', '+'].map((sign) =>
        told
          .filter((row) => row.startsWith(`    ${sign}`))
          .map((row) => row.slice(6))
          .join('\n'),
      );
      if (/^ +\(.*line feed.*\)$/m.test(told.join('\n'))) return;
      assert.is.not(old?.normalize('NFKC'), fresh?.normalize('NFKC'), told.join('\n'));
    }),
  );
});

texts('of several lines is shown by its lines', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
  const after = lines.with(5, 'line five').toSpliced(11, 0, '', 'more ');
  assert.equal(rows('/spec/description', lines.join('\n'), `${after.join('\n')}\n`), [
    '~ description:',
    '      @@ -3,10 +3,12 @@',
    '      line 2',
    '      line 3',
    '      line 4',
    '    - line 5',
    '    + line five',
    '      line 6',
    '      line 7',
    '      line 8',
    '      line 9',
    '      line 10',
    '    - line 11',
    '    +',
    '    + "more "',
    '    + line 11',
    '      (a line feed is added at the end)',
  ]);
});

texts('tells how much it leaves out', () => {
  const many = (word: string) => Array.from({ length: 100 }, (_, index) => `${word} ${index}`).join('\n');
  const told = rows('/spec/description', many('old'), many('new'));
  assert.is(told.length, 61);
  assert.match(told.at(-1) ?? '', /^ {6}… and \d+ more rows: --output json has all$/);
});

texts.run();

const lists = suite('a list that changes');

lists('is shown by its items', () => {
  assert.equal(rows('/spec/stacks', ['a', 'b', 'c'], ['c', 'd', 'a'], 'InstanceType'), [
    '~ stacks: (1 added, 1 removed, 2 unchanged)',
    '    - "b"',
    '    + "d"',
  ]);
});

lists('tells what moves, where order matters', () => {
  const path = '/spec/options/catalogues/value';
  assert.equal(rows(path, ['a', 'b', 'c'], ['c', 'a', 'b', 'd'], 'Template'), [
    '~ options.catalogues.value: (1 added, 1 moved, 2 unchanged)',
    '    > "c" (moved from 3 to 1)',
    '    + "d"',
  ]);
  assert.equal(rows(path, ['a', 'a'], ['a'], 'Template'), [
    '~ options.catalogues.value: (1 removed, 1 unchanged)',
    '    - "a"',
  ]);
});

lists('of a kind that only a newer server knows is shown as well', () => {
  const told = rows('/spec/things', ['a'], ['b'], 'Thing' as DeclaredKindName);
  assert.equal(told, ['~ things: (1 added, 1 removed)', '    - "a"', '    + "b"']);
});

lists('shows long items in full', () => {
  const long = 'https://example.com/'.repeat(10);
  const told = rows('/spec/exclude', [`${long}a`], [`${long}b`], 'Platform');
  assert.equal(told.slice(1), [`    - "${long}a"`, `    + "${long}b"`]);
});

lists.run();

const certificates = suite('a certificate');
const path = '/spec/saml/certificate';

certificates('is told by subject, serial, end and fingerprint, and never as PEM', () => {
  const [one, two] = [rsaPair().certificate, rsaPair().certificate];
  const told = (pem: string) => new X509Certificate(pem).fingerprint256;
  const replaced = rows(path, one, two, 'SsoConfig');
  assert.is(replaced[0], '~ saml.certificate: (1 added, 1 removed)');
  assert.match(replaced[1] ?? '', /^ {4}- CN=idp, serial [0-9A-F]+, until 2049-12-31$/);
  assert.is(replaced[2], `        SHA-256 ${told(one)}`);
  assert.match(replaced[3] ?? '', /^ {4}\+ CN=idp, serial/);
  assert.is(replaced[4], `        SHA-256 ${told(two)}`);
  assert.is(replaced.length, 5);
  const added = rows(path, one, `${two}\n${one}`, 'SsoConfig');
  assert.equal([added[0], added.length], ['~ saml.certificate: (1 added, 1 unchanged)', 3]);
  const bare = one.replace(/-----.*-----|\s/g, '');
  assert.equal(rows(path, one, bare, 'SsoConfig'), [
    '~ saml.certificate: (the same certificates, in another order or written otherwise)',
  ]);
  const made = fieldRows({ path, before: null, after: one }, { kind: 'SsoConfig', action: 'create' }, plain);
  assert.match(made.join('\n'), /^\+ saml\.certificate:\n {4}\+ CN=idp, serial .*\n {8}SHA-256 [0-9A-F:]{95}$/);
});

certificates('that is none is not shown', () => {
  const told = rows('/spec/ldap/tls/ca', 'not one', 'hush', 'SsoConfig').join('\n');
  assert.match(told, /- a text of 7 characters that is no certificate\n {8}SHA-256 [0-9a-f]{64}\n/);
  assert.not.match(told, 'hush');
});

certificates.run();
