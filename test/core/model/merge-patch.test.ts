// Merge patches: the table of RFC 7386, and who sets what.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergePatch, patchedAt } from '../../../src/core/model/merge-patch.ts';

const patch = suite('a merge patch');

/** RFC 7386, appendix A: target, patch, result. */
const table: readonly (readonly [unknown, unknown, unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

patch('merges as RFC 7386 says', () => {
  for (const [target, by, result] of table) assert.equal(mergePatch(target, by), result, JSON.stringify([target, by]));
});

patch('writes to neither side, and makes a key __proto__ an ordinary one', () => {
  const target = Object.freeze({ a: Object.freeze({ b: 1 }) });
  const by = Object.freeze({ a: Object.freeze(JSON.parse('{"__proto__": {"c": 2}}')) });
  const merged = mergePatch(target, by) as { a: object };
  assert.is(JSON.stringify(merged), '{"a":{"b":1,"__proto__":{"c":2}}}');
  assert.is(Object.getPrototypeOf(merged.a), Object.prototype);
});

patch('tells what it set, took away and left', () => {
  const target = { a: { b: 1, c: { d: 1 } }, list: [{ x: 1 }], whole: 1 };
  const by = { a: { b: 2, c: null, e: { f: 1, g: null } }, list: [{ y: 1 }], whole: { z: 1 } };
  const at = (...steps: string[]) => patchedAt(target, by, steps);
  assert.is(at(), 'parts');
  assert.is(at('a'), 'parts');
  assert.is(at('a', 'b'), 'set');
  assert.is(at('a', 'c'), 'removed');
  assert.is(at('a', 'c', 'd'), 'removed');
  assert.is(at('a', 'e'), 'set');
  assert.is(at('a', 'e', 'f'), 'set');
  assert.is(at('a', 'e', 'g'), 'removed');
  assert.is(at('a', 'missing'), 'left');
  assert.is(at('list', '0', 'y'), 'set');
  assert.is(at('whole', 'z'), 'set');
});

patch.run();
