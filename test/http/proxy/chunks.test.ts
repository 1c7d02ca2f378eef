// Bodies in chunks: the same whether chunks are there as a whole or come byte by byte, and a byte a chunk costs little.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createChunkReader } from '../../../src/http/proxy/upstream/chunks.ts';
import { randomFrom } from '../../fuzz/mutate.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const mostTrailers = 1000;

/** What is read of a text that comes in pieces of so many bytes. */
function read(text: string, size: number): string {
  const all = Buffer.from(text, 'latin1');
  const reader = createChunkReader(mostTrailers);
  let body = '';
  for (let at = 0; at < all.length; at += size) {
    const bytes = Buffer.from(all.subarray(at, at + size));
    const { end, next, state } = reader.take(bytes, 0);
    body += bytes.toString('latin1', 0, end);
    if (state === 'malformed') return state;
    if (state === 'over') return `${body}|${reader.trailers().join()}|${all.length - at - next}`;
  }
  return `${body}…`;
}

const chunks = suite('a body in chunks');

chunks('is the same however it is cut', () => {
  const random = randomFrom(11);
  const sizes = ['1', '2', '02', 'a', 'A', '0000000011', '31', '100', '1;x=y', '2;'];
  const breaks = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', 'x\r\n', ''];
  const outcomes = new Set<string>();
  for (let round = 0; round < 400; round++) {
    // Mostly well-formed: what is wrong comes after some that is right.
    const isGood = round % 2 === 0;
    let text = '';
    for (let count = random(12); count >= 0; count--) {
      const size = sizes[random(sizes.length)] ?? '1';
      const end = () => (isGood ? '\r\n' : (breaks[random(breaks.length)] ?? ''));
      text += `${size}${end()}${'x'.repeat(Number.parseInt(size, 16))}${end()}`;
    }
    text += isGood || random(2) === 0 ? '0\r\nA: b\r\n\r\nmore' : '';
    const whole = read(text, text.length);
    for (const cut of [1, 2, 3, 7, 40]) {
      const found = read(text, cut);
      // What stands behind it counts only where it came at once.
      assert.is(found.replace(/\d+$/, ''), whole.replace(/\d+$/, ''), `${JSON.stringify(text)} in pieces of ${cut}`);
    }
    outcomes.add(whole === 'malformed' ? whole : (whole.at(-1) ?? ''));
  }
  assert.equal([...outcomes].sort(), ['4', 'malformed', '…'].sort());
});

chunks('keeps to the most digits of a size', () => {
  assert.is(read(`0000000001\r\nx\r\n0\r\n\r\n`, 100), 'x||0');
  assert.is(read(`00000000001\r\nx\r\n0\r\n\r\n`, 100), 'malformed');
  assert.is(read(`1\r\nx\r\n00000000001\r\nx\r\n0\r\n\r\n`, 100), 'malformed');
});

chunks('costs a fraction of what its steps do, where a chunk has one byte', async () => {
  const text = Buffer.from('1\r\nx\r\n'.repeat(40_000));
  const take = (size: number) => () => {
    const bytes = Buffer.from(text);
    const reader = createChunkReader(mostTrailers);
    for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size), 0);
  };
  // Four bytes never hold a whole chunk, which takes six.
  const [whole, stepped] = [await cpuTime(take(text.length)), await cpuTime(take(4))];
  assert.ok(whole < stepped / 6, `${whole} of ${stepped} ms`);
});

chunks.run();
