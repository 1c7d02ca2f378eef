// The format for people.
import type { PlanReport, Report, StatusReport } from '../report.ts';
import { countsOf, findingsOf } from '../report.ts';
import { doctorText } from './doctor-text.ts';
import { escaped } from './escape.ts';
import { amount, findingsText, lines, summaryLine } from './findings-text.ts';
import { changesText, planLine } from './plan-text.ts';
import { checksText, explanationText } from './sso-text.ts';
import { storeText } from './store-text.ts';
import { type Style, styleOf } from './style.ts';
import type { Surface } from './surface.ts';

/** Renders a report for people; empty for a problem, which stands on stderr already. */
export function human(report: Report, look: Pick<Surface, 'colours' | 'lines' | 'planShown'>): string {
  const style = styleOf(look.colours);
  const findings = findingsOf(report);
  if (report.type === 'check')
    return `${findingsText(findings, report.texts, style)}${summaryLine(findings, report.files, report.seconds)}\n`;
  if (report.type === 'refusal') return findingsText(findings, new Map(), style);
  if (report.type === 'plan') return planText(report, style, look.planShown);
  if (report.type === 'explanation') return explanationText(report, style);
  if (report.type === 'checks') return checksText(report, style);
  if (report.type === 'doctor') return doctorText(report, style);
  if (report.type === 'store') return storeText(report, style);
  if (report.type !== 'status') return '';
  return look.lines ? statusLine(report) : statusText(report, style);
}

function planText(report: PlanReport, style: Style, isShown = false): string {
  if (isShown && report.result === 'applied') return `${style('strong', planLine(report))}\n`;
  const { plan, texts, seconds } = report;
  const findings = findingsOf(report);
  const told =
    findings.length === 0
      ? ''
      : `${findingsText(findings, texts, style)}${summaryLine(findings, plan.source.files, seconds)}\n\n`;
  const changes = report.result === 'already' ? '' : changesText(plan, style);
  return `${changes}${told}${style('strong', planLine(report))}\n`;
}

/** The status in one line, for who reads one after another. */
function statusLine({ status }: StatusReport): string {
  const { revision, conditions, findings, lastAttemptedAt } = status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  const others = conditions.filter(({ type }) => type !== 'Ready').map(({ type, status: holds }) => `${type}=${holds}`);
  const { errors, warnings } = countsOf(findings);
  const words = [
    lastAttemptedAt ?? '-',
    `Ready=${ready?.status ?? 'Unknown'}`,
    ...others,
    `applied=${revision.applied?.slice(0, 12) ?? '-'}`,
    `attempted=${revision.attempted?.slice(0, 12) ?? '-'}`,
    `errors=${errors}`,
    `warnings=${warnings}`,
  ];
  return `${words.join(' ')} ${escaped(`${ready?.reason ?? '-'}: ${ready?.message ?? '-'}`)}\n`;
}

function statusText({ status, told: done }: StatusReport, style: Style): string {
  const { revision, conditions, findings, inventory, lastAppliedAt, lastAttemptedAt } = status;
  const rows = [
    `applied    ${revision.applied === null ? 'nothing yet' : `${revision.applied.slice(0, 12)} at ${lastAppliedAt}`}${commitOf(status)}`,
    `attempted  ${revision.attempted === null ? 'nothing yet' : `${revision.attempted.slice(0, 12)} at ${lastAttemptedAt}`}`,
    `declared   ${amount(inventory.count, 'object')}`,
  ];
  const width = Math.max(0, ...conditions.map(({ type }) => type.length));
  const told = conditions.map(
    ({ type, status: holds, reason, message }) =>
      `${style('strong', type.padEnd(width))}  ${holds.padEnd(7)}  ${escaped(reason)}: ${escaped(message)}`,
  );
  const { errors, warnings } = countsOf(findings);
  const counted =
    findings.length === 0 ? [] : [`${amount(errors, 'error')}, ${amount(warnings, 'warning')} in the last attempt`];
  const below =
    findings.length === 0 ? '' : `\n${findingsText(findingsOf({ type: 'status', status }), new Map(), style)}`;
  const head = done === undefined ? '' : `${style('strong', escaped(done))}\n\n`;
  return `${head}${lines(rows)}\n${lines(told)}${below}${lines(counted)}`;
}

/** `, commit 9a01159b93fd (dirty)` where the tree stood in git; dirty: files differed from the commit. */
function commitOf({ commit, dirty }: StatusReport['status']): string {
  return commit === undefined ? '' : `, commit ${escaped(commit.slice(0, 12))}${dirty === true ? ' (dirty)' : ''}`;
}
