// npm run endure [-- --minutes N] [--seed S] [--only PART]…: the server under load and faults; exits 1 where anything was lost or kept that must not be.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endure } from './endure.ts';
import { faults } from './faults/index.ts';
import { tableOf } from './report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const minutes = Number(values.minutes);
const chosen = faults.filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));
if (!(minutes > 0) || chosen.length === 0) {
  process.stderr.write(
    `--minutes wants a number above 0, and --only a part of: ${faults.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(64);
}
process.stderr.write(`seed ${values.seed}, ${minutes} minutes\n`);
const started = performance.now();
const tell = (line: string) =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
const endured = await endure({ seed: values.seed, faults: chosen, minutes, tell });
process.stdout.write(tableOf(endured));
process.exit(endured.violations.length === 0 ? 0 : 1);
