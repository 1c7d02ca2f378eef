// Markdown for people who review: the summary of a pull request, a merge request or a job.
import type { Condition } from '../../control/config-status.ts';
import type { Finding } from '../../core/model/finding.ts';
import type { PlannedChange } from '../../core/plan/plan-document.ts';
import { wantedAction } from '../../core/plan/wanted-action.ts';
import {
  type ChecksReport,
  countsOf,
  type DoctorReport,
  type ExplanationReport,
  findingsOf,
  type PlanReport,
  type Report,
} from '../report.ts';
import { fieldCount } from './deletion-text.ts';
import { verdictOf } from './doctor-text.ts';
import { amount } from './findings-text.ts';
import { code, prose } from './markdown-text.ts';
import { fileFrom, messageOf, rootOf } from './places.ts';
import { affectedText, consequenceGroups, planLine, shownFields, signs } from './plan-text.ts';
import { effects, headline } from './sso-text.ts';
import { storeVerdict } from './store-text.ts';
import { styleOf } from './style.ts';
import { fieldRows } from './value-diff.ts';

/** Renders a report; it begins with a comment by which a bot finds its own text again, and fits into one comment on GitHub. */
export function markdown(report: Report): string {
  return `${marker}\n${fitted([`### ${headOf(report)}\n`, ...sectionsOf(report)])}`;
}

const marker = '<!-- weir -->';

/** A comment on GitHub holds 65 536 characters. */
const mostCharacters = 60_000;

/** What fits, row by row, and how much does not. */
function fitted(rows: readonly string[]): string {
  let text = '';
  for (const [index, row] of rows.entries()) {
    if (text.length + row.length > mostCharacters)
      return `${text}\n… and ${amount(rows.length - index, 'more row')}: the other formats tell them all.\n`;
    text += row;
  }
  return text;
}

function headOf(report: Report): string {
  const { errors, warnings } = countsOf(findingsOf(report));
  const counted = `${amount(errors, 'error')}, ${amount(warnings, 'warning')}`;
  switch (report.type) {
    case 'check':
      return errors > 0
        ? `Weir: the tree is invalid, ${counted}`
        : `Weir: the tree is valid${warnings > 0 ? `, ${amount(warnings, 'warning')}` : ''}`;
    case 'plan':
      return `Weir: ${planHead(report, errors)}`;
    case 'refusal':
      return `Weir: the live state refuses this, ${amount(errors, 'error')}`;
    case 'status':
      return `Weir: ${report.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ? 'ready' : 'not ready'}`;
    case 'explanation':
      return `Weir: ${headline(report.explanation)}`;
    case 'checks':
      return `Weir: SsoConfig/${report.config} ${errors > 0 ? 'does not work' : 'works'}`;
    case 'store':
      return `Weir: the store is ${storeVerdict(report)}`;
    case 'doctor':
      return `Weir: ${verdictOf(report)}`;
    case 'problem':
      return 'Weir could not do this';
  }
}

function planHead(report: PlanReport, errors: number): string {
  const { plan, result } = report;
  if (errors > 0) return `the plan is refused, ${amount(errors, 'error')}`;
  if (result === 'planned') return plan.changes.length > 0 ? 'this would change the platform' : 'nothing would change';
  return result === 'applied' ? 'this was applied' : 'nothing was left to do';
}

function sectionsOf(report: Report): readonly string[] {
  const told = findingRows(findingsOf(report), rootOf(report));
  switch (report.type) {
    case 'check':
      return [...told, `\n${amount(report.documents, 'document')} in ${amount(report.files, 'file')}.\n`];
    case 'plan':
      return [...told, ...changeRows(report), `\n${prose(planLine(report))}\n`];
    case 'status':
      return [...told, ...conditionRows(report.status.conditions)];
    case 'refusal':
      return told;
    case 'explanation':
      return explainedRows(report.explanation);
    case 'checks':
      return checkRows(report.checks);
    case 'store':
      return findingRows(findingsOf(report), undefined);
    case 'doctor':
      return doctorRows(report.checks);
    case 'problem':
      return [`\n${report.message.split('\n').map(prose).join('<br>')}\n\n${code(report.code)}\n`];
  }
}

function findingRows(findings: readonly Finding[], root: string | undefined): readonly string[] {
  if (findings.length === 0) return [];
  const rows = findings.map((finding) => {
    const { severity, rule, source } = finding;
    const level = severity === 'error' ? '**error**' : 'warning';
    return row([level, code(rule), prose(messageOf(finding)), placeOf(source, root)]);
  });
  return [head(['', 'rule', 'what', 'where']), ...rows];
}

