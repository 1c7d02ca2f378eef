// What is wrong with the spec of a declared object that was sent: in the words that its document would get.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import type { Document } from '../model/document.ts';
import { type Finding, maxFindings } from '../model/finding.ts';
import { problemsOf } from '../model/request-problems.ts';
import type { SpecSubject } from '../model/spec-subject.ts';
import type { Subject } from './desired.ts';
import { findingOf, secretDepth } from './issues.ts';
import { repeatedItems } from './repeated-items.ts';

/** One finding of rule `schema` for each thing that is wrong. Over the API a secret may be written out, so what is said of those is the API's. */
export function specProblemsOf({ kind, name, written }: SpecSubject, issues: readonly z.core.$ZodIssue[]): Finding[] {
  const at: Subject = { document: asDocument(written), kind, name, language: 'json' };
  const { spec } = kindOf(kind);
  const found = issues.flatMap((issue, index) => {
    const path = issue.path.slice(1) as (string | number)[];
    // What is not shown is counted, and needs no words of its own.
    const isTold = index <= maxFindings && secretDepth(spec, path) === undefined;
    return isTold ? findingOf(at, spec, { ...issue, path }, written, ['spec']) : problemsOf([issue]);
  });
  const places = new Set(found.map(({ path }) => path));
  const repeated = found.length > maxFindings ? [] : repeatedItems(at, written);
  return [...found, ...repeated.filter(({ path }) => !places.has(path))].map(({ source: _, ...finding }) => finding);
}

function asDocument(spec: unknown): Document {
  const nowhere = { file: '', line: 1, column: 1, endLine: 1, endColumn: 1 };
  return { file: '', value: { spec }, locate: () => nowhere, raw: () => undefined };
}
