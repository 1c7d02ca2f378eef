// JSON Pointers, and how people read them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pointer, readable, stepsOf } from '../../../src/core/model/pointer.ts';

const pointers = suite('pointers');

pointers('give back the steps that they were made of', () => {
  fc.assert(fc.property(fc.array(fc.string()), (steps) => assert.equal(stepsOf(pointer(...steps)), steps)));
});

pointers('escape as RFC 6901 says', () => {
  assert.is(pointer('a/b', 'm~n', '', '~1'), '/a~1b/m~0n//~01');
  assert.is(pointer(), '');
});

pointers('read as fields of a spec', () => {
  assert.is(readable('/spec/instanceTypes/0/name'), 'instanceTypes[0].name');
  assert.is(readable('/spec'), 'spec');
  assert.is(readable('/metadata/labels/example.com~1tier'), 'metadata.labels.example.com/tier');
  assert.is(readable(''), '');
});

pointers.run();
