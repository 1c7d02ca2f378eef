// What a server tells its operator, on stderr: a line an event, and a refused tree with its findings.
import type { Attempt } from '../control/attempt.ts';
import { PlanBlocked, TreeInvalid } from '../control/failures.ts';
import type { Log } from '../control/turn.ts';
import type { Finding } from '../core/model/finding.ts';
import type { Tree } from '../manifests/tree.ts';
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

/** Prints the errors of an attempt that was refused, as `validate` and `plan` would: with the lines that were read, and no look at the disk. */
export function tellAttempt(attempt: Attempt, { files }: Pick<Tree, 'files'>, io: Io): void {
  const errors = errorsOf(attempt);
  if (errors.length === 0) return;
  const shown = errors.slice(0, mostFindings);
  const more = errors.length - shown.length;
  const rest = more > 0 ? `and ${amount(more, 'more error')}\n` : '';
  const texts: Texts = new Map([...files.values()].map(({ path, text }) => [path, text]));
  io.stderr.write(`${findingsText(shown, texts, styleOf(io.stderr.colours))}${rest}`);
}
