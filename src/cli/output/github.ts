// Workflow commands that GitHub Actions shows at the lines of a pull request.
import { hasErrors, type Source } from '../../core/model/finding.ts';
import type { PlannedChange } from '../../core/plan/plan-document.ts';
import { wantedAction } from '../../core/plan/wanted-action.ts';
import { findingsOf, type Report } from '../report.ts';
import { fieldCount, formerPlace } from './deletion-text.ts';
import { escaped } from './escape.ts';
import { fileFrom, messageOf, rootOf } from './places.ts';
import { affectedText, consequenceGroups, shownFields, titleOf } from './plan-text.ts';
import { styleOf } from './style.ts';
import { fieldRows } from './value-diff.ts';

/** Renders the findings of a report, what a plan would change, or the problem, one annotation a line. */
export function github(report: Report): string {
  const annotations = report.type === 'problem' ? [problemOf(report)] : [...findingsIn(report), ...changesIn(report)];
  return annotations.map((annotation) => `${commandOf(annotation)}\n`).join('');
}

interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string;
  readonly source?: Source;
}

function problemOf({ code, message }: { readonly code: string; readonly message: string }): Annotation {
  return { level: 'error', title: code, message };
}

function findingsIn(report: Report): readonly Annotation[] {
  const root = rootOf(report);
  return findingsOf(report).map((finding) => {
    const { rule, severity, source } = finding;
    return { level: severity, title: rule, ...placed(root, source, messageOf(finding)) };
  });
}

/** What would change, at the first line that changes it; where errors stand, they alone. */
function changesIn(report: Report): readonly Annotation[] {
  if (report.type !== 'plan' || report.result === 'already' || hasErrors(report.plan.findings)) return [];
  const { root, plan } = report;
  const following = consequenceGroups(plan.consequences).map(({ action, text, reason }): Annotation => {
    return { level: 'notice', title: `${action} ${text}`, message: `because ${reason}` };
  });
  const changed = plan.changes.map((change): Annotation => {
    const source = shownFields(change).find((field) => field.source !== undefined)?.source ?? change.source;
    const title = titleOf(change, wantedAction(change));
    return { level: 'notice', title, ...placed(root, source, changeText(change)) };
  });
  return [...changed, ...following];
}

const plain = styleOf(false);

function changeText(change: PlannedChange): string {
  const action = wantedAction(change);
  const fields = shownFields(change).flatMap((field) => fieldRows(field, { kind: change.kind, action }, plain));
  const affected = affectedText(change.affects);
  const rows = [...(affected === '' ? [] : [`affects ${affected}`]), ...fields];
  const former = formerPlace(change);
  const was = former === undefined ? [] : [`was ${former} (${fieldCount(change)})`];
  return rows.length + was.length > 0 ? [...rows, ...was].join('\n') : titleOf(change, action);
}

/** A tree that lies elsewhere has no file here to annotate: its place goes into the words. */
function placed(
  root: string | undefined,
  source: Source | undefined,
  message: string,
): Pick<Annotation, 'file' | 'source' | 'message'> {
  if (!source) return { message };
  if (root === undefined) return { message: `${message} (${source.file}:${source.line})` };
  return { message, source, file: fileFrom(root, source.file) };
}

function commandOf({ level, title, message, file, source }: Annotation): string {
  const place =
    source && file !== undefined
      ? `file=${property(file)},line=${source.line},endLine=${source.endLine},col=${source.column},endColumn=${source.endColumn},`
      : '';
  return `::${level} ${place}title=${property(title)}::${data(message)}`;
}

/** What would end the line or the command is percent-encoded, as GitHub's own toolkit does. */
function data(text: string): string {
  const safe = text.split(/([\r\n])/).map((part) => (part === '\r' || part === '\n' ? part : escaped(part)));
  return safe.join('').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
