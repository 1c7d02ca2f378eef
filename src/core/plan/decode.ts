// From a document to what it wants: checked against its kind, with defaults, and every problem at its place.
import type { z } from 'zod';
import { type Envelope, envelope } from '../kinds/envelope.ts';
import { type DeclaredKindName, declaredKindNames, isDeclaredKind, kindOf, type SpecOf } from '../kinds/index.ts';
import { publicFilesOf } from '../kinds/public-files.ts';
import type { Document } from '../model/document.ts';
import type { Finding } from '../model/finding.ts';
import { isRecord } from '../model/is-record.ts';
import { pointer, stepsOf } from '../model/pointer.ts';
import { suggest } from '../model/suggest.ts';
import type { Decoded, Desired, FileReader, Subject } from './desired.ts';
import { findingIn, type Path, shownValue } from './finding-in.ts';
import { ignoreProblems } from './ignored-fields.ts';
import { findingOf, missingIn } from './issues.ts';
import { literalSecrets } from './literal-secrets.ts';
import { notFollowing, withMeantParts } from './misspelt.ts';
import { numberForms } from './number-forms.ts';
import { repeatedItems } from './repeated-items.ts';
import { salvage } from './salvage.ts';

/** Decodes one document. */
export function decode(written: Document, readPublicFile: FileReader): Decoded {
  const outer = envelopeOf(written);
  const document = outer.success ? written : withMeantParts(written);
  const kind = isRecord(document.value) ? document.value['kind'] : undefined;
  const name = nameIn(document.value);
  if (!isDeclaredKind(kind)) return { ...tried('*', name), findings: [unknownKind(document, kind)] };
  const at = { document, kind, name };
  const { value, findings } = withFiles(at, readPublicFile);
  const spec = kindOf(kind).spec.safeParse(specIn(value) ?? {});
  const problems = [
    ...findings,
    ...(outer.error ? issuesOf({ ...at, document: written }, envelope, outer.error, written.value, []) : []),
    ...hiddenLabels(at),
    ...(spec.error ? specProblems(at, spec.error, specIn(value)) : []),
    ...otherForms(at, spec.error, specIn(value)),
    ...wrongSingleton(at),
    ...literalSecrets(at, specIn(value)),
    ...(outer.data ? ignoreProblems(at, outer.data.lifecycle.ignore) : []),
  ];
  if (problems.length === 0 && outer.data && spec.data)
    return { ...tried(kind, name), desired: desiredOf(document, outer.data, spec.data), findings: [] };
  const unread = findings.map(({ path }) => stepsOf(path ?? '').slice(1, -1));
  const salvaged = salvage(at, specIn(value), unread);
  const lacks = spec.error ? missingIn(spec.error, specIn(value) ?? {}, ['spec']) : [];
  const told = { findings: fewOf(at, problems.sort(byPlace)), ...(lacks.length > 0 ? { lacks } : {}) };
  const wrong = { ...tried(kind, kindOf(kind).singleton ?? name), ...told };
  return salvaged ? { ...wrong, salvaged } : wrong;
}

/** What a document tried to declare, as far as that can be told. */
function tried(kind: string, name: string | undefined): { readonly address?: string } {
  return name === undefined ? {} : { address: `${kind}/${name}` };
}

function byPlace({ source: a }: Finding, { source: b }: Finding): number {
  return a && b ? a.line - b.line || a.column - b.column : 0;
}

/** A list of a million wrong items is one mistake. */
function fewOf(at: Subject, problems: readonly Finding[]): readonly Finding[] {
  if (problems.length <= mostFindings) return problems;
  const { kind, name } = at;
  const message = `${kind}/${name ?? '?'}: there are more problems in this document than are told`;
  const source = at.document.locate('', 'value');
  return [...problems.slice(0, mostFindings), { rule: 'schema', severity: 'error', message, kind, source }];
}

const mostFindings = 100;

function envelopeOf(document: Document): z.ZodSafeParseResult<Envelope> {
  return envelope.safeParse(document.value);
}

function desiredOf(document: Document, outer: Envelope, spec: unknown): Desired {
  const { kind, metadata, lifecycle } = outer;
  const desired = { kind, name: metadata.name, previousNames: metadata.previousNames, labels: metadata.labels };
  const { file, line } = document.locate('/kind', 'key');
  return { ...desired, lifecycle, spec: spec as SpecOf<DeclaredKindName>, document, source: { file, line } };
}

