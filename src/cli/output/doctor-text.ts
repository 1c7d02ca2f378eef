// What weir doctor found, for people.
import type { DoctorReport } from '../report.ts';
import { escaped } from './escape.ts';
import { amount } from './findings-text.ts';
import type { Style } from './style.ts';

const marks = {
  fine: ['made', 'ok     '],
  note: ['faint', 'note   '],
  lacking: ['warning', 'warning'],
  missing: ['error', 'error  '],
} as const;

/** A line each: what it is, what it is for and what was seen; and below it what to do. */
export function doctorText({ checks }: DoctorReport, style: Style): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 13);
  const rows = checks.map(({ name, state, purpose, detail, remedy }) => {
    const [look, word] = marks[state];
    const mark = style(look, word);
    const todo = remedy === undefined ? '' : `\n${indent}→ ${escaped(remedy)}`;
    return `  ${mark}  ${escaped(name).padEnd(width)}  ${escaped(detail)} ${style('faint', `(${escaped(purpose)})`)}${todo}\n`;
  });
  return `${rows.join('')}\n${style('strong', verdictOf({ checks }))}\n`;
}

/** All of it in one sentence. */
export function verdictOf({ checks }: Pick<DoctorReport, 'checks'>): string {
  const count = (wanted: string) => checks.filter(({ state }) => state === wanted).length;
  const [missing, lacking] = [count('missing'), count('lacking')];
  if (missing > 0) return `Weir cannot run well here: ${amount(missing, 'thing')} missing.`;
  return lacking > 0 ? `Weir can run here, with ${amount(lacking, 'warning')}.` : 'This machine has what Weir needs.';
}
