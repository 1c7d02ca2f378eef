// What stands around the spec of each document.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { envelope } from '../../../src/core/kinds/envelope.ts';

const around = suite('a document');

const document = (parts: object) => envelope.safeParse({ kind: 'Stack', metadata: { name: 'nr-5' }, ...parts });
const named = (name: unknown) => document({ metadata: { name } }).success;

around('needs its kind and its name only', () => {
  assert.equal(document({}).data, {
    apiVersion: 'weir/v1',
    kind: 'Stack',
    metadata: { name: 'nr-5', previousNames: [], labels: {} },
    lifecycle: { protect: false, onRemove: 'delete', ignore: [] },
  });
  assert.not.ok(envelope.safeParse({ kind: 'Stack' }).success);
  assert.not.ok(envelope.safeParse({ metadata: { name: 'a' } }).success);
});

around('has a DNS label as its name', () => {
  for (const name of ['a', '0', 'nr-4-1', 'a'.repeat(63)]) assert.ok(named(name), name);
  for (const name of ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a'.repeat(64), 5, 'ä'])
    assert.not.ok(named(name), String(name));
});

around('is of this version and of a kind that documents declare', () => {
  assert.not.ok(document({ apiVersion: 'weir/v2' }).success);
  assert.not.ok(document({ kind: 'User' }).success);
  assert.not.ok(document({ kind: 'stack' }).success);
});

around('has labels like those of Kubernetes', () => {
  const labelled = (labels: object) => document({ metadata: { name: 'a', labels } }).success;
  assert.ok(labelled({ tier: 'free', 'example.com/owner': 'ann_b.c', empty: '' }));
  for (const labels of [{ 'a b': 'x' }, { a: 'x y' }, { a: 1 }, { a: 'x'.repeat(64) }, { ['a'.repeat(64)]: 'x' }])
    assert.not.ok(labelled(labels), JSON.stringify(labels));
});

around('leaves fields of its spec to the API, and nothing else', () => {
  const ignoring = (...ignore: string[]) => document({ lifecycle: { ignore } }).success;
  assert.ok(ignoring('/spec/description', '/spec/limits/members', '/spec/a~1b'));
  for (const pointer of ['/metadata/labels', '/spec', '/spec/', 'spec.description', '/spec/a~2'])
    assert.not.ok(ignoring(pointer), pointer);
});

around('refuses what it does not know, and status', () => {
  assert.not.ok(document({ status: {} }).success);
  assert.not.ok(document({ metadata: { name: 'a', namespace: 'b' } }).success);
  assert.not.ok(document({ lifecycle: { onRemove: 'keep' } }).success);
});

around.run();
