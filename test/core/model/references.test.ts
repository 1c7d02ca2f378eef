// What a resource refers to, found by the marks of its kind.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceKey, referencesOf, referringKinds } from '../../../src/core/model/references.ts';
import { living, made } from '../../control/world.ts';

const references = suite('references');

references('of a declared resource are by name, each with its place', () => {
  const type = made('InstanceType', 'small', { stacks: ['nr-4', 'nr-5'], defaultStack: 'nr-5' });
  assert.equal(referencesOf(type), [
    { kind: 'Stack', by: 'name', to: 'nr-4', path: '/spec/stacks/0' },
    { kind: 'Stack', by: 'name', to: 'nr-5', path: '/spec/stacks/1' },
    { kind: 'Stack', by: 'name', to: 'nr-5', path: '/spec/defaultStack' },
  ]);
  const team = made('TeamType', 'starter', { instanceTypes: [{ name: 'small' }] });
  assert.equal(referencesOf(team), [
    { kind: 'InstanceType', by: 'name', to: 'small', path: '/spec/instanceTypes/0/name' },
  ]);
});

references('of a run-time resource are by id, so that a rename costs nothing', () => {
  const team = living('Team', 'ateam', { displayName: 'A', type: 'type-1' });
  assert.equal(referencesOf(team), [{ kind: 'TeamType', by: 'id', to: 'type-1', path: '/spec/type' }]);
  assert.is(referenceKey({ kind: 'TeamType', by: 'id', to: 'type-1' }), '>TeamType#type-1');
});

references('are known by what they lead to', () => {
  assert.equal(referringKinds('Stack'), ['Stack', 'InstanceType', 'Instance']);
  assert.equal(referringKinds('TeamType'), ['Team']);
  assert.equal(referringKinds('SsoConfig'), ['Session']);
  assert.equal(referringKinds('AdminSettings'), []);
});

references.run();