function unknownKind(document: Document, kind: unknown): Finding {
  const base = { rule: 'schema', severity: 'error' } as const;
  if (!isRecord(document.value))
    return { ...base, message: 'this document is not a mapping: it has no kind', source: document.locate('', 'value') };
  if (kind === undefined || kind === null)
    return {
      ...base,
      message: `kind is missing: write one of ${declaredKindNames.join(', ')}`,
      path: '/kind',
      source: document.locate('', 'value'),
    };
  const nearest = typeof kind === 'string' ? suggest(kind, declaredKindNames) : undefined;
  const message = `kind cannot be ${shownValue(kind)}, because Weir knows no such kind: write one of ${declaredKindNames.join(', ')}`;
  const source = document.locate('/kind', 'value');
  return { ...base, message, path: '/kind', source, ...(nearest === undefined ? {} : { suggestion: nearest }) };
}

function wrongSingleton(at: Subject): Finding[] {
  const { kind, name } = at;
  const only = kindOf(kind).singleton;
  if (only === undefined || name === undefined || name === only) return [];
  const what = `metadata.name cannot be ${name}, because there is one ${kind} only, and it is called "${only}"`;
  return [findingIn(at, ['metadata', 'name'], 'value', what, only)];
}

function issuesOf(
  at: Subject,
  schema: z.core.$ZodType,
  error: z.ZodError,
  value: unknown,
  base: readonly string[],
): Finding[] {
  // One more than are told, so that it shows that there are more.
  const issues = notFollowing(schema, error.issues.slice(0, mostFindings + 1), value);
  return issues.flatMap((issue) => findingOf(at, schema, issue, value, base));
}

/** What the schema says, and what it does not come to say where a list is wrong in other ways too. */
function specProblems(at: Subject, error: z.ZodError, spec: unknown): Finding[] {
  const found = issuesOf(at, kindOf(at.kind).spec, error, spec, ['spec']);
  const places = new Set(found.map(({ path }) => path));
  return found.length > mostFindings
    ? found
    : [...found, ...repeatedItems(at, spec).filter(({ path }) => !places.has(path))];
}

/** A number of another type than it must be is told once. */
function otherForms(at: Subject, error: z.ZodError | undefined, spec: unknown): Finding[] {
  const wrongTypes = (error?.issues ?? []).filter(({ code }) => code === 'invalid_type');
  const wrong = new Set(wrongTypes.map(({ path }) => pointer('spec', ...(path as Path))));
  return numberForms(at, spec).filter(({ path }) => !wrong.has(path ?? ''));
}

/** The schema passes over a label of this name. */
function hiddenLabels(at: Subject): Finding[] {
  const metadata = isRecord(at.document.value) ? at.document.value['metadata'] : undefined;
  const labels = isRecord(metadata) ? metadata['labels'] : undefined;
  if (!isRecord(labels) || !Object.hasOwn(labels, '__proto__')) return [];
  const what = 'metadata.labels cannot have the key "__proto__", because it must begin with a letter or digit';
  return [findingIn(at, ['metadata', 'labels', '__proto__'], 'key', what)];
}

/** The document's value with the public files that it names drawn in. */
function withFiles(at: Subject, read: FileReader): { value: unknown; findings: Finding[] } {
  const findings: Finding[] = [];
  let { value } = at.document;
  for (const { steps, path } of publicFilesOf(value)) {
    // Relative to the file that says so: that of an overlay, where the overlay does.
    const file = read(at.document.locate(pointer(...steps, 'fromFile'), 'value'), path);
    if ('text' in file) value = replaced(value, steps, file.text);
    else findings.push(fileProblem(at, steps, file.problem));
    if ('problem' in file) value = replaced(value, steps, undefined);
  }
  return { value, findings };
}

function fileProblem(at: Subject, steps: readonly string[], problem: string): Finding {
  const what = `${steps.slice(1).join('.')} cannot be read, because ${problem}`;
  return findingIn(at, [...steps, 'fromFile'], 'value', what);
}

function replaced(value: unknown, steps: readonly string[], text: string | undefined): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return text;
  return isRecord(value) ? { ...value, [step]: replaced(value[step], rest, text) } : value;
}

function nameIn(value: unknown): string | undefined {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function specIn(value: unknown): unknown {
  return isRecord(value) ? value['spec'] : undefined;
}
