// What a YAML text turns into: values, and where they stand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Document } from '../../src/core/model/document.ts';
import { parse } from '../../src/manifests/parse.ts';
import { syntheticTree } from '../support/synthetic-tree.ts';

const values = suite('parse: values');

values('reads every document of a text', () => {
  assert.equal(valuesOf('a: 1\n---\nb: [x, {c: null}]\n...\n---\n"text"\n'), [
    { a: 1 },
    { b: ['x', { c: null }] },
    'text',
  ]);
});

values('keeps the types of YAML 1.2 core: yes is text, 0o17 a number', () => {
  const text = 'a: yes\nb: true\nc: ~\nd: 1.10\ne: 0o17\nf: 0x1F\ng: 2001-01-01\nh: 12:30\ni: ""\nj: 007\nk: -0\nl:\n';
  const wanted = {
    a: 'yes',
    b: true,
    c: null,
    d: 1.1,
    e: 15,
    f: 31,
    g: '2001-01-01',
    h: '12:30',
    i: '',
    j: 7,
    k: 0,
    l: null,
  };
  assert.equal(valuesOf(text), [wanted]);
});

values('takes no empty document for a document', () => {
  for (const text of ['', '\n', '# only a comment\n', '---\n', '---\n---\n# nothing\n...\n', '\uFEFF']) {
    assert.equal(parse('a.yaml', text), { documents: [], findings: [], broken: false }, JSON.stringify(text));
  }
});

values('keeps a document that says null', () => {
  assert.equal(valuesOf('~\n---\nnull\n'), [null, null]);
});

values('reads CRLF and a byte order mark as if they were not there', () => {
  const [document] = parsed('\uFEFFa: 1\r\nb:\r\n  - x\r\n  - |\r\n    two\r\n    lines\r\n');
  assert.equal(document.value, { a: 1, b: ['x', 'two\nlines\n'] });
  assert.equal(place(document, '/a', 'key'), '1:1-1:2');
  assert.equal(place(document, '/b/0', 'value'), '3:5-3:6');
  assert.equal(place(document, '/b/1', 'value'), '4:5-6:10');
});

values('makes the key __proto__ an entry like any other', () => {
  const [document] = parsed('__proto__: {admin: true}\nconstructor: x\n');
  assert.equal(Object.keys(document.value as object), ['__proto__', 'constructor']);
  assert.is(Object.getPrototypeOf(document.value), Object.prototype);
  assert.is(({} as { admin?: boolean }).admin, undefined);
});

values('resolves aliases, and core tags', () => {
  const [document] = parsed('a: &x {b: [1, 2]}\nc: *x\nd: !!str 1\ne: &k name\n*k : 2\nf: ! 3\n');
  assert.equal(document.value, { a: { b: [1, 2] }, c: { b: [1, 2] }, d: '1', e: 'name', name: 2, f: '3' });
});

values('allows %YAML 1.2, and nesting of exactly 64', () => {
  assert.equal(valuesOf('%YAML 1.2\n---\na: 1\n'), [{ a: 1 }]);
  assert.is(parse('a.yaml', `${'['.repeat(64)}${']'.repeat(64)}`).findings.length, 0);
});

values('allows integers up to 2^53', () => {
  assert.equal(valuesOf('a: 9007199254740992\nb: -9007199254740992\n'), [{ a: 2 ** 53, b: -(2 ** 53) }]);
});

values('reads the made-up trees of the benchmarks without a finding', () => {
  for (const [path, text] of syntheticTree({ documents: 80 })) assert.equal(parse(path, text).findings, [], path);
});

values.run();

const places = suite('parse: places');

const text = `apiVersion: weir/v1
kind: Stack
metadata: {name: nr-4, labels: {"a/b~c": x}}
spec:
  label: "4.1 \u{1F600}" # why
  list:
    - one
    -   two: 2
        three:
  # after
---
- x
`;

