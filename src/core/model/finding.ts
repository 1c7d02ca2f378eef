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
