// What strict YAML refuses, where it says so, and in which words.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../src/manifests/parse.ts';

const refused = suite('parse: refuses');

/** A title, the text, and for each finding its position and a part of its message. */
type Case = readonly [title: string, text: string, ...findings: (readonly [position: string, message: string])[]];

const cases: readonly Case[] = [
  [
    'a key given twice, at the second',
    'a: 1\nb: 2\n"a": 3\n',
    ['3:1-3:4', 'the key "a" cannot be given twice in one mapping: the first stands in line 1'],
  ],
  ['a key given twice in { }', 'x: {a: 1, b: 2, a: 3}\n', ['1:17-1:18', 'given twice']],
  ['merge keys', 'x: &x {a: 1}\ny:\n  <<: *x\n', ['3:3-3:5', 'a merge key (<<) cannot be used']],
  ['an alias without its anchor', 'a: *.yaml\n', ['1:4-1:10', 'the alias *.yaml cannot be resolved']],
  ['an alias before its anchor', 'a: *x\nb: &x 1\n', ['1:4-1:6', 'no anchor &x stands before it']],
  ['an alias of another document', 'a: &x 1\n---\nb: *x\n', ['3:4-3:6', 'no anchor &x']],
  ['an alias that contains itself', 'a: &a [1, *a]\n', ['1:11-1:13', 'it would contain itself']],
  [
    'aliases that nest too deep together',
    `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}\n`,
    ['2:44-2:46', 'more than 64 deep'],
  ],
  ['the tag !!binary', 'a: !!binary aGk=\n', ['1:4-1:12', 'the tag !!binary cannot be used']],
  ['the tag !!set', 'a: !!set {x}\n', ['1:4-1:9', 'the tag !!set cannot be used']],
  ['the tag !!timestamp', 'a: !!timestamp 2001-01-01\n', ['1:4-1:15', 'the tag !!timestamp cannot be used']],
  ['the tag !!omap', 'a: !!omap [x: 1]\n', ['1:4-1:10', 'the tag !!omap cannot be used']],
  ['a tag of somebody', 'a: !x 1\nb: !ref {c: 1}\n', ['1:4-1:6', 'the tag !x'], ['2:4-2:8', 'the tag !ref']],
  ['a core tag on another type', 'a: !!int x\n', ['1:4-1:9', 'the value is of another type']],
  ['%YAML 1.1', '%YAML 1.1\n---\na: yes\n', ['1:1-1:10', 'the directive %YAML 1.1 cannot be used']],
  ['%TAG', '%TAG !e! tag:example.com,2000:\n---\na: 1\n', ['1:1-1:31', 'the directive %TAG']],
  [
    'a number as key',
    '1: a\n',
    ['1:1-1:2', 'the key 1 cannot be a number, because every key is text: write "1" with its quotes'],
  ],
  ['a boolean as key', 'a:\n  true: b\n', ['2:3-2:7', 'the key true cannot be a boolean']],
  ['null as key', '~: b\n', ['1:1-1:2', 'the key ~ cannot be null']],
  ['an entry without key', 'a: 1\n: b\n', ['2:1-2:2', 'an entry cannot be without a key']],
  ['a list as key', '? [a]\n: b\n', ['1:3-1:6', 'a list cannot be a key']],
  ['a template left in', 'a: {{ name }}\n', ['1:4-1:14', 'a template was not rendered']],
  ['20 000 brackets, with one finding', '['.repeat(20_000), ['1:65-1:66', 'more than 64 deep']],
  ['65 lists in one another', `${'- '.repeat(65)}x`, ['1:129-1:130', 'more than 64 deep']],
  [
    'integers past 2^53',
    'a: 9007199254740993\nb: -9007199254740993\nc: 0x20000000000001\nd: 123456789012345678901234567890\n',
    ['1:4-1:20', 'the integer 9007199254740993 cannot be kept exactly'],
    ['2:4-2:21', 'past 2^53'],
    ['3:4-3:20', 'past 2^53'],
    ['4:4-4:34', 'past 2^53'],
  ],
  [
    'numbers that are not finite',
    'a: .inf\nb: .nan\nc: 1e999\n',
    ['1:4-1:8', 'must be finite'],
    ['2:4-2:8', 'must be finite'],
    ['3:4-3:9', 'must be finite'],
  ],
  [
    'NUL and other control characters',
    'a: x\0y\nb: "\u0007"\nc: \u001b[31m\nd: \u0085\u009b\n',
    ['1:5-1:6', 'the character U+0000 (NUL) cannot stand in YAML'],
    ['2:5-2:6', 'U+0007'],
    ['3:4-3:5', 'U+001B (escape)'],
    ['4:5-4:6', 'U+009B'],
  ],
  ['a byte order mark that is not at the start', 'a: 1\n---\n\uFEFFb: 1\n', ['3:1-3:2', 'a byte order mark']],
  ['carriage returns alone, with one finding', 'a: 1\rb: 2\rc: 3\r', ['1:5-1:6', 'a carriage return alone']],
  ['the braces of a template', 'a: {{ .Values.a }}\n', ['1:4-1:19', 'a template was not rendered']],
  ['the braces of a template in a text', 'a: {{ .Values.a }}-x\nb: 1\n', ['1:4-1:21', 'a template was not rendered']],
  ['half a surrogate pair', 'a: \uD800x\n', ['1:4-1:5', 'U+D800']],
  [
    'escapes that no text can hold',
    'a: "x\\0"\nb: {"\\ud800": 1}\nc: "\\uD83D\\uDE00 \\a"\nd: "\\udc00"\n',
    ['1:4-1:9', 'a text cannot hold NUL'],
    ['2:5-2:13', 'half of a surrogate pair'],
    ['4:4-4:12', 'half of a surrogate pair'],
  ],
  ['tabs as indentation', 'a:\n\tb: 1\n', ['2:1-2:2', 'a tab cannot indent a line']],
  [
    'a double quote never closed, where it opens',
    'a: 1\nb: "open\nc: 2\n',
    ['2:4-2:9', 'the double quote that opens here is never closed'],
  ],
  ['a single quote never closed', "a: 'open\nb: 2\n", ['1:4-1:9', 'the single quote that opens here is never closed']],
  ['a quote inside quotes', "a: 'it's'\nb: 1\n", ['1:8-1:10', 'text cannot follow a closing quote']],
  ['a bracket never closed, where it opens', 'a: [1, 2\nb: 3\n', ['1:4-1:5', 'the [ that opens here is never closed']],
  ['a brace never closed', '{"a": {"b": 1}', ['1:1-1:2', 'the { that opens here is never closed: close it with }']],
  ['a bracket too many', 'a: [1]]\nb: 1\n', ['1:7-1:8', '"]" cannot stand here, because nothing is open']],
  ['a missing comma', '{"a": 1 "b": 2}', ['1:7-1:15', 'need a comma between them']],
  ['keys that do not line up', 'a:\n   b: 1\n  c: 2\n', ['3:3-3:4', 'it is not indented like the keys before it']],
  ['a line indented too deep', 'a: 1\n b: 2\n', ['2:2-2:3', 'it is indented deeper than the key before it']],
  ['entries that do not line up', 'a:\n  - x\n - y\n', ['3:2-3:3', 'it is not indented like the entries before it']],
  ['a colon without a space', 'a: 1\nb:2\nc: 3\n', ['2:1-2:4', 'a colon needs a space after it: write `b: 2`']],
  [
    'a colon without a space in the last line',
    'a: 1\nb:2',
    ['2:1-2:4', 'a colon needs a space after it: write `b: 2`'],
  ],
  ['a word alone among entries', 'a: 1\nbanana\n', ['2:1-2:7', '"banana" cannot stand alone']],
  ['two colons in a line', 'a: b: c\n', ['1:4-1:8', 'a value cannot hold ": " without quotes']],
  ['a list on the line of its key', 'a: - b\n', ['1:4-1:5', 'a list cannot begin on the line of its key']],
  [
    'a reserved sign',
    'a: @x\nb: `y`\nc: %z\n',
    ['1:4-1:5', 'a value cannot begin with "@"'],
    ['2:4-2:5', 'begin with "`"'],
    ['3:4-3:5', 'begin with "%"'],
  ],
  ['an escape that is none', 'path: "C:\\dir"\n', ['1:10-1:12', '\\d is no escape in double quotes: write \\\\d']],
  ['text after | on its line', 'a: | text\n  b\n', ['1:6-1:10', 'text cannot follow | or >']],
  ['a comment that touches a value', 'a: "x"#c\n', ['1:7-1:9', 'a comment needs a space before its #']],
  [
    'the markers of a merge conflict',
    '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n',
    ['1:1-1:13', 'a conflict marker of Git'],
    ['3:1-3:8', 'a conflict marker of Git'],
    ['5:1-5:10', 'a conflict marker of Git'],
  ],
  [
    'problems in several documents, all in one run',
    'a: 1\na: 2\n---\nb: [\n---\nc: !x 1\n---\n1: x\n',
    ['2:1-2:2', 'given twice'],
    ['4:4-4:5', 'never closed'],
    ['6:4-6:6', 'the tag !x'],
    ['8:1-8:2', 'the key 1'],
  ],
];

