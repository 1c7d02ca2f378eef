// From zod's issues to findings: our words, the place in the file, and what to write instead.
import type { z } from 'zod';
import { bare, markOf, partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { pointer, readable } from '../model/pointer.ts';
import { suggest } from '../model/suggest.ts';
import { insteadOfSecret, type Subject } from './desired.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

/** What one issue says, as findings (several for several unknown keys). `value` is what was parsed; `base` is where it stands. */
export function findingOf(at: Subject, schema: z.core.$ZodType, issue: Issue, value: unknown, base: Path): Finding[] {
  const inner = issue.path as Path;
  const path = [...base, ...inner];
  const field = schemaAt(schema, inner);
  const actual = valueAt(value, inner);
  if (field && markOf(field).secret)
    return actual === undefined ? [missing(at, path)] : [wrongSecret(at, path, actual)];
  if (field && markOf(field).textFile && typeof actual !== 'string') return [wrongText(at, path, actual)];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(at, path, key, field));
  if (issue.code === 'invalid_key') return [wrongKey(at, path)];
  if (issue.code === 'invalid_type' && actual === undefined) return [missing(at, path)];
  if (actual === undefined && issue.code === 'invalid_value') return [missing(at, path)];
  return [wrongValue(at, path, issue, actual)];
}

function finding(at: Subject, path: Path, part: 'key' | 'value', what: string, suggestion?: string): Finding {
  const id = pointer(...path);
  const who = at.name === undefined ? { kind: at.kind } : { kind: at.kind, name: at.name };
  const base = { rule: 'schema', severity: 'error', message: `${at.kind}/${at.name ?? '?'}: ${what}`, ...who } as const;
  const found: Finding = { ...base, path: id, source: at.document.locate(id, part) };
  return suggestion === undefined ? found : { ...found, suggestion };
}

function missing(at: Subject, path: Path): Finding {
  return finding(at, path, 'value', `${shown(path)} is missing`);
}

function unknownKey(at: Subject, path: Path, key: string, schema: z.core.$ZodType | undefined): Finding {
  const parts = schema ? partsOf(schema) : undefined;
  const known = parts?.type === 'object' ? Object.keys(parts.fields) : [];
  const where = path.length === 0 ? 'a document' : shown(path);
  const found = finding(
    at,
    [...path, key],
    'key',
    `${where} has no field "${key}"${among(known)}`,
    suggest(key, known),
  );
  const meant = parts?.type === 'object' && found.suggestion !== undefined ? parts.fields[found.suggestion] : undefined;
  const isSecret = /pass|pwd|secret|token|credential|private/i.test(key) || (meant && markOf(meant).secret === true);
  return isSecret ? { ...found, sensitive: true } : found;
}

function among(known: readonly string[]): string {
  return known.length > 0 && known.length <= 8 ? ` (it has ${known.join(', ')})` : '';
}

function wrongKey(at: Subject, path: Path): Finding {
  return finding(at, path, 'key', `${shown(path)} cannot have this name, because it does not fit what its keys may be`);
}

function wrongSecret(at: Subject, path: Path, actual: unknown): Finding {
  const what =
    typeof actual === 'object'
      ? `${shown(path)} is not a reference to a secret: ${referenceProblem(actual)}`
      : `${shown(path)} cannot be written out, because a tree holds no secrets: ${insteadOfSecret}`;
  return { ...finding(at, path, 'value', what), sensitive: true };
}

function referenceProblem(actual: object | null): string {
  const [key, ...more] = Object.keys(actual ?? {});
  if (more.length === 0 && key === 'fromEnv') return 'fromEnv must be a variable whose name begins with WEIR_SECRET_';
  if (more.length === 0 && key === 'fromFile') return 'fromFile must be a path below the secret folder, without ".."';
  return insteadOfSecret;
}

