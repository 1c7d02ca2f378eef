// The test runner: `npm test [-- NAME…]` runs each test/**/*.test.ts whose path contains a NAME, as a process of its own.
// A file that fails is run three times more, alone, when all others have ended, and has to pass each time; `--once` leaves that out, for who hunts what fails rarely.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endLeftovers, endLeftoversNow } from './support/leftovers.ts';
import { judge, type TestRun, timeoutOf, type Verdict } from './support/test-verdict.ts';

interface TestFile {
  readonly path: string;
  readonly source: string;
  readonly timeout: number;
}

/** How a run of a file went. */
interface Outcome {
  readonly file: TestFile;
  readonly verdict: Verdict;
  readonly output: string;
  readonly seconds: number;
}

/** Variables that belong to whoever called the runner, and would change what a test prints or finds. */
const callersOwn =
  /^(WEIR_.*|FORCE_COLOR|GITHUB_ACTIONS|GITHUB_STEP_SUMMARY|GITLAB_CI|npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD)$/;

/** Loaded before each file. */
const watchSuites = new URL('./support/watch-suites.ts', import.meta.url).href;

/** How often a file that failed has to pass in a row; the last time beside a busy core. */
const passesNeeded = 3;

/** How long pipes may stay open after the process of a file has ended, in milliseconds. */
const pipeGraceMs = 3000;

/** The mode of a folder that its owner alone may list and change, and everybody may pass. */
const passable = 0o711;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string', default: resolve(import.meta.dirname, '..') },
    once: { type: 'boolean', default: false },
  },
});
const root = resolve(values.root);
const scratch = mkdtempSync(join(tmpdir(), 'weir-'));
// Tests of root let go of its powers, and must still come by: what they then find closed shall be what they closed.
chmodSync(scratch, passable);
const running = new Set<ChildProcess>();
let runs = 0;

process.once('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  const files = findFiles(positionals);
  if (files.length === 0) console.log(`no test file below test/ matches: ${positionals.join(' ') || '*.test.ts'}`);
  const verdicts = await runAgain(await runAll(files));
  const sum = (part: 'passed' | 'failed' | 'skipped') => verdicts.reduce((total, verdict) => total + verdict[part], 0);
  const forbiddenSkips = process.env.CI ? sum('skipped') : 0;
  if (forbiddenSkips > 0) console.log('a skipped test is a failure where CI is set');
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return files.length === 0 || sum('failed') > 0 || forbiddenSkips > 0 ? 1 : 0;
}

/** The files to run; those that may take longest come first, so that they do not start last. */
function findFiles(filters: readonly string[]): TestFile[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }))
    .map((file) => ({ ...file, timeout: timeoutOf(file.source) }))
    .sort((a, b) => b.timeout - a.timeout || (a.path < b.path ? -1 : 1));
}

/** Runs as many files at a time as there are cores. */
async function runAll(files: readonly TestFile[]): Promise<Outcome[]> {
  const waiting = [...files];
  const outcomes: Outcome[] = [];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const outcome = await outcomeOf(file);
      outcomes.push(outcome);
      const heading = isFine(outcome)
        ? 'ok  '
        : hasAnotherRun(outcome)
          ? 'fail, and is run again later, alone:'
          : 'FAIL';
      console.log(describe(heading, outcome));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return outcomes;
}

