// Prints a report in every format that was asked for.
import { appendFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { formats } from './output/index.ts';
import { type Target, targetsOf } from './output/targets.ts';
import { isWell, type Report } from './report.ts';
import { notWritten } from './unwritten.ts';
import { writeWhole } from './write-whole.ts';

/** Prints a report to the targets of `--output`. Throws `Unavailable` where a file cannot be written, after all others were. */
export function publish(report: Report, outputs: readonly string[], io: Io): void {
  const failures = targetsOf(outputs, io).flatMap((target) => put(report, target, io));
  if (failures.length > 0) throw new Unavailable('output_not_written', failures.join('\n'));
}

function put(report: Report, { format, to }: Target, io: Io): readonly string[] {
  if (io.quiet && to === 'stdout' && format === 'human' && isWell(report)) return [];
  const colours = to === 'stdout' && io.stdout.colours;
  const planShown = to === 'stdout' && io.planShown === true;
  const lines = to === 'stdout' && io.lines === true;
  const text = formats[format](report, { colours, cwd: io.cwd, version: io.version, lines, planShown });
  if (to === 'stdout') io.stdout.write(text);
  else if (to === 'stderr') io.stderr.write(text);
  else if ('summary' in to) addTo(resolve(io.cwd, to.summary), text, io);
  else return failing(resolve(io.cwd, to.file), text);
  return [];
}

function failing(file: string, text: string): readonly string[] {
  try {
    writeWhole(file, text);
    return [];
  } catch (error) {
    return [notWritten(file, error).message];
  }
}

/** The summary is extra: a command does not fail for it. Where stdout leads into it, it is there already. */
function addTo(file: string, text: string, io: Io): void {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    const stdout = io.stdoutFile?.();
    if (there && stdout && there.dev === stdout.dev && there.ino === stdout.ino) return;
    appendFileSync(file, `${there && there.size > 0 ? '\n' : ''}${text}`);
  } catch (error) {
    io.stderr.write(`weir: the summary ${file} cannot be written, because ${reasonOf(error)}\n`);
  }
}
