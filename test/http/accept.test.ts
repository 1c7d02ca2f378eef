// What a client takes, by its header Accept.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accepts } from '../../src/http/accept.ts';
import { cpuTime } from '../support/cpu-time.ts';

const type = 'application/openmetrics-text';
const accept = suite('accepts');

accept('takes a type that is named, with whatever parameters, in any case and place', () => {
  for (const header of [
    type,
    'APPLICATION/OpenMetrics-Text',
    `${type}; version=1.0.0; charset=utf-8`,
    `application/json, ${type};q=0.001`,
    `text/html,${type} ; q=0.5 ,*/*;q=0.1`,
    `${type}; q=1.000`,
    `${type}; note="a, b; q=0"`,
    `text/plain;a="\\", ", ${type}`,
    `${type};q=0, ${type};version=0.0.1;q=0.2`,
    // A weight that cannot be read is none.
    `${type};q=much`,
  ])
    assert.ok(accepts(header, type), header);
});

accept('takes what Prometheus sends, old and new', () => {
  const old = `${type};version=1.0.0,${type};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`;
  const recent = `${type};version=1.0.0;escaping=allow-utf-8;q=0.6,${type};version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,*/*;q=0.2`;
  assert.ok(accepts(old, type));
  assert.ok(accepts(recent, type));
});

accept('leaves a type that is excluded, meant by a wildcard, part of another, or only spoken of', () => {
  for (const header of [
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    `${type};q=0`,
    `${type};version=1.0.0;Q=0.000 , application/json`,
    `x${type}`,
    `${type}s`,
    `text/plain;a="${type}"`,
    `text/plain;a=", ${type}, "`,
  ])
    assert.not(accepts(header, type), header);
});

accept('reads the longest header in no time, however it is made', async () => {
  for (const part of ['"', '"\\', ',', ';q=', `${type};q=0,`])
    assert.ok((await cpuTime(() => accepts(part.repeat(16_384 / part.length), type))) < 250, part);
});

accept.run();
