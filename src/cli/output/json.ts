// The format for programs: one JSON value and a line feed.
import type { Report } from '../report.ts';
import { countsOf, findingsOf } from '../report.ts';
import { safeJson } from './escape.ts';
import type { Surface } from './surface.ts';

/** Renders a report as JSON, on one line where reports follow one another. */
export function json(report: Report, { lines = false }: Pick<Surface, 'lines'>): string {
  return `${safeJson(contentOf(report), lines ? 0 : 2)}\n`;
}

function contentOf(report: Report): unknown {
  const findings = findingsOf(report);
  const counts = countsOf(findings);
  switch (report.type) {
    case 'check':
      return { valid: counts.errors === 0, ...counts, files: report.files, documents: report.documents, findings };
    case 'plan':
      return report.result === 'planned' ? report.plan : { ...report.plan, result: report.result };
    case 'status':
      return report.status;
    case 'explanation':
      return report.explanation;
    case 'checks':
      return { config: report.config, ok: counts.errors === 0, checks: report.checks };
    case 'store':
      return { store: report.store, ok: counts.errors === 0, ...report.checked };
    case 'doctor':
      return { ok: counts.errors === 0, ...counts, checks: report.checks };
    case 'refusal':
      return { error: { code: 'rule_violated', message: findings.map(({ message }) => message).join('; ') }, findings };
    case 'problem':
      return {
        error: {
          code: report.code,
          message: report.message,
          ...(report.addresses ? { addresses: report.addresses } : {}),
        },
      };
  }
}
