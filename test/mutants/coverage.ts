// Which tests run which part of which file, as V8 tells it of every process that a test starts.
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How one test file was run: how long it took, and what of each source file it left alone. */
export interface Covered {
  readonly test: string;
  readonly seconds: number;
  readonly passed: boolean;
  /** The digests of those source files. */
  readonly digests: Readonly<Record<string, string>>;
  /** By source file: the ranges of each process's account, the inner ones behind the outer ones. */
  readonly ranges: Readonly<Record<string, readonly (readonly Range[])[]>>;
}

/** From a place in the text to another, and whether it was run. */
export type Range = readonly [start: number, end: number, isRun: boolean];

/** Runs one test file of a checkout, and answers what it covered below `src/`. */
export async function cover(root: string, test: string, scratch: string, signal?: AbortSignal): Promise<Covered> {
  mkdirSync(scratch, { recursive: true });
  // Another for each: what a test left running writes into the folder of that test still.
  const folder = mkdtempSync(join(scratch, 'v8-'));
  const started = performance.now();
  const passed = await passes(root, test, { NODE_V8_COVERAGE: folder }, signal);
  const seconds = (performance.now() - started) / 1000;
  const ranges: Record<string, (readonly Range[])[]> = {};
  for (const name of globSync('*.json', { cwd: folder })) enter(ranges, root, join(folder, name));
  discard(folder);
  const digests = Object.fromEntries(
    Object.keys(ranges).map((file) => [file, digestOf(readFileSync(join(root, file), 'utf8'))]),
  );
  return { test, seconds, passed, digests, ranges };
}

/** As far as it can be: what a test left running may be writing there. */
function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It goes with the scratch folder.
  }
}

/** What tells one text of a file from another. */
export function digestOf(text: string): string {
  return hash('sha256', text);
}

/** Whether a test file passes, once. */
export function passes(
  root: string,
  test: string,
  environment: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, 'test/run.ts'), '--once', test], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'ignore',
    ...(signal ? { signal, killSignal: 'SIGTERM' } : {}),
  });
  return new Promise((done) => {
    child.once('error', () => done(false));
    child.once('close', (code) => done(code === 0));
  });
}

/** Whether a place in a file is run by what a test did; of a file that changed since, any place that runs at all may be the one. */
export function isRun({ ranges, digests }: Covered, file: string, place: number, digest: string): boolean {
  const accounts = ranges[file] ?? [];
  if (digests[file] !== digest) return accounts.length > 0;
  return accounts.some((own) => {
    let run = false;
    let narrowest = Number.POSITIVE_INFINITY;
    for (const [start, end, isRunHere] of own) {
      if (place < start || place >= end || end - start > narrowest) continue;
      narrowest = end - start;
      run = isRunHere;
    }
    return run;
  });
}

interface Account {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

function enter(into: Record<string, (readonly Range[])[]>, root: string, path: string): void {
  let account: Account;
  try {
    account = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Its process was killed while it wrote.
    return;
  }
  for (const { url, functions } of account.result) {
    if (!url.startsWith('file://')) continue;
    const file = fileURLToPath(url);
    if (!file.startsWith(join(root, 'src/'))) continue;
    const ranges = functions.flatMap((one) =>
      one.ranges.map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count > 0]),
    );
    const name = file.slice(root.length + 1);
    into[name] = [...(into[name] ?? []), ranges];
  }
}
