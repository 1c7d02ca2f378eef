// Findings for people, each with its place and its line.
import type { Finding } from '../../core/model/finding.ts';
import { countsOf, type Texts } from '../report.ts';
import { escaped } from './escape.ts';
import { didYouMean, snippet } from './snippet.ts';
import type { Style } from './style.ts';

/** Findings one after another, with an empty line between them. */
export function findingsText(findings: readonly Finding[], texts: Texts, style: Style): string {
  const linesOf = lineReader(texts);
  return findings.map((finding) => findingText(finding, linesOf, style)).join('\n');
}

type LinesOf = (file: string) => readonly string[] | undefined;

/** A text is split once, however many findings speak of it. */
function lineReader(texts: Texts): LinesOf {
  const known = new Map<string, readonly string[] | undefined>();
  return (file) => {
    if (!known.has(file)) known.set(file, texts.get(file)?.split('\n'));
    return known.get(file);
  };
}

function findingText(finding: Finding, linesOf: LinesOf, style: Style): string {
  const { rule, severity, message, source, suggestion } = finding;
  const head = `${style(severity, `${severity}[${rule}]`)} ${style('strong', escaped(message))}`;
  if (!source) return lines([head, ...(suggestion === undefined ? [] : [`  ${didYouMean(suggestion)}`])]);
  const gutter = ' '.repeat(String(source.line).length);
  const place = `${gutter}${style('place', '-->')} ${escaped(source.file)}:${source.line}:${source.column}`;
  const rows = snippet(finding, linesOf(source.file), style);
  const advice = rows.length === 0 && suggestion !== undefined ? [`${gutter}    ${didYouMean(suggestion)}`] : [];
  return lines([head, place, ...rows, ...advice]);
}

/** `1 error, 0 warnings in 12 files (0.06 s)`. */
export function summaryLine(findings: readonly Finding[], files: number, seconds: number): string {
  const { errors, warnings } = countsOf(findings);
  return `${amount(errors, 'error')}, ${amount(warnings, 'warning')} in ${amount(files, 'file')} (${seconds.toFixed(2)} s)`;
}

/** `1 file`, `2 files`. */
export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Lines with their ends. */
export function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}
