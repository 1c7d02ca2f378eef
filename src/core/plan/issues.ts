// From zod's issues to findings: our words, the place in the file, and what to write instead.
import type { z } from 'zod';
import { envelope } from '../kinds/envelope.ts';
import { kindOf } from '../kinds/index.ts';
import { bare, markOf, type Parts, partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { reasonOf } from '../model/issue-reason.ts';
import { pointer } from '../model/pointer.ts';
import { withoutPassword } from '../model/printable.ts';
import { suggest } from '../model/suggest.ts';
import { insteadOfSecret, type Subject } from './desired.ts';
import { findingIn, type Path, shown, shownValue } from './finding-in.ts';
import { typeName, wrongType } from './wrong-type.ts';

type Issue = z.core.$ZodIssue;

/** What one issue says, as findings (several for several unknown keys). `value` is what was parsed; `base` is where it stands. */
export function findingOf(at: Subject, schema: z.core.$ZodType, issue: Issue, value: unknown, base: Path): Finding[] {
  const inner = issue.path as Path;
  const depth = secretDepth(schema, inner);
  if (depth !== undefined)
    return secretFindings(at, [...base, ...inner.slice(0, depth)], valueAt(value, inner.slice(0, depth)));
  const path = [...base, ...inner];
  const field = fieldAt(schema, inner);
  const actual = valueAt(value, inner);
  if (field && markOf(field).textFile && typeof actual !== 'string') return [wrongText(at, path, actual)];
  if (issue.code === 'unrecognized_keys') {
    const above = inner.length > 0 ? fieldAt(schema, inner.slice(0, -1)) : undefined;
    return unknownKeys(at, path, issue.keys, { field, above });
  }
  if (issue.code === 'invalid_key') return [wrongKey(at, path, issue.issues[0] && reasonOf(issue.issues[0]))];
  if (actual === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [missing(at, path)];
  if (issue.code === 'invalid_type')
    return [
      wrongType(at, path, { expected: issue.expected, actual, field, above: fieldAt(schema, inner.slice(0, -1)) }),
    ];
  return [wrongValue(at, path, issue, actual)];
}

/** Pointers to what is missing, but for items of lists: those are whole, or wrong. */
export function missingIn(error: z.ZodError, value: unknown, base: Path): string[] {
  return error.issues.flatMap(({ code, path }) => {
    const isMissing =
      (code === 'invalid_type' || code === 'invalid_value') && valueAt(value, path as Path) === undefined;
    return isMissing && path.every((step) => typeof step === 'string') ? [pointer(...base, ...path)] : [];
  });
}

function missing(at: Subject, path: Path): Finding {
  return findingIn(at, path, 'value', `${shown(path)} is missing`);
}

/** One more than are told of a document. */
const mostKeys = 101;

function unknownKeys(at: Subject, path: Path, keys: readonly string[], around: Around): Finding[] {
  return keys.slice(0, mostKeys).map((key) => unknownKey(at, path, key, around));
}

function unknownKey(at: Subject, path: Path, key: string, { field, above }: Around): Finding {
  const parts = field ? partsOf(field) : undefined;
  const known = parts?.type === 'object' ? Object.keys(parts.fields) : [];
  const where = path.length === 0 ? 'a document' : shown(path);
  const isBelow = path.length === 0 && fieldIn(partsOf(kindOf(at.kind).spec), key) !== undefined;
  const what = `${where} has no field ${shownValue(key)}${among(known)}${isBelow ? ': it belongs below spec' : levelOf(path, key, parts, above)}`;
  const found = findingIn(at, [...path, key], 'key', what, suggest(key, known));
  const meant = parts && found.suggestion !== undefined ? fieldIn(parts, found.suggestion) : undefined;
  const isSecret = /pass|pwd|secret|token|credential|private/i.test(key) || (meant && markOf(meant).secret === true);
  return isSecret ? { ...found, sensitive: true } : found;
}

/** The schema of the mapping in which an unknown key stands, and of what that stands in. */
interface Around {
  readonly field: z.core.$ZodType | undefined;
  readonly above: z.core.$ZodType | undefined;
}

/** Whether the key is one of the next level down or up: then its line begins in the wrong column. */
function levelOf(path: Path, key: string, parts: Parts | undefined, above: z.core.$ZodType | undefined): string {
  if (parts?.type !== 'object') return '';
  const has = (schema: z.core.$ZodType) =>
    partsOf(schema).type === 'object' && fieldIn(partsOf(schema), key) !== undefined;
  const deeper = Object.entries(parts.fields).filter(([, schema]) => has(schema));
  if (deeper.length === 1) return `: it belongs below ${deeper[0]?.[0]}: is it indented too little?`;
  const isHigher = above ? has(above) : path.length === 1 && fieldIn(partsOf(envelope), key) !== undefined;
  return isHigher ? `: it belongs beside ${path.at(-1)}: is it indented too much?` : '';
}

function among(known: readonly string[]): string {
  return known.length > 0 && known.length <= 8 ? ` (it has ${known.join(', ')})` : '';
}

function wrongKey(at: Subject, path: Path, because = 'its keys have another form'): Finding {
  const what = `${shown(path.slice(0, -1))} cannot have the key ${shownValue(path.at(-1))}, because ${because}`;
  return findingIn(at, path, 'key', what);
}

/** A secret written out in the store's own form (`{value}`) is found by itself, also where it is right for the store. */
function secretFindings(at: Subject, path: Path, actual: unknown): Finding[] {
  if (actual === undefined) return [missing(at, path)];
  const isObject = typeof actual === 'object' && actual !== null;
  if (isObject && 'value' in actual) return [];
  const what = isObject
    ? `${shown(path)} is not a reference to a secret: ${referenceProblem(actual)}`
    : `${shown(path)} ${actual === null ? 'has no value' : 'cannot be written out, because a tree holds no secrets'}: ${insteadOfSecret}`;
  return [{ ...findingIn(at, path, 'value', what), sensitive: true }];
}

function referenceProblem(actual: object): string {
  const [key, ...more] = Object.keys(actual);
  if ('fromEnv' in actual && 'fromFile' in actual)
    return 'it has both fromEnv and fromFile: write one (in an overlay null takes the other away)';
  if (more.length === 0 && key === 'fromEnv') return 'fromEnv must be a variable whose name begins with WEIR_SECRET_';
  if (more.length === 0 && key === 'fromFile') return 'fromFile must be a path below the secret folder, without ".."';
  return insteadOfSecret;
}

function wrongText(at: Subject, path: Path, actual: unknown): Finding {
  if (actual === undefined) return missing(at, path);
  return findingIn(at, path, 'value', `${shown(path)} must be text or {fromFile: path}, not ${typeName(actual)}`);
}

function wrongValue(at: Subject, path: Path, issue: Issue, actual: unknown): Finding {
  if (issue.code === 'invalid_value') return wrongChoice(at, path, issue.values, actual);
  const found = findingIn(
    at,
    path,
    'value',
    `${shown(path)} cannot be ${shownValue(actual)}, because ${reasonOf(issue)}`,
  );
  return withoutPassword(actual) === actual ? found : { ...found, sensitive: true };
}

function wrongChoice(at: Subject, path: Path, values: readonly unknown[], actual: unknown): Finding {
  const words = values.map(String);
  const must = words.length === 1 ? 'it must be' : 'it must be one of';
  const what = `${shown(path)} cannot be ${shownValue(actual)}, because ${must} ${words.join(', ')}`;
  return findingIn(at, path, 'value', what, typeof actual === 'string' ? suggest(actual, words) : undefined);
}

/** How many steps of a path lead to a secret, where it leads to one or into one: what is inside is nobody's business. */
export function secretDepth(schema: z.core.$ZodType, path: Path): number | undefined {
  let here: z.core.$ZodType | undefined = schema;
  for (let depth = 0; here; depth++) {
    if (markOf(here).secret) return depth;
    const step = path[depth];
    if (step === undefined) return undefined;
    here = below(here, step);
  }
  return undefined;
}

/** What is inside of a leaf is part of it. */
function fieldAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>((here, step) => here && below(here, step), schema);
}

function below(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const parts = partsOf(schema);
  if (parts.type === 'leaf') return bare(schema);
  return parts.type === 'list' ? parts.item : fieldIn(parts, String(step));
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