function changeRows({ plan: { changes, consequences, adopted = [] }, root, result }: PlanReport): readonly string[] {
  if (result === 'already') return [];
  if (changes.length + adopted.length === 0) return [];
  const taken = adopted.map(({ address, source }) =>
    row([code(signs.adopt[0]), `adopt ${code(address)}`, 'it is equal: nothing changes', '', placeOf(source, root)]),
  );
  return [
    head(['', 'object', 'fields', 'affects', 'where']),
    ...changes.map((change) => changeRow(change, root)),
    ...taken,
    ...consequenceGroups(consequences).map(({ action, text, reason }) =>
      row([code(signs[action][0]), `${action} ${code(text)}`, prose(`because ${reason}`), '', '']),
    ),
  ];
}

const plain = styleOf(false);
const mostFields = 20;

function changeRow(change: PlannedChange, root: string | undefined): string {
  const { action, kind, address, previousAddress, affects, source } = change;
  const wanted = wantedAction(change);
  if (wanted === 'delete') return deletionRow(change, root);
  const fields = shownFields(change);
  const shown = fields
    .slice(0, mostFields)
    .map((field) => fieldRows(field, { kind, action: wanted }, plain).map(code).join('<br>'));
  const more = fields.length > shown.length ? [`and ${amount(fields.length - shown.length, 'more field')}`] : [];
  const from = previousAddress === undefined ? '' : `${code(previousAddress)} → `;
  const words = `${action === 'blocked' ? '**blocked:** ' : ''}${wanted} ${from}${code(address)}`;
  const first = fields.find((field) => field.source !== undefined)?.source ?? source;
  const place = placeOf(wanted === 'create' ? source : first, root);
  return row([code(signs[action][0]), words, [...shown, ...more].join('<br>'), affectedText(affects), place]);
}

/** What goes is folded: it is looked at where something seems wrong. */
function deletionRow(change: PlannedChange, root: string | undefined): string {
  const { action, kind, address, affects, fields, previousSource } = change;
  const shown = fields
    .slice(0, mostFields)
    .map((field) => fieldRows(field, { kind, action: 'delete' }, plain).map(code).join('<br>'));
  const more = fields.length > shown.length ? [`and ${amount(fields.length - shown.length, 'more field')}`] : [];
  const inside = [...shown, ...more].join('<br>');
  const folded = `<details><summary>${fieldCount(change)}</summary>${inside}</details>`;
  const words = `${action === 'blocked' ? '**blocked:** ' : ''}delete ${code(address)}`;
  const place = previousSource ? `was ${placeOf(previousSource, root)}` : '';
  return row([code(signs[action][0]), words, fields.length > 0 ? folded : '', affectedText(affects), place]);
}

function conditionRows(conditions: readonly Condition[]): readonly string[] {
  const rows = conditions.map(({ type, status, reason, message }) =>
    row([code(type), status, prose(reason), prose(message)]),
  );
  return [head(['condition', '', 'reason', 'what']), ...rows];
}

function explainedRows({ reason, explanation }: ExplanationReport['explanation']): readonly string[] {
  if (reason !== undefined) return [`\n${prose(reason)}\n`];
  return [head(['', 'what']), ...explanation.map(({ effect, message }) => row([effects[effect], prose(message)]))];
}

function checkRows(checks: ChecksReport['checks']): readonly string[] {
  const rows = checks.map(({ ok, name, detail }) => row([ok ? 'ok' : '**error**', prose(name), prose(detail)]));
  return [head(['', 'check', 'what']), ...rows];
}

function doctorRows(checks: DoctorReport['checks']): readonly string[] {
  const levels = { fine: 'ok', note: 'note', lacking: 'warning', missing: '**error**' } as const;
  const rows = checks.map(({ name, state, purpose, detail, remedy }) =>
    row([levels[state], prose(name), prose(purpose), prose(detail), prose(remedy ?? '')]),
  );
  return [head(['', 'what', 'for', 'seen', 'to do']), ...rows];
}

function placeOf(source: { readonly file: string; readonly line: number } | undefined, root: string | undefined) {
  return source ? code(`${fileFrom(root, source.file)}:${source.line}`) : '';
}

/** A table begins with an empty line. */
function head(cells: readonly string[]): string {
  return `\n${row(cells)}${row(cells.map(() => '---'))}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}