places('finds keys and values by JSON Pointer, with columns in UTF-16 units and the end exclusive', () => {
  const [document] = parsed(text);
  assert.equal(place(document, '/kind', 'key'), '2:1-2:5');
  assert.equal(place(document, '/kind', 'value'), '2:7-2:12');
  assert.equal(place(document, '/metadata/name', 'value'), '3:18-3:22');
  assert.equal(place(document, '/metadata/labels', 'value'), '3:32-3:44');
  assert.equal(place(document, '/metadata/labels/a~1b~0c', 'value'), '3:42-3:43');
  assert.equal(place(document, '/spec/label', 'value'), '5:10-5:18');
  assert.equal(place(document, '/spec/list/1/two', 'key'), '8:9-8:12');
});

places('ends a block where its last value ends, not after the comments behind it', () => {
  const [document] = parsed(text);
  assert.equal(place(document, '/spec', 'value'), '5:3-9:14');
  assert.equal(place(document, '', 'value'), '1:1-9:14');
});

places('points at the key of an entry without a value', () => {
  assert.equal(place(parsed(text)[0], '/spec/list/1/three', 'value'), '9:9-9:14');
});

places('points at the whole item where it has no key', () => {
  const [first, second] = parsed(text);
  assert.equal(place(first, '/spec/list/0', 'key'), '7:7-7:10');
  assert.equal(place(second as Document, '/0', 'value'), '12:3-12:4');
});

places('falls back to the nearest enclosing item that exists', () => {
  const [document] = parsed(text);
  assert.equal(place(document, '/spec/list/7/name', 'value'), '7:5-9:14');
  assert.equal(place(document, '/spec/label/deeper/still', 'key'), '5:10-5:18');
  assert.equal(place(document, '/nothing', 'key'), '1:1-9:14');
});

places('of an alias of a key are those of the alias, which has nothing in it', () => {
  for (const [source, pointer, value] of [
    ['&a a: *a', '/a', [1, 7, 1, 9]],
    ['&a a: {b: *a}', '/a/b', [1, 11, 1, 13]],
    ['&a a: {b: 1}\nc: *a', '/c', [2, 4, 2, 6]],
  ] as const) {
    const [document] = parse('a.yaml', source).documents;
    assert.ok(document, source);
    for (const below of ['', '/b', '/0']) {
      const { line, column, endLine, endColumn } = document.locate(pointer + below, 'value');
      assert.equal([line, column, endLine, endColumn], value, `${source} ${pointer}${below}`);
    }
    assert.is(document.raw(pointer), undefined);
  }
});

places('follows an alias: the alias itself where it is used, what is in it where it is written', () => {
  const [document] = parsed('a: &x\n  b: 1.10\nc: *x\n');
  assert.equal(place(document, '/c', 'value'), '3:4-3:6');
  assert.equal(place(document, '/c/b', 'value'), '2:6-2:10');
  assert.is(document.raw('/c/b'), '1.10');
});

places('gives the text of a scalar as written', () => {
  const [document] = parsed(`a: 1.10\nb: yes # no\nc: 'it''s'\nd: [x]\ne: {f: 0x1F}\ng:\nh: |\n  text\ni:\n  j: 1\n`);
  const raw = ['/a', '/b', '/c', '/d', '/d/0', '/e/f', '/g', '/i', '/z', ''].map((pointer) => document.raw(pointer));
  assert.equal(raw, ['1.10', 'yes', "'it''s'", undefined, 'x', '0x1F', '', undefined, undefined, undefined]);
});

places('finds an entry whose key looks like a number, wherever the engine sorts it', () => {
  const [document] = parsed('b: 1\n"2": two\n"1": one\n');
  assert.equal(place(document, '/1', 'value'), '3:6-3:9');
});

places.run();

function parsed(source: string): [Document, ...Document[]] {
  const { documents, findings } = parse('a.yaml', source);
  assert.equal(findings, []);
  const [first, ...rest] = documents;
  if (first === undefined) throw new Error('no document');
  return [first, ...rest];
}

function valuesOf(source: string): unknown[] {
  return parsed(source).map(({ value }) => value);
}

function place(document: Document, pointer: string, part: 'key' | 'value'): string {
  const { line, column, endLine, endColumn } = document.locate(pointer, part);
  return `${line}:${column}-${endLine}:${endColumn}`;
}
