// What a command has to say, whatever the format that it is printed in.
import type { ConfigStatus } from '../control/config-status.ts';
import type { SsoExplanation } from '../control/explain-sso.ts';
import type { Finding } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import type { Check } from '../sso/provider.ts';
import type { StoreChecked } from '../store/check.ts';
import { type Damage, damageWords } from '../store/damage.ts';
import type { Examined } from './examined.ts';

/** The texts of a tree by path, so that a finding can be shown in its line. */
export type Texts = ReadonlyMap<string, string>;

/** A tree was read: what is wrong with it. */
export interface CheckReport {
  readonly type: 'check';
  readonly findings: readonly Finding[];
  readonly files: number;
  readonly documents: number;
  readonly texts: Texts;
  /** The folder of the tree, relative to the working directory; nothing where the tree lies elsewhere. */
  readonly root: string | undefined;
  readonly seconds: number;
}

/** A plan was made, or carried out. */
export interface PlanReport {
  readonly type: 'plan';
  readonly plan: PlanDocument;
  /** `planned`: nothing was to be kept; `refused`: it was, and could not; `already`: a saved plan that had been applied before. */
  readonly result: 'planned' | 'refused' | 'applied' | 'unchanged' | 'already';
  readonly texts: Texts;
  readonly root: string | undefined;
  readonly seconds: number;
}

/** How the declared platform stands. */
export interface StatusReport {
  readonly type: 'status';
  readonly status: ConfigStatus;
  /** What was just done, in a line for people. */
  readonly told?: string;
}

/** The live state refuses something that is not a plan. */
export interface RefusalReport {
  readonly type: 'refusal';
  readonly findings: readonly Finding[];
}

/** Nothing came of it: no tree, no store, no server, a stale plan. The message may have several lines. */
export interface ProblemReport {
  readonly type: 'problem';
  readonly code: string;
  readonly message: string;
  /** Which objects moved since a plan was made. */
  readonly addresses?: readonly string[];
}

/** What a sign-in through single sign-on would do. */
export interface ExplanationReport {
  readonly type: 'explanation';
  readonly explanation: SsoExplanation;
}

/** What was looked at, one thing after another, to see whether a single sign-on configuration works. */
export interface ChecksReport {
  readonly type: 'checks';
  /** The name of the configuration. */
  readonly config: string;
  readonly checks: readonly Check[];
}

/** What a machine has and lacks. */
export interface DoctorReport {
  readonly type: 'doctor';
  readonly checks: readonly Examined[];
}

/** What all of a store was found to be. */
export interface StoreReport {
  readonly type: 'store';
  /** Its folder. */
  readonly store: string;
  readonly checked: StoreChecked;
}

export type Report =
  | CheckReport
  | PlanReport
  | StatusReport
  | RefusalReport
  | ProblemReport
  | ExplanationReport
  | ChecksReport
  | DoctorReport
  | StoreReport;

/** The findings of a report, in the order of the files; those without a place come last. */
export function findingsOf(report: Report): readonly Finding[] {
  if (report.type === 'check' || report.type === 'refusal') return inOrder(report.findings);
  if (report.type === 'plan') return withOthers(inOrder(report.plan.findings), report.plan.findingsTotal);
  if (report.type === 'checks') return report.checks.filter(({ ok }) => !ok).map((check) => failureOf(report, check));
  if (report.type === 'doctor') return report.checks.flatMap(lackOf);
  if (report.type === 'store') return report.checked.damage.map(damageOf);
  return report.type === 'status' ? withOthers(inOrder(report.status.findings), report.status.findingsTotal) : [];
}

/** Findings, and how many more there are where a server has not told all of them. */
export function withOthers(findings: readonly Finding[], total = findings.length): readonly Finding[] {
  const last = findings.at(-1);
  if (last === undefined || total <= findings.length) return findings;
  // Errors are told first: where a warning is told, all others are warnings.
  const severity = findings.some((one) => one.severity === 'warning') ? 'warning' : 'error';
  const message = `there are ${total} findings, of which the server tells ${findings.length}: mend these first`;
  return [...findings, { rule: last.rule, severity, message }];
}

function failureOf({ config: name }: ChecksReport, check: Check): Finding {
  const message = `SsoConfig/${name}: ${check.name}: ${check.detail}`;
  return { rule: 'sso-test', severity: 'error', message, kind: 'SsoConfig', name };
}

function lackOf({ name, state, detail, remedy }: Examined): Finding[] {
  if (state === 'fine' || state === 'note') return [];
  const message = `${name}: ${detail}${remedy === undefined ? '' : `: ${remedy}`}`;
  return [{ rule: 'doctor', severity: state === 'missing' ? 'error' : 'warning', message }];
}

function damageOf(damage: Damage): Finding {
  return { rule: 'store', severity: 'error', message: damageWords(damage) };
}

/** Whether the declared platform is known not to be as it is declared. */
export function isNotReady({ conditions }: ConfigStatus): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'False');
}

/** Whether a report tells of nothing that is wrong. */
export function isWell(report: Report): boolean {
  if (report.type === 'problem' || report.type === 'refusal') return false;
  if (report.type === 'status' && isNotReady(report.status)) return false;
  return countsOf(findingsOf(report)).errors === 0;
}

/** Findings by file, line and column; those without a place come last, as they were found. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => {
    if (!a.source || !b.source) return Number(a.source === undefined) - Number(b.source === undefined);
    const files = a.source.file === b.source.file ? 0 : a.source.file < b.source.file ? -1 : 1;
    return files || a.source.line - b.source.line || a.source.column - b.source.column;
  });
}

/** How many of the findings are errors, and how many warnings. */
export function countsOf(findings: readonly Finding[]): { readonly errors: number; readonly warnings: number } {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}
