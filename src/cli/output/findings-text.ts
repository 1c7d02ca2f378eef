// Findings for people, each with its place and its line.
import type { Finding } from '../../core/model/finding.ts';
import { countsOf, type Texts } from '../report.ts';
import { escaped } from './escape.ts';
import { didYouMean, snippet } from './snippet.ts';
import type { Style } from './style.ts';

/** Findings one after another, with an empty line between them. */
export function findingsText(findings: readonly Finding[], texts: Texts, style: Style): string {
  return findings.map((finding) => findingText(finding, texts, style)).join('\n');
}

function findingText(finding: Finding, texts: Texts, style: Style): string {
  const { rule, severity, message, source, suggestion } = finding;
  const head = `${style(severity, `${severity}[${rule}]`)} ${style('strong', escaped(message))}`;
  if (!source) return lines([head, ...(suggestion === undefined ? [] : [`  ${didYouMean(suggestion)}`])]);
  const gutter = ' '.repeat(String(source.line).length);
  const place = `${gutter}${style('place', '-->')} ${escaped(source.file)}:${source.line}:${source.column}`;
  const rows = snippet(finding, texts.get(source.file), style);
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
