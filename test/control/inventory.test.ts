// The inventory: what is declared, whatever the order in which it came to be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createInventory } from '../../src/control/inventory.ts';
import { created } from '../../src/core/model/change.ts';
import type { DeclaredResource } from '../../src/core/model/resource.ts';
import { createState } from '../../src/core/model/state.ts';
import { made, run } from './world.ts';

function inventory(...resources: readonly DeclaredResource[]) {
  const state = createState();
  state.apply(resources.map(created));
  return run(createInventory()(state));
}

const declared = { managedBy: 'config' } as const;
const a = made('Stack', 'a', { runtime: '4' }, declared);
const b = made('InstanceType', 'b', { stacks: ['x', 'y'], defaultStack: 'x' }, declared);

const inventories = suite('the inventory');

inventories('counts what documents declare, and nothing else', () => {
  assert.equal(inventory(), { count: 0, digest: '0'.repeat(64) });
  assert.is(inventory(a, b).count, 2);
  assert.equal(inventory(a, b, made('Stack', 'own', { runtime: '4' })), inventory(a, b));
});

inventories('is the same whatever the order of objects, keys, sets and named lists', () => {
  assert.equal(inventory(b, a), inventory(a, b));
  const turned = made('InstanceType', 'b', { defaultStack: 'x', stacks: ['y', 'x'] }, declared);
  assert.equal(inventory(a, turned), inventory(a, b));
  const labels = (pairs: readonly (readonly [string, string])[]) => ({ ...a, labels: Object.fromEntries(pairs) });
  assert.equal(
    inventory(
      labels([
        ['x', '1'],
        ['y', '2'],
      ]),
    ),
    inventory(
      labels([
        ['y', '2'],
        ['x', '1'],
      ]),
    ),
  );
});

inventories('does not depend on ids, times, generations and places', () => {
  const later = {
    ...a,
    id: 'other',
    generation: 7,
    updatedAt: '2027-01-01T00:00:00.000Z',
    source: { file: 'x', line: 9 },
  };
  assert.equal(inventory(later), inventory(a));
});

inventories('differs where anything that is declared differs', () => {
  const others: readonly DeclaredResource[] = [
    { ...a, name: 'c' },
    { ...a, labels: { x: '1' } },
    { ...a, labels: { constructor: 'x' } },
    { ...a, lifecycle: { ...a.lifecycle, protect: true } },
    made('Stack', 'a', { runtime: '5' }, declared),
    made('Template', 'a', {}, declared),
    made('Template', 'a', { options: { catalogues: {} } }, declared),
    made('Template', 'a', { options: { catalogues: { value: [] } } }, declared),
  ];
  const digests = [a, ...others].map((resource) => inventory(resource).digest);
  assert.is(new Set(digests).size, digests.length);
});

inventories.run();
