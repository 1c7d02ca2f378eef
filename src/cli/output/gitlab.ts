// GitLab's Code Quality report: one JSON list of findings.
import type { Report } from '../report.ts';
import { escaped, safeJson } from './escape.ts';
import { fileFrom, fingerprintOf, messageOf, namedFindings, rootOf } from './places.ts';

/** Renders a report for the widget of a merge request. A finding without a place stands at the root manifest, because GitLab wants one. */
export function gitlab(report: Report): string {
  return `${safeJson(entriesOf(report), 2)}\n`;
}

const manifest = 'weir.yaml';

function entriesOf(report: Report) {
  const root = rootOf(report);
  // An empty list would read as if all were well.
  if (report.type === 'problem') {
    const { code, message } = report;
    return [entry({ rule: code, message, severity: 'blocker', fingerprint: fingerprintOf(code), path: manifest })];
  }
  return namedFindings(report).map(({ finding, level, fingerprint }) => {
    const { rule, source } = finding;
    const path = fileFrom(root, source?.file ?? manifest);
    const lines = source && { begin: source.line, end: source.endLine };
    return entry({ rule, message: messageOf(finding), severity: grades[level], fingerprint, path, lines });
  });
}

const grades = { error: 'critical', warning: 'minor', note: 'info' } as const;

interface Entry {
  readonly rule: string;
  readonly message: string;
  readonly severity: 'info' | 'minor' | 'critical' | 'blocker';
  readonly fingerprint: string;
  readonly path: string;
  readonly lines?: { readonly begin: number; readonly end: number } | undefined;
}

function entry({ rule, message, severity, fingerprint, path, lines = { begin: 1, end: 1 } }: Entry) {
  return {
    type: 'issue',
    check_name: rule,
    description: escaped(message),
    categories: ['Bug Risk'],
    severity,
    fingerprint,
    location: { path, lines },
  };
}