for (const [title, text, ...wanted] of cases) {
  refused(title, () => {
    const { findings } = parse('a/b.yaml', text);
    assert.equal(
      findings.map(({ source }) => `${source?.line}:${source?.column}-${source?.endLine}:${source?.endColumn}`),
      wanted.map(([position]) => position),
      findings.map(({ message }) => message).join('\n'),
    );
    for (const [index, finding] of findings.entries()) {
      assert.is(finding.rule, 'syntax');
      assert.is(finding.severity, 'error');
      assert.is(finding.source?.file, 'a/b.yaml');
      assert.ok(
        finding.message.includes(wanted[index]?.[1] ?? '?'),
        `${finding.message}\ndoes not say\n${wanted[index]?.[1]}`,
      );
    }
  });
}

refused.run();

const bombs = suite('parse: costs little');

bombs('for an alias bomb, which is refused once', () => {
  const list = (name: string) => `[${Array.from({ length: 10 }, () => name).join(', ')}]`;
  const levels = Array.from(
    { length: 30 },
    (_, level) => `a${level}: &a${level} ${level === 0 ? list('x') : list(`*a${level - 1}`)}\n`,
  );
  const { findings, documents } = timed(() => parse('a.yaml', levels.join('')));
  assert.equal(
    findings.map(({ message }) => message),
    ['the aliases of one document cannot stand for more than 10000 nodes: write the values out'],
  );
  assert.is(documents.length, 0);
});

