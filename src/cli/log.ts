// What a server tells its operator, on stderr: a line an event, and a refused tree with its findings.
import type { Attempt } from '../control/attempt.ts';
import { PlanBlocked, TreeInvalid } from '../control/failures.ts';
import type { Tree } from '../manifests/tree.ts';
import type { Io } from './io.ts';
import { escaped } from './output/escape.ts';
import { amount, findingsText } from './output/findings-text.ts';
import { styleOf } from './output/style.ts';
import { inOrder, type Texts } from './report.ts';

type Details = Readonly<Record<string, unknown>>;

/** Prints a line: time, level, message, and details as `name=value`, without counts of nothing. */
export function createLog(io: Io): (level: 'info' | 'warn' | 'error', message: string, details?: Details) => void {
  const style = styleOf(io.stderr.colours);
  const looks = { info: 'place', warn: 'warning', error: 'error' } as const;
  return (level, message, details = {}) => {
    const values = Object.entries(details).flatMap(([name, value]) =>
      value === 0 ? [] : [` ${name}=${escaped(String(value))}`],
    );
    io.stderr.write(
      `${style('faint', io.now())} ${style(looks[level], level.padEnd(5))} ${escaped(message)}${style('faint', values.join(''))}\n`,
    );
  };
}

const mostFindings = 20;

/** Prints the errors of an attempt that was refused, as `validate` and `plan` would: with the lines that were read, and no look at the disk. */
export function tellAttempt({ failure }: Attempt, { files }: Pick<Tree, 'files'>, io: Io): void {
  const findings =
    failure instanceof TreeInvalid ? failure.findings : failure instanceof PlanBlocked ? failure.plan.findings : [];
  const errors = inOrder(findings.filter(({ severity }) => severity === 'error'));
  if (errors.length === 0) return;
  const shown = errors.slice(0, mostFindings);
  const more = errors.length - shown.length;
  const rest = more > 0 ? `and ${amount(more, 'more error')}\n` : '';
  const texts: Texts = new Map([...files.values()].map(({ path, text }) => [path, text]));
  io.stderr.write(`${findingsText(shown, texts, styleOf(io.stderr.colours))}${rest}`);
}
