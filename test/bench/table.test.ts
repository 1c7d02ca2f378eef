// What the benchmark writes: rows as a table, its place in a text, and the picture of growth.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawGrowth } from './growth.ts';
import { type Row, spread } from './measure.ts';
import { lineOf, withTable } from './table.ts';

const tables = suite('the table of the benchmark');

tables('says of each row what was measured, what is promised and whether that holds', () => {
  const row = { name: 'a scan', ...spread([3.146, 30, 2]), unit: 'ms' };
  assert.is(lineOf(row), '| a scan | 3.1 ms | 2 – 30 |  |  |');
  assert.is(lineOf({ ...row, atMost: 4 }), '| a scan | 3.1 ms | 2 – 30 | ≤ 4 ms | yes |');
  assert.is(
    lineOf({ name: 'writes', value: 1234.5, unit: '/s', atLeast: 2000 }),
    '| writes | 1 235 /s |  | ≥ 2 000 /s | **no** |',
  );
});

tables('stands between its marks, in the place of what stood there', () => {
  const before = 'one\n<!-- measured: begin -->\nold\n<!-- measured: end -->\ntwo\n';
  const rows: Row[] = [
    { name: 'a', value: 1, unit: 's', atMost: 2 },
    { name: 'b', value: 3, unit: 's', atMost: 2 },
  ];
  const after = withTable(before, rows, 'a machine');
  assert.match(
    after,
    /^one\n<!-- measured: begin -->\nMeasured on a machine: 1 of 2 promises hold\.\n\n!\[.*\]\(test\/bench\/growth\.svg\)\n\n\| measured/,
  );
  assert.match(after, /\| b \| 3 s \| {2}\| ≤ 2 s \| \*\*no\*\* \|\n<!-- measured: end -->\ntwo\n$/);
  assert.is(withTable(after, rows, 'a machine'), after);
  assert.throws(() => withTable('no marks', rows, 'a machine'), /no place for a table/);
});

tables('draws what was measured at several sizes, as multiples of the smallest', () => {
  const at = (of: string, size: number, value: number, unit = 'ms'): Row => ({
    name: of,
    value,
    unit,
    growth: { of, size },
  });
  const picture = drawGrowth([
    at('flat', 10, 2),
    at('flat', 1000, 2),
    at('lone', 10, 1),
    at('rate', 100, 50, '/s'),
    at('rate', 10, 100, '/s'),
  ]);
  assert.match(picture, 'flat: ×1 at ×100<');
  assert.match(picture, 'rate: ×2 at ×10<');
  assert.not.match(picture, 'lone');
});

tables.run();
