// What differs between two contents: where nodes stand in the editor only where somebody asks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareContents } from '../../../src/core/instances/compare.ts';
import type { Content } from '../../../src/core/instances/content.ts';

const compared = suite('two contents');

const content = (node: Readonly<Record<string, unknown>>): Content => ({
  format: 1,
  flows: [{ id: 'n', ...node }],
  modules: {},
});
const changed = (before: object, after: object, positions?: boolean) =>
  compareContents(
    content({ ...before }),
    content({ ...after }),
    positions === undefined ? {} : { positions },
  ).flows.changed.flatMap(({ fields }) => fields);

compared('are the same where nodes and groups were only moved, unless that counts', () => {
  const [before, after] = [
    { type: 'group', z: 'tab', x: 1, y: 2, w: 3, h: 4 },
    { type: 'group', z: 'tab', x: 5, y: 6, w: 7, h: 8 },
  ];
  assert.equal(changed(before, after), []);
  assert.equal(changed(before, after, false), []);
  assert.equal(changed(before, after, true), ['h', 'w', 'x', 'y']);
  assert.equal(changed(before, { ...after, name: 'Press' }), ['name']);
});

compared('differ in fields of these names that are no place', () => {
  assert.equal(changed({ type: 'axis', x: 1 }, { type: 'axis', x: 2 }), ['x']);
  assert.equal(changed({ type: 'chart', z: 'tab', x: '1' }, { type: 'chart', z: 'tab', x: '2' }), ['x']);
});

compared.run();
