// Findings as people see them: carets under the very columns, whatever stands in the line, and nothing that steers a terminal.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { show, widthOfText } from '../../../src/cli/output/cells.ts';
import { escaped, safeJson } from '../../../src/cli/output/escape.ts';
import { findingsText } from '../../../src/cli/output/findings-text.ts';
import { styleOf } from '../../../src/cli/output/style.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const plain = styleOf(false);

/** A finding about `marked`, where it stands in `text`. */
function about(text: string, marked: string, more: Partial<Finding> = {}): string {
  const at = text.indexOf(marked);
  const before = text.slice(0, at).split('\n');
  const within = text.slice(0, at + marked.length).split('\n');
  const source = {
    file: 'a.yaml',
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    endLine: within.length,
    endColumn: (within.at(-1)?.length ?? 0) + 1,
  };
  const finding: Finding = { rule: 'schema', severity: 'error', message: 'Stack/a: no', source, ...more };
  return findingsText([finding], new Map([['a.yaml', text]]), plain);
}

/** What stands above the carets. */
function underlined(screen: string): string {
  const [line = '', carets = ''] = screen.split('\n').slice(3);
  const from = carets.indexOf('^');
  return line.slice(from, carets.lastIndexOf('^') + 1);
}

const snippets = suite('a finding on the screen');

snippets('are quick to make, however many speak of one long file', async () => {
  const text = 'kind: X\n'.repeat(50_000);
  const message = 'kind cannot be "X"';
  const all = Array.from({ length: 50_000 }, (_, index): Finding => {
    const source = { file: 'a.yaml', line: index + 1, column: 7, endLine: index + 1, endColumn: 8 };
    return { rule: 'schema', severity: 'error', message, source };
  });
  let screen = '';
  const draw = () => {
    screen = findingsText(all, new Map([['a.yaml', text]]), plain);
  };
  assert.ok((await cpuTime(draw, 1)) < 10_000, 'it does not grow with the square');
  assert.match(screen, '50000 | kind: X');
});

snippets('looks as promised', () => {
  const text = `${'\n'.repeat(13)}  defaultStack: nr-41\n`;
  const message =
    'InstanceType/small: defaultStack names Stack/nr-41, which nothing declares: name what there is, or declare it first';
  const screen = about(text, 'nr-41', { rule: 'references', message, suggestion: 'nr-4' });
  assert.is(
    screen,
    `error[references] ${message}
  --> a.yaml:14:17
   |
14 |   defaultStack: nr-41
   |                 ^^^^^ did you mean "nr-4"?
`,
  );
});

snippets('says what to write where the suggestion brings its quotes', () => {
  assert.match(about('runtime: 4.1', '4.1', { suggestion: '"4.1"' }), /\^\^\^ write "4\.1"\n/);
  assert.match(about('active: "true"', '"true"', { suggestion: 'true' }), /\^ write true\n/);
  assert.match(about('locked: truely', 'truely', { suggestion: 'truly' }), /\^ did you mean "truly"\?\n/);
});

snippets('has its carets right after tabs, wide letters, emoji and combining marks', () => {
  assert.match(about('a:\tb: nr-41', 'nr-41'), /\n1 \| a: {4}b: nr-41\n {2}\| {10}\^{5}\n/);
  assert.match(about('名前: nr-41', 'nr-41'), /\n {2}\| {7}\^{5}\n/);
  assert.match(about('a: 名前', '名前'), /\n {2}\| {4}\^{4}\n/);
  assert.match(about('"👩‍👩‍👧": nr-41', 'nr-41'), /\n {2}\| {7}\^{5}\n/);
  assert.match(about('cafe\u0301: nr-41', 'nr-41'), /\n {2}\| {7}\^{5}\n/);
  assert.is(widthOfText('名a👍\u0301'), 5);
});

snippets('shows the first line of several, and says where they end', () => {
  const screen = about('a:\n  b: 1\n  c: 2\n', 'b: 1\n  c: 2');
  assert.is(underlined(screen), 'b: 1');
  assert.match(screen, /\^{4} to line 3\n/);
});

snippets('cuts a long line around what is meant', () => {
  const screen = about(`${'ab '.repeat(100)}HERE${' cd'.repeat(100)}`, 'HERE');
  const line = screen.split('\n')[3] ?? '';
  assert.ok(line.length < 120, line);
  assert.match(line, /^1 \| ….*HERE.*…$/);
  assert.is(underlined(screen), 'HERE');
  assert.is(underlined(about(`HERE${' cd'.repeat(100)}`, 'HERE')), 'HERE');
  assert.is(underlined(about(`${'ab '.repeat(100)}HERE`, 'HERE')), 'HERE');
  assert.is(underlined(about(`${'名'.repeat(100)}HERE${'名'.repeat(100)}`, 'HERE').replaceAll('名', '--')), 'HERE');
});