function wrongText(at: Subject, path: Path, actual: unknown): Finding {
  return actual === undefined
    ? missing(at, path)
    : finding(at, path, 'value', `${shown(path)} must be text or {fromFile: path}, not ${typeName(actual)}`);
}

function wrongValue(at: Subject, path: Path, issue: Issue, actual: unknown): Finding {
  if (issue.code === 'invalid_type') return wrongType(at, path, issue.expected, actual);
  if (issue.code === 'invalid_value') return wrongChoice(at, path, issue.values, actual);
  const found = finding(at, path, 'value', `${shown(path)} cannot be ${quoted(actual)}, because ${reason(issue)}`);
  return withoutPassword(actual) === actual ? found : { ...found, sensitive: true };
}

/** An address may carry a password, which is nobody else's business. */
function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/:\/\/[^/@\s]*@/g, '://***@') : value;
}

function wrongType(at: Subject, path: Path, expected: string, actual: unknown): Finding {
  if (actual === null)
    return finding(
      at,
      path,
      'value',
      `${shown(path)} has no value, and must be ${article(expected)}: give it one or leave it out`,
    );
  const raw = at.document.raw(pointer(...path));
  if (expected === 'string' && (typeof actual === 'number' || typeof actual === 'boolean')) {
    const text = raw ?? String(actual);
    return finding(
      at,
      path,
      'value',
      `${shown(path)} must be text, and YAML reads ${text} as ${typeName(actual)}: quote it`,
      `"${text}"`,
    );
  }
  if (expected === 'boolean' && typeof actual === 'string' && /^(yes|no|on|off|y|n)$/i.test(actual)) {
    const meant = /^(yes|on|y)$/i.test(actual) ? 'true' : 'false';
    return finding(
      at,
      path,
      'value',
      `${shown(path)} must be true or false, and YAML 1.2 reads ${actual} as text: write ${meant}`,
    );
  }
  return finding(at, path, 'value', `${shown(path)} must be ${article(expected)}, not ${typeName(actual)}`);
}

function wrongChoice(at: Subject, path: Path, values: readonly unknown[], actual: unknown): Finding {
  const words = values.map(String);
  const what = `${shown(path)} cannot be ${quoted(actual)}, because it is one of ${words.join(', ')}`;
  return finding(at, path, 'value', what, typeof actual === 'string' ? suggest(actual, words) : undefined);
}

function reason(issue: Issue): string {
  if (issue.code === 'too_big') return tooBig(issue.origin, issue.maximum);
  if (issue.code === 'too_small') return tooSmall(issue.origin, issue.minimum);
  if (issue.code === 'not_multiple_of') return `it is not a multiple of ${issue.divisor}`;
  if (issue.code === 'invalid_format' && issue.message.startsWith('Invalid'))
    return `it is not of the form "${issue.format}"`;
  return issue.message;
}

function tooBig(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `it is longer than ${maximum} characters`;
  return origin === 'array' ? `it has more than ${maximum} items` : `it is more than ${maximum}`;
}

function tooSmall(origin: string, minimum: number | bigint): string {
  if (origin === 'string') return Number(minimum) <= 1 ? 'it is empty' : `it is shorter than ${minimum} characters`;
  return origin === 'array' ? `it has fewer than ${minimum} items` : `it is less than ${minimum}`;
}

function shown(path: Path): string {
  return readable(pointer(...path)) || 'the document';
}

/** A value as JSON, cut short: it may be anything. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(withoutPassword(value)) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function article(expected: string): string {
  return names[expected] ?? expected;
}

function typeName(value: unknown): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'a list' : (names[typeof value] ?? typeof value);
}

function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let here: z.core.$ZodType | undefined = schema;
  for (const step of path) {
    if (!here || markOf(here).secret) return here;
    const parts = partsOf(here);
    here = parts.type === 'list' ? parts.item : parts.type === 'leaf' ? bare(here) : fieldIn(parts, String(step));
  }
  return here;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}
