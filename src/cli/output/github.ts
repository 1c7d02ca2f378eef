// Workflow commands that GitHub Actions shows at the lines of a pull request.
import { posix } from 'node:path';
import type { Finding } from '../../core/model/finding.ts';
import type { Report } from '../report.ts';
import { findingsOf } from '../report.ts';
import { escaped } from './escape.ts';

/** Renders the findings of a report, or the problem, one annotation a line. */
export function github(report: Report): string {
  if (report.type === 'problem') return `::error title=${property(report.code)}::${data(report.message)}\n`;
  const root = report.type === 'check' || report.type === 'plan' ? report.root : '';
  return findingsOf(report)
    .map((finding) => `${annotation(finding, root)}\n`)
    .join('');
}

/** `root` is the folder of the tree relative to the working directory, where annotated paths begin. */
function annotation({ rule, severity, message, source, suggestion }: Finding, root: string): string {
  const place = source
    ? `file=${property(posix.join(root, source.file))},line=${source.line},endLine=${source.endLine},col=${source.column},endColumn=${source.endColumn},`
    : '';
  const advice = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return `::${severity} ${place}title=${property(rule)}::${data(`${message}${advice}`)}`;
}

/** What would end the line or the command is percent-encoded, as GitHub's own toolkit does. */
function data(text: string): string {
  const safe = text.split(/([\r\n])/).map((part) => (part === '\r' || part === '\n' ? part : escaped(part)));
  return safe.join('').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
