// What a server tells its operator, on stderr: a line an event, and a refused tree with its findings.
import { join } from 'node:path';
import type { Attempt } from '../control/attempt.ts';
import { PlanBlocked, TreeInvalid } from '../control/failures.ts';
import type { Log } from '../control/turn.ts';
import type { Finding } from '../core/model/finding.ts';
import { decode, openRegular } from '../manifests/open.ts';
import type { Io } from './io.ts';
import { escaped } from './output/escape.ts';
import { amount, findingsText } from './output/findings-text.ts';
import { styleOf } from './output/style.ts';
import { inOrder, type Texts } from './report.ts';

type Details = Readonly<Record<string, unknown>>;

/** Prints a line: time, level, message, and details as `name=value`, without counts of nothing and what the message has already. */
export function createLog(io: Io): Log {
  const style = styleOf(io.stderr.colours);
  const looks = { debug: 'faint', info: 'place', warn: 'warning', error: 'error' } as const;
  return (level, message, details: Details = {}) => {
    const values = Object.entries(details).flatMap(([name, value]) =>
      value === 0 || value === undefined || (name === 'requestId' && message.includes(String(value)))
        ? []
        : [` ${name}=${escaped(String(value))}`],
    );
    io.stderr.write(
      `${style('faint', io.now())} ${style(looks[level], level.padEnd(5))} ${escaped(message)}${style('faint', values.join(''))}\n`,
    );
  };
}

/** How many errors of a refused tree are logged. */
export const mostFindings = 20;

/** The errors for which an attempt was refused, in the order of the files. */
export function errorsOf({ failure }: Attempt): readonly Finding[] {
  const findings =
    failure instanceof TreeInvalid ? failure.findings : failure instanceof PlanBlocked ? failure.plan.findings : [];
  return inOrder(findings.filter(({ severity }) => severity === 'error'));
}

/** Prints the errors of an attempt that was refused, as `validate` and `plan` would. */
export function tellAttempt(attempt: Attempt, root: string, io: Io): void {
  const errors = errorsOf(attempt);
  if (errors.length === 0) return;
  const shown = errors.slice(0, mostFindings);
  const more = errors.length - shown.length;
  const rest = more > 0 ? `and ${amount(more, 'more error')}\n` : '';
  io.stderr.write(`${findingsText(shown, textsOf(root, shown), styleOf(io.stderr.colours))}${rest}`);
}

/** The files that findings speak of, as they are now; one that cannot be read is shown without its line. */
function textsOf(root: string, findings: readonly Finding[]): Texts {
  const files = new Set(findings.flatMap(({ source }) => (source ? [source.file] : [])));
  return new Map([...files].map((file) => [file, textIn(join(root, file))] as const));
}

/** What a finding is about may be a pipe or a device, whose reading would hold up the server. */
function textIn(file: string): string {
  const opened = openRegular(file, mostText);
  return 'bytes' in opened ? decode(opened.bytes).text : '';
}

/** In bytes: as much as a file of a tree may have. */
const mostText = 4 * 1024 * 1024;
