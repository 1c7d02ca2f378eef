// The line of a file that a finding speaks of, with carets under the very columns.
import type { Finding, Source } from '../../core/model/finding.ts';
import { cut, type Shown, show } from './cells.ts';
import { escaped } from './escape.ts';
import type { Style } from './style.ts';

/** How much of a long line is shown, in cells. */
const mostCells = 100;

/** The rows of a snippet below `-->`; none where the line is not known. `lines` are those of the file, from the first one on. */
export function snippet(finding: Finding, lines: readonly string[] | undefined, style: Style): readonly string[] {
  const { source } = finding;
  const line = source && lines?.[source.line - 1]?.replace(/\r$/, '');
  if (!source || line === undefined || line === '') return [];
  const range = rangeIn(source, line);
  const visible = finding.sensitive ? masked(line, range) : withoutSecrets(line);
  const shown = show(visible.line);
  const [from, to] = [shown.cells[visible.at(range[0])] ?? 0, shown.cells[visible.at(range[1])] ?? 0];
  const window = windowOn(shown, from, to);
  const gutter = String(source.line).length;
  const bar = style('place', `${' '.repeat(gutter)} |`);
  const carets = style(finding.severity, '^'.repeat(Math.max(1, Math.min(window.to, to) - from)));
  const advice = adviceOf(finding, source)
    .map((words) => ` ${style(finding.severity, words)}`)
    .join('');
  return [
    bar,
    `${style('place', `${source.line} |`)} ${window.text}`.trimEnd(),
    `${bar} ${' '.repeat(window.indent + from - window.from)}${carets}${advice}`,
  ];
}

/** What stands beside the carets: how far the range goes, and what to write. */
function adviceOf({ suggestion }: Finding, { line, endLine }: Source): readonly string[] {
  const far = endLine > line ? [`to line ${endLine}`] : [];
  return suggestion === undefined ? far : [...far, didYouMean(suggestion)];
}

/** What a suggestion says. A value says what to write, to the letter; quotes around `true` would be taken for part of it. */
export function didYouMean(suggestion: string): string {
  const isValue = /^(["{[]|(true|false|-?\d+(\.\d+)?)$)/.test(suggestion);
  return isValue ? `write ${escaped(suggestion)}` : `did you mean "${escaped(suggestion)}"?`;
}

type Range = readonly [from: number, to: number];

/** The part of the line that is meant, in UTF-16 units; of several lines the first. */
function rangeIn({ line: first, column, endLine, endColumn }: Source, line: string): Range {
  const from = Math.min(column - 1, line.length);
  const to = endLine > first ? line.trimEnd().length : Math.min(endColumn - 1, line.length);
  return [from, Math.max(from, to)];
}

interface Visible {
  readonly line: string;
  /** Where a unit of the original line stands in the visible one. */
  readonly at: (unit: number) => number;
}

const mask = '********';

/** Where a secret may stand: a key keeps its name and loses what follows, anything else is masked to the end of the line. */
function masked(line: string, [from, to]: Range): Visible {
  const key = /^\s*(?:["']\s*)?:/.test(line.slice(to));
  const start = key ? to + (line.slice(to).indexOf(':') + 1) : from;
  const hidden = `${line.slice(0, start)}${key ? ' ' : ''}${mask}`;
  return { line: hidden, at: (unit) => (unit <= start ? unit : hidden.length) };
}

const secretName = /passw|passphrase|secret|token|credential|private/i;
const noSecret = /^(?:[{|>&*#]|(?:true|false|null|yes|no|on|off|~|[\d.]+)\s*(?:#|$))/i;

/** Where the value of a key begins that sounds as if it were a secret; -1 where there is none. */
function secretValueIn(line: string): number {
  let before = 0;
  for (const { 0: colon, index } of line.matchAll(/:\s+/g)) {
    const key =
      line
        .slice(before, index)
        .trimEnd()
        .replace(/["']$/, '')
        .split(/[^\w-]/)
        .at(-1) ?? '';
    before = index + colon.length;
    if (before < line.length && secretName.test(key) && !noSecret.test(line.slice(before))) return before;
  }
  return -1;
}

/** A line may hold a secret that nobody asked about: a password, also in an address, or a key in the place of a certificate. */
function withoutSecrets(line: string): Visible {
  const starts = [
    secretValueIn(line),
    line.search(/-----BEGIN [A-Z ]*PRIVATE KEY/),
    line.search(/[A-Za-z0-9+/]{48}/),
    addressPasswordIn(line),
  ].filter((start) => start >= 0);
  if (starts.length === 0) return { line, at: (unit) => unit };
  const start = Math.min(...starts);
  const hidden = `${line.slice(0, start)}${mask}`;
  return { line: hidden, at: (unit) => (unit <= start ? unit : hidden.length) };
}

/** Where an address says who asks, and with what password. */
function addressPasswordIn(line: string): number {
  const start = line.search(/:\/\/[^/\s@]*@/);
  return start < 0 ? start : start + '://'.length;
}

/** The part of a long line around what is meant. */
function windowOn(shown: Shown, from: number, to: number) {
  const width = shown.cells.at(-1) ?? 0;
  if (width <= mostCells) return { text: shown.text, from: 0, to: width, indent: 0 };
  const start = Math.max(0, Math.min(from - 30, width - mostCells));
  const end = Math.min(width, start + mostCells);
  const [before, after] = [start > 0 ? '…' : '', end < width ? '…' : ''];
  return {
    text: `${before}${cut(shown, start, end)}${after}`,
    from: start,
    to: Math.max(from + 1, Math.min(to, end)),
    indent: before.length,
  };
}
