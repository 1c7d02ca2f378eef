// npm run bench [-- NAME… | --write]: every promise about speed, measured in one run, as a table; --write puts it into the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { drawGrowth } from './growth.ts';
import { benches } from './index.ts';
import type { Row } from './measure.ts';
import { heading, lineOf, withTable } from './table.ts';

const root = resolve(import.meta.dirname, '../..');

process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const unknown = positionals.filter((name) => !(name in benches));
  if (unknown.length > 0)
    return wrong(`there is no benchmark "${unknown.join('", "')}": there are ${Object.keys(benches).join(', ')}`);
  if (values.write && positionals.length > 0) return wrong('--write measures everything: leave the names out');
  const rows = await measure(positionals);
  if (values.write) keep(rows);
  return 0;
}

async function measure(wanted: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  process.stdout.write(`${heading}\n`);
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const started = performance.now();
    const found = await bench();
    for (const row of found) process.stdout.write(`${lineOf(row)}\n`);
    process.stderr.write(`${name} took ${((performance.now() - started) / 1000).toFixed()} s\n`);
    rows.push(...found);
  }
  return rows;
}

/** Into the README and beside it. */
function keep(rows: readonly Row[]): void {
  const readme = join(root, 'README.md');
  const month = new Date().toLocaleString('en', { month: 'long', year: 'numeric' });
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, ${month}`;
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), rows, machine));
  writeFileSync(join(root, 'test/bench/growth.svg'), drawGrowth(rows));
}

function wrong(message: string): number {
  process.stderr.write(`${message}\n`);
  return 64;
}
