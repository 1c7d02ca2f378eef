// Slugs: whatever the name, what comes out can stand in an address.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slugOf } from '../../src/lib/slug.ts';
import { cpuTime } from '../support/cpu-time.ts';

const shape = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const slugs = suite('slugs');

const examples: Readonly<Record<string, string>> = {
  Flows: 'flows',
  'Team Nord 42': 'team-nord-42',
  "Ann's team": 'anns-team',
  'Ann’s team': 'anns-team',
  '  --Rot & Blau__ ': 'rot-blau',
  'Größe Ærø Łódź': 'grosse-aero-lodz',
  'Cafe\u0301': 'cafe',
  'Ｆｕｌｌ ｗｉｄｔｈ ①': 'full-width-1',
  Компьютер: 'kompyuter',
  Ελλάδα: 'ellada',
  北京: 'beijing',
  東京チーム: 'dongjingchimu',
  서울: 'seoul',
  مرحبا: 'mrhb',
  '\u202eעברית\u200f': 'vryt',
  'ไทย ทีม': 'aithy-thim',
  हिन्दी: 'hindi',
  '🎉': 'tada',
  'Z\u0351\u0300\u0327a\u0316\u0301lgo': 'zalgo',
};

slugs('are made from names in any script', () => {
  for (const [name, slug] of Object.entries(examples)) assert.is(slugOf(name, 'team'), slug, name);
});

slugs('are the word given where a name has nothing to write', () => {
  const empty = [
    '',
    ' ',
    '---',
    '!?…',
    '。、',
    '\u0301\u0300',
    '\u200b\u200f',
    '\u0000',
    '_',
    "'",
    '\ud800',
    '\u{e000}',
  ];
  for (const name of empty) assert.is(slugOf(name, 'team'), 'team', JSON.stringify(name));
});

slugs('have at most 63 characters, and no dash at the end where they were cut', async () => {
  assert.is(slugOf('a'.repeat(100_000), 'team'), 'a'.repeat(63));
  assert.is(slugOf(`${'a'.repeat(62)} b`, 'team'), 'a'.repeat(62));
  assert.is(slugOf('北'.repeat(500), 'team').length, 63);
  const long = '🎉 '.repeat(1_000_000);
  assert.ok((await cpuTime(() => slugOf(long, 'team'))) < 200, 'the length of a name is no lever');
});

slugs('have their shape whatever the name, and are slugs of themselves', () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );
  const property = fc.property(names, (name) => {
    const slug = slugOf(name, 'team');
    assert.match(slug, shape, JSON.stringify(name));
    assert.ok(slug.length <= 63);
    assert.is(slugOf(slug, 'team'), slug);
  });
  fc.assert(property, { numRuns: 3000 });
});

slugs.run();
