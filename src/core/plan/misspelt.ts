// A misspelt field counts as the one that was meant: so one mistake is told once, and all that is below it is read.
import type { z } from 'zod';
import { envelope } from '../kinds/envelope.ts';
import { type Parts, partsOf } from '../kinds/kind.ts';
import { fieldIn, schemaAt } from '../model/children.ts';
import type { Document } from '../model/document.ts';
import { pointer, stepsOf } from '../model/pointer.ts';
import { suggest } from '../model/suggest.ts';
import type { Path } from './finding-in.ts';

/** A mapping or a list. */
export type Holder = Readonly<Record<string | number, unknown>>;

/** Whether a value is one. */
export function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** Which field each misspelt key of a mapping stands for, where that is not written as well. */
export function meantBy(schema: z.core.$ZodType, value: unknown, keys: readonly string[]): ReadonlyMap<string, string> {
  const parts = partsOf(schema);
  const meant = new Map<string, string>();
  if (parts.type !== 'object' || !isHolder(value)) return meant;
  const taken = new Set(Object.keys(value));
  for (const key of keys) {
    const field = suggest(key, Object.keys(parts.fields));
    if (field === undefined || taken.has(field)) continue;
    taken.add(field);
    meant.set(key, field);
  }
  return meant;
}

/** The issues, without those that say only that a misspelt field is missing under the name that was meant, or that one is empty whose block is indented too little. */
export function notFollowing(
  schema: z.core.$ZodType,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): readonly z.core.$ZodIssue[] {
  const misspelt = new Set<string>();
  const emptied = new Set<string>();
  for (const { code, path, ...issue } of issues) {
    const here = code === 'unrecognized_keys' ? schemaAt(schema, path as Path) : undefined;
    if (!here) continue;
    const meant = meantBy(
      here,
      partAt(value, path as Path),
      (issue as { readonly keys: readonly string[] }).keys.slice(0, mostKeys),
    );
    for (const field of meant.values()) misspelt.add(pointer(...(path as Path), field));
    for (const field of emptiedIn(here, (issue as { readonly keys: readonly string[] }).keys))
      emptied.add(pointer(...(path as Path), field));
  }
  if (misspelt.size + emptied.size === 0) return issues;
  const isFollowing = (path: Path) => {
    const part = partAt(value, path);
    if (part !== undefined && part !== null) return false;
    return emptied.has(pointer(...path)) || (part === undefined && misspelt.has(pointer(...path)));
  };
  return issues.filter(({ path }) => !isFollowing(path as Path));
}

/** The fields of a mapping that are empty where what belongs below them stands beside them, indented too little. */
function emptiedIn(schema: z.core.$ZodType, keys: readonly string[]): readonly string[] {
  const parts = partsOf(schema);
  const fields = parts.type === 'object' ? Object.entries(parts.fields) : [];
  const has = (below: Parts) => below.type === 'object' && keys.some((key) => fieldIn(below, key) !== undefined);
  return fields.filter(([, field]) => has(partsOf(field))).map(([name]) => name);
}

/** What stands in a value at a path. */
export function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, step) => (isHolder(here) ? here[step] : undefined), value);
}

/** The document with the parts around its spec under the names that were meant, which answers for them with what is written. */
export function withMeantParts(document: Document): Document {
  const { file, value } = document;
  if (!isHolder(value) || Array.isArray(value)) return document;
  const outer = meantIn(envelope, value);
  const top = renamed(value, outer);
  const metadata = top['metadata'];
  const below = schemaAt(envelope, ['metadata']);
  const inner = below && isHolder(metadata) && !Array.isArray(metadata) ? meantIn(below, metadata) : none;
  if (outer.size === 0 && inner.size === 0) return document;
  const was = (names: ReadonlyMap<string, string>, step: string) =>
    [...names].find(([, field]) => field === step)?.[0] ?? step;
  const written = (path: string): string => {
    const [first, second, ...rest] = stepsOf(path);
    if (first === undefined) return path;
    if (second === undefined) return pointer(was(outer, first));
    return pointer(was(outer, first), first === 'metadata' ? was(inner, second) : second, ...rest);
  };
  return {
    file,
    value: isHolder(metadata) && inner.size > 0 ? { ...top, metadata: renamed(metadata, inner) } : top,
    locate: (path, part) => document.locate(written(path), part),
    raw: (path) => document.raw(written(path)),
  };
}

const none: ReadonlyMap<string, string> = new Map();

function meantIn(schema: z.core.$ZodType, value: Holder): ReadonlyMap<string, string> {
  const parts = partsOf(schema);
  const unknown = Object.keys(value).filter((key) => fieldIn(parts, key) === undefined);
  return unknown.length === 0 ? none : meantBy(schema, value, unknown.slice(0, mostKeys));
}

function renamed(value: Holder, names: ReadonlyMap<string, string>): Holder {
  if (names.size === 0) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [names.get(key) ?? key, part]));
}

/** More than that are one mistake, and not worth the time. */
const mostKeys = 100;
