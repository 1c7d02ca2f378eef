// SARIF 2.1.0 (OASIS), for code scanning: findings as results, a problem as a notification of a run that failed.
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding, Source } from '../../core/model/finding.ts';
import type { Report } from '../report.ts';
import { escaped, safeJson } from './escape.ts';
import { fileFrom, messageOf, namedFindings, rootOf } from './places.ts';
import { helpFor } from './rule-help.ts';
import type { Surface } from './surface.ts';

/** Renders a report as a SARIF log with one run. */
export function sarif(report: Report, surface: Surface): string {
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [runOf(report, surface)],
  };
  return `${safeJson(log, 2)}\n`;
}

function runOf(report: Report, surface: Surface) {
  const named = namedFindings(report);
  const ids = [...new Set(named.map(({ finding }) => finding.rule))].sort();
  const place = placer(rootOf(report), surface);
  const results = named.map(({ finding, level, fingerprint }) => ({
    ruleId: finding.rule,
    ruleIndex: ids.indexOf(finding.rule),
    level,
    message: { text: escaped(messageOf(finding)) },
    locations: [{ ...physicalOf(finding.source, place), ...logicalOf(finding) }],
    partialFingerprints: { 'weirFinding/v1': fingerprint },
  }));
  return {
    tool: { driver: driverOf(ids, named, surface) },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: rootOf(report) === undefined ? { TREE } : { '%SRCROOT%': SRCROOT },
    invocations: [invocationOf(report)],
    results,
  };
}

// They have no address: whoever reads the log knows where its checkout lies.
const SRCROOT = { description: { text: 'The working directory of the command.' } };
const TREE = { description: { text: 'The folder of a tree that lies elsewhere, such as that of a server.' } };

function driverOf(ids: readonly string[], named: ReturnType<typeof namedFindings>, { version }: Surface) {
  const rules = ids.map((id) => {
    const { about, help } = helpFor(id);
    const levels = new Set(named.flatMap(({ finding, level }) => (finding.rule === id ? [level] : [])));
    return {
      id,
      // A name that differs from its id by a capital alone tells nobody anything.
      ...(id.includes('-') ? { name: pascal(id) } : {}),
      shortDescription: { text: about },
      fullDescription: { text: about },
      help: { text: `${about} ${help}`, markdown: `${about}\n\n${help}` },
      defaultConfiguration: { level: grades.find((grade) => levels.has(grade)) ?? 'warning' },
    };
  });
  return { name: 'Weir', semanticVersion: version, rules };
}

const grades = ['error', 'warning', 'note'] as const;

/** `stack-in-use` → `StackInUse`. */
function pascal(id: string): string {
  return id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function invocationOf(report: Report) {
  if (report.type !== 'problem') return { executionSuccessful: true };
  const message = { text: escaped(report.message) };
  return {
    executionSuccessful: false,
    toolExecutionNotifications: [{ descriptor: { id: report.code }, level: 'error', message }],
  };
}

type Place = (file: string) => { readonly uri: string; readonly uriBaseId?: string };

/** Where a file lies: below the working directory, beside it (then by its whole address), or in a tree elsewhere. */
function placer(root: string | undefined, { cwd }: Surface): Place {
  if (root === undefined) return (file) => ({ uri: encoded(file), uriBaseId: 'TREE' });
  const outside = root === '..' || root.startsWith('../') || isAbsolute(root);
  if (outside) return (file) => ({ uri: pathToFileURL(resolve(cwd, root, file)).href });
  return (file) => ({ uri: encoded(fileFrom(root, file)), uriBaseId: '%SRCROOT%' });
}

function encoded(path: string): string {
  return path
    .split('/')
    .map((step) => encodeURIComponent(step.toWellFormed()))
    .join('/');
}

function physicalOf(source: Source | undefined, place: Place) {
  if (!source) return {};
  const { file, line, column, endLine, endColumn } = source;
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  return { physicalLocation: { artifactLocation: place(file), region } };
}

function logicalOf({ kind, name, path }: Finding) {
  if (kind === undefined || name === undefined) return {};
  const fullyQualifiedName = escaped(`${kind}/${name}${path ?? ''}`);
  return { logicalLocations: [{ name: escaped(name), fullyQualifiedName, kind: 'object' }] };
}
