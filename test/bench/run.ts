// npm run bench [-- NAME…]: every promise about speed, measured in one run, as a table.
import { benchApi } from './api.ts';
import { benchInstances } from './instances.ts';
import { holds, type Row } from './measure.ts';
import { benchReload } from './reload.ts';
import { benchStore } from './store.ts';
import { benchTree } from './tree.ts';

const benches: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  tree: () => benchTree([1_000, 10_000]),
  reload: () => benchReload(),
  store: () => benchStore(),
  api: () => benchApi(),
  instances: () => benchInstances(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no benchmark "${unknown.join('", "')}": there are ${Object.keys(benches).join(', ')}\n`,
  );
  process.exit(64);
}

process.stdout.write('| measured | figure | promised | |\n|---|---:|---:|---|\n');
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const row of await bench()) process.stdout.write(`${lineOf(row)}\n`);
}

function lineOf(row: Row): string {
  const { name, value, unit, atMost, atLeast } = row;
  const promise = atMost !== undefined ? `≤ ${atMost} ${unit}` : atLeast !== undefined ? `≥ ${atLeast} ${unit}` : '';
  const verdict = promise === '' ? '' : holds(row) ? 'holds' : '**missed**';
  return `| ${name} | ${shown(value)} ${unit} | ${promise} | ${verdict} |`;
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(value >= 10 ? 3 : 2);
}
