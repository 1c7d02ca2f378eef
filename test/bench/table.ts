// Rows as a table of Markdown, and its place in the README.
import { holds, type Row } from './measure.ts';

/** The head of the table. */
export const heading = '| measured | figure | range | promise | holds |\n|---|---:|---|---:|---|';

const marks = { begin: '<!-- measured: begin -->', end: '<!-- measured: end -->' } as const;

/** What stands above the table: `growth.svg`, which is written with it. */
const picture = '![How cost grows with size](test/bench/growth.svg)';

/** One row. */
export function lineOf(row: Row): string {
  const { name, value, unit, range, atMost, atLeast } = row;
  const promise =
    atMost !== undefined ? `≤ ${shown(atMost)} ${unit}` : atLeast !== undefined ? `≥ ${shown(atLeast)} ${unit}` : '';
  const verdict = promise === '' ? '' : holds(row) ? 'yes' : '**no**';
  const between = range ? `${shown(range[0])} – ${shown(range[1])}` : '';
  return `| ${name} | ${shown(value)} ${unit} | ${between} | ${promise} | ${verdict} |`;
}

/** A text with picture and table between its marks instead of what stood there. `machine`: what it was measured on. Throws where it has no marks. */
export function withTable(text: string, rows: readonly Row[], machine: string): string {
  const [begin, end] = [text.indexOf(marks.begin), text.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`the text has no place for a table: ${marks.begin} … ${marks.end}`);
  const promised = rows.filter(({ atMost, atLeast }) => atMost !== undefined || atLeast !== undefined);
  const kept = promised.filter(holds).length;
  const words = `Measured on ${machine}: ${kept} of ${promised.length} promises hold.`;
  const table = [heading, ...rows.map(lineOf)].join('\n');
  return `${text.slice(0, begin)}${marks.begin}\n${words}\n\n${picture}\n\n${table}\n${text.slice(end)}`;
}

function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}