snippets('does without the line where it is not known, and keeps the hint', () => {
  const finding: Finding = {
    rule: 'schema',
    severity: 'warning',
    message: 'no',
    suggestion: 'yes',
    source: { file: 'gone.yaml', line: 7, column: 1, endLine: 7, endColumn: 2 },
  };
  assert.is(
    findingsText([finding], new Map(), plain),
    'warning[schema] no\n --> gone.yaml:7:1\n     did you mean "yes"?\n',
  );
  const { source: _, ...nowhere } = finding;
  assert.is(findingsText([nowhere], new Map(), plain), 'warning[schema] no\n  did you mean "yes"?\n');
});

snippets('has colours only where they are wanted', () => {
  const finding: Finding = { rule: 'schema', severity: 'error', message: 'no' };
  assert.match(findingsText([finding], new Map(), styleOf(true)), '\u001b[31m');
  assert.not.match(findingsText([finding], new Map(), plain), '\u001b');
});

snippets.run();

const secrets = suite('a secret on the screen');

const secretLines: Readonly<Record<string, Partial<Finding>>> = {
  'password: hunter2hunter2': { sensitive: true, path: '/spec/ldap/password' },
  '{username: a, password: hunter2hunter2}': { sensitive: true },
  'password: "hunter2hunter2': { rule: 'syntax' },
  'apiToken: hunter2hunter2': {},
  "'client-secret':   hunter2hunter2": {},
  'passphrase: hunter2hunter2 # hunter2': {},
  'certificate: "-----BEGIN PRIVATE KEY-----\\nhunter2hunter2"': {},
  [`certificate: ${'hunter2'.repeat(20)}`]: {},
};

for (const [line, more] of Object.entries(secretLines))
  secrets(`is masked: ${line.slice(0, 50)}`, () => {
    const screen = about(line, 'hunter2', more);
    assert.not.match(screen, 'hunter2');
    assert.match(screen, '********');
  });

secrets('is masked behind a key that should not be there', () => {
  const screen = about('  pasword: hunter2', 'pasword', { sensitive: true, suggestion: 'password' });
  assert.match(screen, /\n1 \| {3}pasword: \*{8}\n {2}\| {3}\^{7} did you mean "password"\?\n/);
});

secrets('does not hide what is none', () => {
  for (const line of [
    'password: {fromEnv: WEIR_SECRET_LDAP}',
    'passwordReset: true',
    'token: ',
    'name: x # token: y'.slice(0, 7),
  ])
    assert.match(about(line, line.slice(0, 4)), `1 | ${line.trimEnd()}\n`);
});

secrets.run();

const injection = suite('what comes from a file');

injection('cannot steer a terminal', () => {
  const nasty = '\u001b[2J\u009b31m\r\u0007\u202e\u2066\ufeff\u0000';
  const finding: Finding = {
    rule: 'schema',
    severity: 'error',
    message: `Stack/${nasty}: no`,
    suggestion: nasty,
    source: { file: `a\n::error::${nasty}.yaml`, line: 1, column: 1, endLine: 1, endColumn: 3 },
  };
  const texts = new Map([[finding.source?.file ?? '', `ab${nasty}cd`]]);
  const screen = findingsText([finding], texts, plain);
  assert.not(steers(screen));
  assert.match(screen, ' --> a\\n::error::\\u001b[2J\\u009b31m\\r\\u0007\\u202e\\u2066\\ufeff\\u0000.yaml:1:1\n');
  assert.is(screen.split('\n').length, 6);
});

injection('stays the same value in JSON', () => {
  const value = { text: '\u001b\u009b\u202e\ud800 é 名 👍', 'k\u0085ey': [1, null, true] };
  const text = safeJson(value, 2);
  assert.not(steers(text));
  assert.equal(JSON.parse(text), value);
});

injection('keeps what people write', () => {
  for (const text of ['é 名 👍 👩‍👩‍👧', 'a "b" \\n', '…→']) assert.is(escaped(text), text);
  assert.is(show('a\u0001b').text, 'a\\u0001b');
});

injection.run();

/** Whether a text holds a character that a terminal would obey. */
function steers(text: string): boolean {
  return [...text].some((letter) => letter !== '\n' && /[\p{Cc}\p{Bidi_Control}\ufeff]/u.test(letter));
}
