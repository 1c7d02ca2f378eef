// Text without what it ends in.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutTrailing } from '../../../src/core/model/without-trailing.ts';

const trailing = suite('without what it ends in');

trailing('a text keeps all before', () => {
  assert.is(withoutTrailing('https://a//b///', '/'), 'https://a//b');
  assert.is(withoutTrailing('-a._-.', '._-'), '-a');
  assert.is(withoutTrailing('///', '/'), '');
  assert.is(withoutTrailing('a', '/'), 'a');
  assert.is(withoutTrailing('', '/'), '');
});

trailing.run();
