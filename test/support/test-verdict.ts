// Reads what one test file printed and how its process ended, and says what passed and what did not.

/** What the runner saw of one test file. `output` is its standard output and error together. */
export interface TestRun {
  readonly source: string;
  readonly output: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** In seconds, when the file was stopped for taking too long. */
  readonly timedOutAfter?: number;
  /** What it left behind, in words: processes that it did not end, and mounts. */
  readonly left?: readonly string[];
}

/**
 * Counts of one file. A file is fine when `problems` is empty; `problems` says in words why it is not.
 * `isCertain` where they cannot be bad luck: another run would say the same.
 */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problems: readonly string[];
  readonly isCertain: boolean;
}

/**
 * Judges a test file by uvu's summaries (one each time that uvu ran), its exit code and its source.
 * uvu exits 0 when a hook throws and when a suite is never run: both are problems here.
 */
export function judge(run: TestRun): Verdict {
  const counts = readSummaries(run.output);
  const missed = counts.total - counts.passed;
  const seen = seenNeverRun(run.output);
  const leftOut =
    seen.length > 0 && counts.total === counts.passed
      ? seen
      : countProblems(run, counts.total + counts.skipped, missed);
  const ending = seen.length > 0 && leftOut === seen ? [] : endingProblems(run, missed);
  const left = (run.left ?? []).map((what) => `left behind, and the runner ended it: ${what}`);
  const problems = [...ending, ...leftOut, ...left];
  const failed = problems.length > 0 ? Math.max(1, missed) : 0;
  // A file that was killed or crashed may have run no test for that reason alone.
  const isCertain = (run.code === 0 || leftOut === seen) && leftOut.length > 0;
  return { passed: counts.passed, failed, skipped: counts.skipped, problems, isCertain };
}

/** The seconds that a file may take: 300, or what a `// timeout: 300` among its first lines says. */
export function timeoutOf(source: string): number {
  const opening = source.split('\n', 10).join('\n');
  const declared = /^\/\/ timeout: (\d+)\s*$/m.exec(opening)?.[1];
  return declared === undefined ? 300 : Number(declared);
}

function endingProblems(run: TestRun, missed: number): string[] {
  if (run.timedOutAfter !== undefined) {
    return [
      `took longer than ${run.timedOutAfter} s and was stopped (a comment "// timeout: SECONDS" on top allows more)`,
    ];
  }
  if (run.signal !== null) return [`was ended by ${run.signal}`];
  if (run.code === 0 && missed > 0) return ['a before or after hook threw: uvu hides the error and leaves tests out'];
  if (run.code !== 0) return [missed > 0 ? `${missed} of its tests failed` : `ended with exit code ${run.code}`];
  return [];
}

function countProblems(run: TestRun, seen: number, missed: number): string[] {
  if (run.timedOutAfter !== undefined || (run.code !== 0 && missed > 0)) return [];
  const forgotten = neverRun(run.source).map((name) => `the suite "${name}" is never run: call ${name}.run()`);
  if (seen > 0 || forgotten.length > 0) return forgotten;
  return ['ran no test'];
}

function readSummaries(output: string): { total: number; passed: number; skipped: number } {
  const sum = { total: 0, passed: 0, skipped: 0 };
  for (const [, total, passed, skipped] of output.replaceAll(ansi, '').matchAll(summary)) {
    sum.total += Number(total);
    sum.passed += Number(passed);
    sum.skipped += Number(skipped);
  }
  return sum;
}

/** What watched-uvu.ts says at the end of the process. */
function seenNeverRun(output: string): string[] {
  return [...output.matchAll(/^the suite ".*" is never run: call its run\(\)$/gm)].map(([line]) => line);
}

/** The suites that the file makes at its top level, by name, and never runs. */
function neverRun(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$/gm, '');
  const made = [...code.matchAll(/^(?:export )?(?:const|let) (\w+) = suite(?:With)?(?:<.*>)?\(/gm)].map(
    (found) => found[1] ?? '',
  );
  if (/^import \{[^}]*\btest\b[^}]*\} from ['"]uvu['"]/m.test(code)) made.push('test');
  const inLoops = [...code.matchAll(/for \(const (\w+) of \[([^\]]*)\]\)\s*\{?\s*\1\.run\(/g)];
  const listed = new Set(inLoops.flatMap(([, , names = '']) => names.split(',').map((name) => name.trim())));
  return made.filter((name) => !listed.has(name) && !new RegExp(`\\b${name}\\.run\\(`).test(code));
}

const summary = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n/gm;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what colours begin with
const ansi = /\u001b\[[0-9;]*m/g;