bombs('for 20 000 keys in one mapping', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: ${index}\n`).join('');
  assert.is(timed(() => parse('a.yaml', text), 2_000).documents.length, 1);
});

bombs('for 20 000 brackets', () => {
  assert.is(timed(() => parse('a.yaml', '[{"a":'.repeat(20_000)), 200).findings.length, 1);
});

bombs('for digits without end', () => {
  assert.is(
    timed(() => parse('a.yaml', `a: ${'9'.repeat(1_000_000)}\nb: 0${'0'.repeat(1_000_000)}1`)).findings.length,
    1,
  );
});

bombs('and tells at most 100 problems of a text', () => {
  assert.is(timed(() => parse('a.yaml', '\0'.repeat(100_000))).findings.length, 100);
  assert.is(timed(() => parse('a.yaml', 'a: 1\n'.repeat(5_000))).findings.length, 100);
});

bombs('for a document of millions of words, which is refused', () => {
  const { findings, documents } = timed(() => parse('a.yaml', `a:\n${'- - x\n'.repeat(600_000)}`), 4_000);
  assert.match(findings[0]?.message ?? '', /one document cannot hold more than 500000 words and signs/);
  assert.is(documents.length, 0);
});

bombs('for megabytes that are no YAML', () => {
  for (const rubbish of ['[,', ']\n', '*a ', '\ta: b\n', '@', '"\\q', '}{', '::', '\u0001']) {
    const { findings, broken } = timed(() => parse('a.yaml', rubbish.repeat(4_000_000 / rubbish.length)), 4_000);
    assert.ok(broken && findings.length > 0 && findings.length <= 100, rubbish);
  }
});

bombs.run();

const broken = suite('parse: broken documents');

broken('are left out, and the file says so', () => {
  const result = parse('a.yaml', 'kind: Stack\nmetadata:\n  name: nr-4\nspec:\n  label: "open\n');
  assert.equal(result.documents, []);
  assert.is(result.broken, true);
});

broken('do not take the good ones of their file along', () => {
  const { documents, broken: lost } = parse('a.yaml', 'a: 1\n---\na: *nothing\n---\nb: 2\n');
  assert.equal(
    documents.map(({ value }) => value),
    [{ a: 1 }, { b: 2 }],
  );
  assert.is(lost, true);
});

broken('are not those whose value is sure, so that their other problems show in the same run', () => {
  const { documents, findings, broken: lost } = parse('a.yaml', 'a: 1\na: 2\n');
  assert.equal(
    documents.map(({ value }) => value),
    [{ a: 1 }],
  );
  assert.is(findings.length, 1);
  assert.is(lost, false);
});

broken.run();

function timed<T>(run: () => T, milliseconds = 1_000): T {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  assert.ok((user + system) / 1_000 < milliseconds, `took ${(user + system) / 1_000} ms`);
  return result;
}
