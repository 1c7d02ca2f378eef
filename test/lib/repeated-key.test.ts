// Keys that stand twice in one object of a JSON text are found, wherever they are and however they are written.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repeatedKey } from '../../src/lib/repeated-key.ts';

const keys = suite('a repeated key');

const inText = (text: string) => repeatedKey(text, JSON.parse(text));

keys('is found with the way to it, in nested objects and lists too', () => {
  for (const [text, way] of [
    ['{"a":1,"a":2}', ['a']],
    ['{"b":{"a":1,"a":1}}', ['b', 'a']],
    ['{"b":[0,{"c":[[{"a":1 , "x":{}, "a" : 1}]]}]}', ['b', 1, 'c', 0, 0, 'a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a\\\\":1,"a\\\\":2}', ['a\\']],
    ['{"x":{"a":1},"y":{"a":1},"x":2}', ['x']],
  ] as const)
    assert.equal(inText(text), way, text);
});

keys('is none where keys stand in different objects, or in texts', () => {
  for (const text of [
    ...['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}', '{"a":"\\"a\\":1,","b":"{\\"a\\":1"}', '[]', '"a"', '1', 'null'],
    ...['{"a":":","b":["a:",":","\\\\"]}', '{"a\\"":1,"a":2}', ' { "a" \n:\t1 } '],
  ])
    assert.is(inText(text), undefined, text);
});

keys('is none in what JSON.stringify writes, and is found once a member is written twice', () => {
  const member = fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue());
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(member, { minLength: 1, maxLength: 4 }), (before, members) => {
      assert.is(inText(JSON.stringify([before, Object.fromEntries(members)])), undefined);
      const written = members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
      const text = `[${JSON.stringify(before)}, {"in": {${[...written, written[0]].join(' , ')}}}]`;
      const way = inText(text);
      assert.equal(way?.slice(0, 2), [1, 'in']);
      assert.ok(members.some(([key]) => key === way?.[2]));
    }),
  );
});

keys.run();
