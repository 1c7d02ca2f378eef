// The mutation run: `npm run mutants -- [--room NAME]… [--count N] [--seed N]` puts faults into the code, one at a time, and counts those that a test finds.
// A room's score is found faults / faults. What no test runs counts as not found; so does what the tests take too long to find.
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Covered, cover, digestOf, isRun, passes } from './coverage.ts';
import { type Mutation, mutationsOf } from './mutations.ts';

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: ['core', 'control', 'store', 'sso'] },
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    /** Tests that take longer are left out. */
    longest: { type: 'string', default: '60' },
    /** How long is spent on one fault at most, in seconds. */
    budget: { type: 'string', default: '180' },
    /** Where what the tests cover is kept, a line a test: what stands there is not found out again. */
    coverage: { type: 'string' },
    out: { type: 'string' },
  },
});

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'weir-mutants-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

interface Fault extends Mutation {
  readonly room: string;
  readonly file: string;
  readonly line: number;
  /** Of the file as it is without the fault. */
  readonly digest: string;
  readonly was: string;
}

type Fate = 'found' | 'survived' | 'not run';

const covered = await coverage();
const faults = values.room.flatMap((room) => sample(faultsIn(room), Number(values.count), Number(values.seed)));
const fates = new Map<Fault, Fate>();
await inParallel(faults, async (fault, copy) => {
  const fate = await fateOf(fault, copy);
  fates.set(fault, fate);
  const { file, line, was, replacement } = fault;
  const text = `${fate.padEnd(8)} ${file}:${line}  ${shown(was)}  →  ${shown(replacement)}`;
  console.log(text);
  if (values.out !== undefined) writeFileSync(values.out, `${text}\n`, { flag: 'a' });
});
for (const room of values.room) report(room);

function report(room: string): void {
  const own = faults.filter((fault) => fault.room === room);
  const found = own.filter((fault) => fates.get(fault) === 'found').length;
  const notRun = own.filter((fault) => fates.get(fault) === 'not run').length;
  console.log(
    `${room}: ${found} of ${own.length} found (${((100 * found) / Math.max(1, own.length)).toFixed(0)} %), ${notRun} not run by any test`,
  );
}

/** The fate of a fault: the tests that run its place are tried, the quickest first. */
async function fateOf(fault: Fault, copy: string): Promise<Fate> {
  const tests = covered.filter((one) => one.passed && isRun(one, fault.file, fault.start, fault.digest));
  if (tests.length === 0) return 'not run';
  const path = join(copy, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, fault.start) + fault.replacement + source.slice(fault.end));
  let left = Number(values.budget);
  try {
    for (const { test, seconds } of tests.toSorted((a, b) => costOf(a, fault) - costOf(b, fault))) {
      if (left < 0) break;
      left -= seconds;
      // What hangs was found, too.
      if (!(await passes(copy, test, {}, AbortSignal.timeout(Math.ceil(5 * seconds + 20) * 1000)))) return 'found';
    }
    return 'survived';
  } finally {
    writeFileSync(path, source);
  }
}

/** A test of the file's own is most likely to find what is wrong with it. */
function costOf({ test, seconds }: Covered, { file }: Fault): number {
  const name = file.replace('src/', 'test/').replace('.ts', '');
  return test.startsWith(name) ? seconds - 1000 : seconds;
}

function faultsIn(room: string): Fault[] {
  return globSync(`src/${room}/**/*.ts`, { cwd: root })
    .sort()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const digest = digestOf(source);
      return mutationsOf(source).map((mutation) => ({
        ...mutation,
        room,
        file,
        digest,
        line: source.slice(0, mutation.start).split('\n').length,
        was: source.slice(mutation.start, mutation.end),
      }));
    });
}

/** So many of them, the same for the same seed. */
function sample<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all];
  const chosen: T[] = [];
  // A linear congruential generator: which ones they are matters little, and that they are the same again much.
  for (let state = seed; chosen.length < count && left.length > 0; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    chosen.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1));
  }
  return chosen;
}

/** What each test covers: kept a line a test, so that a run that was ended goes on where it was. */
async function coverage(): Promise<readonly Covered[]> {
  const kept = values.coverage;
  const longest = Number(values.longest);
  const all: Covered[] = kept !== undefined && existsSync(kept) ? linesOf(kept) : [];
  const known = new Set(all.map(({ test }) => test));
  const tests = globSync('test/**/*.test.ts', { cwd: root }).filter((test) => !known.has(test));
  await inParallel(tests.sort(), async (test, copy, nth) => {
    const one = await cover(copy, test, join(scratch, `coverage-${nth}`), AbortSignal.timeout(longest * 1000));
    console.log(`${one.passed ? 'covers' : 'FAILS '} ${test} (${one.seconds.toFixed(1)} s)`);
    if (kept !== undefined) writeFileSync(kept, `${JSON.stringify(one)}\n`, { flag: 'a' });
    all.push(one);
  });
  return all.filter(({ seconds }) => seconds <= longest);
}

function linesOf(path: string): Covered[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What stands behind the last end of a line was cut off while it was written.
  return lines.slice(0, -1).map((line): Covered => JSON.parse(line));
}

/** Does something with each item, in as many copies of the checkout as there are cores. */
async function inParallel<T>(
  items: readonly T[],
  work: (item: T, copy: string, nth: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (nth: number) => {
    const copy = copyOf(nth);
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item, copy, nth);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, (_, nth) => worker(nth)));
}

function copyOf(nth: number): string {
  const copy = join(scratch, `copy-${nth}`);
  if (existsSync(copy)) return copy;
  const kept = (path: string) => !/[/\\](node_modules|\.git|\.weir|dist)$/.test(path);
  cpSync(root, copy, { recursive: true, filter: kept });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}…` : line || '(nothing)';
}
