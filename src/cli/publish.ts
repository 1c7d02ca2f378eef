// Prints a report in every format that was asked for.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { formats } from './output/index.ts';
import { type Target, targetsOf } from './output/targets.ts';
import { reasonOf } from './reason.ts';
import type { Report } from './report.ts';

/** Prints a report to the targets of `--output`. Throws `Unavailable` where a file cannot be written, after all others were. */
export function publish(report: Report, outputs: readonly string[], io: Io): void {
  const failures = targetsOf(outputs, io.env).flatMap((target) => put(report, target, io));
  if (failures.length > 0) throw new Unavailable('output_not_written', failures.join('\n'));
}

function put(report: Report, { format, to }: Target, io: Io): readonly string[] {
  const colours = to === 'stdout' && io.stdout.colours;
  const text = formats[format](report, { colours });
  if (to === 'stdout') io.stdout.write(text);
  else if (to === 'stderr') io.stderr.write(text);
  else return write(resolve(io.cwd, to.file), text);
  return [];
}

function write(file: string, text: string): readonly string[] {
  try {
    writeFileSync(file, text);
    return [];
  } catch (error) {
    return [`${file} cannot be written, because ${reasonOf(error)}`];
  }
}
