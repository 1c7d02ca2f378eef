// JSON that is written in steps.

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonSteps } from '../../src/lib/json-steps.ts';

const json = suite('JSON in steps');

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(undefined, () => {}, Symbol('s'), new Date(0), Number.NaN, '\u2028', '\uD800'),
);

json('is what JSON.stringify makes', () => {
  const objects = fc.oneof(
    fc.array(value),
    fc.dictionary(fc.string(), value),
    fc.dictionary(fc.string(), fc.array(value)),
  );
  fc.assert(
    fc.property(objects, (object) => assert.is(written(object).text, Buffer.from(JSON.stringify(object)).toString())),
  );
});

json('takes a step for every 64 KB or so', () => {
  const changes = Array.from({ length: 10_000 }, (_, at) => ({ address: `Stack/${at}`, fields: ['x'.repeat(200)] }));
  const { text, steps } = written({ formatVersion: 1, changes, findings: [] });
  assert.is(text, JSON.stringify({ formatVersion: 1, changes, findings: [] }));
  assert.ok(steps >= text.length / (128 * 1024), `${steps} steps`);
});

function written(object: object) {
  const run = jsonSteps(object);
  for (let steps = 0; ; steps++) {
    const step = run.next();
    if (step.done) return { text: step.value.toString(), steps };
  }
}

json.run();
