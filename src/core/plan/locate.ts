// Adds to a finding the place in the document that it speaks of.
import type { Finding } from '../model/finding.ts';
import type { Desired } from './desired.ts';

/** The finding with its source, where a document declares what it speaks of and no rule has placed it already. */
export function located(finding: Finding, desired: ReadonlyMap<string, Desired>): Finding {
  if (finding.source || finding.kind === undefined) return finding;
  const document = desired.get(`${finding.kind}/${finding.name ?? ''}`)?.document;
  if (!document) return finding;
  const path = finding.path || '/metadata/name';
  return { ...finding, source: document.locate(path, 'value') };
}
