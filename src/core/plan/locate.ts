// Where in its document stands what a finding or a field speaks of.
import type { Document } from '../model/document.ts';
import type { Finding, Source } from '../model/finding.ts';
import { stepsOf } from '../model/pointer.ts';
import { planGuards } from '../rules/plan-guards.ts';
import type { Desired } from './desired.ts';

/** The finding with its source, where a document declares what it speaks of and no rule has placed it already. */
export function located(finding: Finding, desired: ReadonlyMap<string, Desired>): Finding {
  if (finding.source || finding.kind === undefined) return finding;
  const document = desired.get(`${finding.kind}/${finding.name ?? ''}`)?.document;
  if (!document) return finding;
  // A guard is read from the applied state: no line of the tree is to blame.
  if (planGuards.has(finding.rule)) return finding;
  const path = finding.path || '/metadata/name';
  return { ...finding, source: document.locate(path, 'value') };
}

/** Where a document sets a field: a scalar's value, or the key of a mapping or list. Nothing where it does not. */
export function placeOf(document: Document, path: string): Source | undefined {
  const value = stepsOf(path).reduce(fieldOf, document.value);
  if (value === undefined) return undefined;
  return document.locate(path, typeof value === 'object' && value !== null ? 'key' : 'value');
}

function fieldOf(value: unknown, step: string): unknown {
  const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
  return holds ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
}
