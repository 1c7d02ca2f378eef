// JUnit's XML, for CI servers that show tests: an error is a test that failed, whatever is fine is a test that passed.
import type { Finding } from '../../core/model/finding.ts';
import type { PlannedChange } from '../../core/plan/plan-document.ts';
import type { Report } from '../report.ts';
import { findingsOf } from '../report.ts';
import { escaped } from './escape.ts';
import { fileFrom, messageOf, rootOf } from './places.ts';
import { type ConsequenceGroup, consequenceGroups } from './plan-text.ts';

/** Renders a report as one test suite. */
export function junit(report: Report): string {
  const cases = casesOf(report);
  const count = (outcome: Outcome) => cases.filter((one) => one.outcome === outcome).length;
  const time = 'seconds' in report ? report.seconds.toFixed(3) : '0.000';
  const totals = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  const rows = cases.map(caseText).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="weir" ${totals} time="${time}">
  <testsuite name="${names[report.type]}" ${totals} skipped="0" time="${time}">
${rows}  </testsuite>
</testsuites>
`;
}

const names: Readonly<Record<Report['type'], string>> = {
  check: 'weir: the tree',
  plan: 'weir: the plan',
  status: 'weir: the status',
  refusal: 'weir: the live state',
  problem: 'weir: the command',
  explanation: 'weir: a sign-in',
  checks: 'weir: single sign-on',
  doctor: 'weir: the machine',
  store: 'weir: the store',
};

type Outcome = 'passed' | 'warning' | 'failure' | 'error';

interface Case {
  readonly className: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** A stable word: the rule, or the code of the problem. */
  readonly type?: string;
  readonly message?: string;
  readonly place?: string;
}

function casesOf(report: Report): readonly Case[] {
  if (report.type === 'problem') {
    const { code, message } = report;
    return [{ className: 'weir', name: code, outcome: 'error', type: code, message }];
  }
  const root = rootOf(report);
  const told = findingsOf(report).map((finding) => caseOf(finding, root));
  const fine = fineOf(report, root);
  return told.length + fine.length > 0
    ? [...told, ...fine]
    : [{ className: 'weir', name: 'there is nothing to tell', outcome: 'passed' }];
}

function caseOf(finding: Finding, root: string | undefined): Case {
  const { rule, severity, source } = finding;
  const file = source && fileFrom(root, source.file);
  return {
    className: file ?? 'weir',
    name: `${rule}: ${finding.message}`,
    outcome: severity === 'error' ? 'failure' : 'warning',
    type: rule,
    message: messageOf(finding),
    ...(source && file !== undefined ? { place: `${file}:${source.line}:${source.column}` } : {}),
  };
}

/** What passed: each file without a finding, or each change that nothing forbids. */
function fineOf(report: Report, root: string | undefined): readonly Case[] {
  if (report.type === 'plan')
    return [
      ...report.plan.changes.filter(({ action }) => action !== 'blocked').map((change) => changeCase(change, root)),
      ...consequenceGroups(report.plan.consequences).map(consequenceCase),
    ];
  if (report.type === 'checks')
    return report.checks
      .filter(({ ok }) => ok)
      .map(({ name, detail }) => ({ className: 'weir', name: `${name}: ${detail}`, outcome: 'passed' }));
  if (report.type === 'doctor')
    return report.checks
      .filter(({ state }) => state === 'fine' || state === 'note')
      .map(({ name, detail }) => ({ className: 'weir', name: `${name}: ${detail}`, outcome: 'passed' }));
  if (report.type !== 'check') return [];
  const spokenOf = new Set(report.findings.map(({ source }) => source?.file));
  const silent = [...report.texts.keys()].filter((file) => !spokenOf.has(file)).sort();
  return silent.map((file) => ({ className: fileFrom(root, file), name: 'is valid', outcome: 'passed' }));
}

function changeCase({ source, previousSource, action, address }: PlannedChange, root: string | undefined): Case {
  const place = source ?? previousSource;
  const className = place ? fileFrom(root, place.file) : 'weir';
  return { className, name: `${action} ${address}`, outcome: 'passed' };
}

function consequenceCase({ action, text, reason }: ConsequenceGroup): Case {
  return { className: 'weir', name: `${action} ${text}, because ${reason}`, outcome: 'passed' };
}

function caseText({ className, name, outcome, type = '', message = '', place }: Case): string {
  const head = `    <testcase classname="${xml(className)}" name="${xml(name)}" time="0"`;
  if (outcome === 'passed') return `${head}/>\n`;
  const body = xml(place === undefined ? message : `${message}\n  at ${place}`);
  const inner =
    outcome === 'warning'
      ? `<system-out>${body}</system-out>`
      : `<${outcome} type="${xml(type)}" message="${xml(message)}">${body}</${outcome}>`;
  return `${head}>${inner}</testcase>\n`;
}

/** Text for XML 1.0: of control characters it allows three, which attributes would turn into spaces, so all but line feeds are shown as escapes. */
function xml(text: string): string {
  const safe = text.split('\n').map(escaped).join('\n');
  return safe.replace(/[\ufffe\uffff]/g, '\ufffd').replace(/[&<>"'\n]/g, (character) => entities[character] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};
