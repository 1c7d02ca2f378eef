// What is wrong (or worth knowing), told once for people and for machines.

/** Where something stands: `file` relative to the tree; lines and columns from 1, columns in UTF-16 units, end exclusive. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** One problem. `message` reads `Kind/name: what cannot be, because what`; `path` is a JSON Pointer into the object. */
export interface Finding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly kind?: string;
  readonly name?: string;
  readonly path?: string;
  readonly source?: Source;
  /** What to write instead ("did you mean"), without quotes. */
  readonly suggestion?: string;
  /** The text at `source` may hold a secret: a screen masks it. */
  readonly sensitive?: true;
}

/** Whether any of the findings refuses. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}

/** How many findings are told at once, and kept: whoever has more mends these first. */
export const maxFindings = 100;

/** The findings to tell, errors first; `findingsTotal` is how many there are where that is more. */
export function firstFindings(findings: readonly Finding[]): {
  readonly findings: readonly Finding[];
  readonly findingsTotal?: number;
} {
  if (findings.length <= maxFindings) return { findings };
  const first: Finding[] = [];
  for (const severity of ['error', 'warning'] as const)
    for (const finding of findings)
      if (first.length < maxFindings && finding.severity === severity) first.push(finding);
  return { findings: first, findingsTotal: findings.length };
}