/** Runs those that failed again, one at a time: what is a rare failure has to pass three times in a row, and is told at the very end. */
async function runAgain(outcomes: readonly Outcome[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const flakes: Outcome[] = [];
  for (const first of outcomes) {
    const outcome = hasAnotherRun(first) ? await passOften(first.file) : first;
    verdicts.push(outcome.verdict);
    if (outcome === first) continue;
    if (isFine(outcome)) flakes.push(first);
    console.log(describe(isFine(outcome) ? `ok after ${passesNeeded} more runs:` : 'FAIL', outcome));
  }
  for (const first of flakes) tellOfFlake(first);
  if (flakes.length > 0)
    console.log(
      `${flakes.length} ${flakes.length === 1 ? 'file' : 'files'} failed first, and passed ${passesNeeded} times then: find out why`,
    );
  return verdicts;
}

/** Runs a file as often as it has to pass, up to its first failure. */
async function passOften(file: TestFile): Promise<Outcome> {
  for (let time = 1; ; time++) {
    const busy = time === passesNeeded ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined;
    if (busy) running.add(busy);
    const outcome = await outcomeOf(file);
    busy?.kill('SIGKILL');
    if (busy) running.delete(busy);
    if (time === passesNeeded || !isFine(outcome)) return outcome;
  }
}

/** What failed first, and the line of the list of such files that is missing. */
function tellOfFlake(first: Outcome): void {
  const path = join(root, 'test/flakes.md');
  const isListed = existsSync(path) && readFileSync(path, 'utf8').includes(`| ${first.file.path} |`);
  console.log(`FLAKY ${first.file.path} first failed so:\n${details(first)}`);
  if (isListed) return;
  const line = `| ${new Date().toISOString().slice(0, 10)} | ${first.file.path} | ${first.verdict.problems[0]} | its cause |`;
  console.log(`NOT LISTED: add to test/flakes.md\n${line}`);
}

function hasAnotherRun({ verdict }: Outcome): boolean {
  return !values.once && verdict.problems.length > 0 && !verdict.isCertain;
}

function isFine({ verdict }: Outcome): boolean {
  return verdict.problems.length === 0;
}

async function outcomeOf(file: TestFile): Promise<Outcome> {
  const started = performance.now();
  runs += 1;
  const run = await runFile(file, join(scratch, String(runs)));
  return { file, verdict: judge(run), output: run.output, seconds: (performance.now() - started) / 1000 };
}

/** Runs one file with its own temporary folder; whatever it leaves running is ended with it, and told. */
function runFile(file: TestFile, folder: string): Promise<TestRun> {
  mkdirSync(folder);
  chmodSync(folder, passable);
  const child = spawn(process.execPath, ['--import', watchSuites, join(root, file.path)], {
    cwd: root,
    env: environment(folder),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const run = { source: file.source, output: '', timedOut: false };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      run.output += text;
    });
  }
  const timer = setTimeout(() => {
    run.timedOut = true;
    endGroup(child);
  }, file.timeout * 1000);
  // What the file started may hold its pipes open: 'close' comes only when that has ended too.
  child.once('exit', () => {
    endGroup(child);
    // Who left the group with a pipe in hand would hold it for ever: then what is known of the end is enough.
    setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, pipeGraceMs).unref();
  });
  return new Promise((done) => {
    child.once('close', async (code, signal) => {
      clearTimeout(timer);
      const left = await endLeftovers(folder);
      running.delete(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      const { source, output, timedOut } = run;
      done({ source, output, code, signal, left, ...(timedOut ? { timedOutAfter: file.timeout } : {}) });
    });
  });
}

/** This process's environment, less what would change a test's result from one caller to the next. */
function environment(temporary: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !callersOwn.test(name));
  return { ...Object.fromEntries(kept), NO_COLOR: '1', TMPDIR: temporary };
}

function describe(heading: string, outcome: Outcome): string {
  const { file, verdict, seconds, output } = outcome;
  const counts = [`${verdict.passed} passed`];
  if (verdict.failed > 0) counts.push(`${verdict.failed} failed`);
  if (verdict.skipped > 0) counts.push(`${verdict.skipped} skipped`);
  const line = `${heading} ${file.path}  ${counts.join(', ')}  (${seconds.toFixed(1)} s)`;
  // Why tests were skipped must be seen, above all where a skip fails the run.
  const told = verdict.skipped > 0 && /^SKIPPED: /m.test(output);
  return isFine(outcome) && !told ? line : `${line}\n${details(outcome)}`;
}

function details({ file, verdict, output }: Outcome): string {
  const why = verdict.problems.map((problem) => `     ${file.path} ${problem}`);
  return [...why, output.replaceAll(/^(?=.)/gm, '     | ').trimEnd()].filter(Boolean).join('\n');
}

function endGroup(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody of its group is left.
  }
}

function cleanUp(): void {
  for (const child of running) endGroup(child);
  endLeftoversNow(scratch);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}
