// Where findings stand, as seen from the working directory, and which finding is which from one run to the next.
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Finding } from '../../core/model/finding.ts';
import { findingsOf, type Report } from '../report.ts';
import { consequenceGroups } from './plan-text.ts';
import { didYouMean } from './snippet.ts';

/** The folder of the tree relative to the working directory; nothing where the report is not about a tree that lies here. */
export function rootOf(report: Report): string | undefined {
  return report.type === 'check' || report.type === 'plan' ? report.root : undefined;
}

/** A file of the tree relative to the working directory; relative to its tree where nobody knows where that lies. */
export function fileFrom(root: string | undefined, file: string): string {
  return posix.join(root ?? '', file);
}

/** A finding with a name that stays the same when lines move: 32 hexadecimal digits, unique within the report. */
export interface NamedFinding {
  readonly finding: Finding;
  /** Its severity; `note` for what goes with a plan, which is nothing to mend. */
  readonly level: Finding['severity'] | 'note';
  readonly fingerprint: string;
}

/** The findings of a report in order, each with its fingerprint. Equal ones are told apart by counting. */
export function namedFindings(report: Report): readonly NamedFinding[] {
  const seen = new Map<string, number>();
  const told = findingsOf(report).map((finding) => ({ finding, level: finding.severity }));
  return [...told, ...notesOf(report)].map(({ finding, level }) => {
    const { rule, kind, name, path, message, source } = finding;
    // A message may name another place by its line, which moves.
    const words = message.replace(/:\d+(:\d+)?\b/g, '');
    const text = JSON.stringify([rule, source?.file, kind, name, path, words]);
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    return { finding, level, fingerprint: fingerprintOf(`${text}#${count}`) };
  });
}

/** What goes with the changes of a plan, for formats that show findings alone. */
function notesOf(report: Report): readonly Omit<NamedFinding, 'fingerprint'>[] {
  if (report.type !== 'plan') return [];
  return consequenceGroups(report.plan.consequences).map(({ action, text, reason }) => {
    const message = `${action} ${text}, because ${reason}`;
    return { finding: { rule: 'consequence', severity: 'warning', message }, level: 'note' };
  });
}

/** 32 hexadecimal digits that stand for a text. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The message, with what to write instead. */
export function messageOf({ message, suggestion }: Finding): string {
  return suggestion === undefined ? message : `${message} (${didYouMean(suggestion)})`;
}
