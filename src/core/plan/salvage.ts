// What can be read of a document that its kind refuses, so that what else is wrong with it is told in the same run.
import type { z } from 'zod';
import { type Envelope, envelope } from '../kinds/envelope.ts';
import { kindOf } from '../kinds/index.ts';
import { name as nameSchema, partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Document } from '../model/document.ts';
import { pointer } from '../model/pointer.ts';
import { suggest } from '../model/suggest.ts';
import type { Salvaged, Subject } from './desired.ts';

type Path = readonly (string | number)[];

/**
 * The document without what is wrong in it: a misspelt field counts as the one that was meant, any other wrong part as not written.
 * `isAllRead`: whether the files that it draws in could be read. Nothing where no such object can be told of: its name is wrong, or what it cannot do without.
 */
export function salvage(at: Subject, spec: unknown, isAllRead: boolean): Salvaged | undefined {
  const { document, kind, name } = at;
  // Everything is judged by the Platform: what half of one says would be said of all the others.
  if (!nameSchema().safeParse(name).success || name === undefined || kind === 'Platform') return undefined;
  const mended = mend(kindOf(kind).spec, spec ?? {});
  if (!mended) return undefined;
  const outer = envelopeAround(document, kind, name);
  const { file, line } = document.locate('/kind', 'key');
  const desired = {
    ...{ kind, name, previousNames: [], labels: outer.metadata.labels, lifecycle: outer.lifecycle },
    ...{ spec: mended.spec, document: asMended(document, mended.renamed), source: { file, line } },
  } as Salvaged['desired'];
  return { desired, isWhole: isAllRead && mended.isWhole };
}

interface Mended {
  readonly spec: unknown;
  readonly renamed: ReadonlyMap<string, string>;
  /** Whether nothing had to be left out. */
  readonly isWhole: boolean;
}

/** How often a text is mended: what was wrong below a misspelt field shows only when that has its name. */
const mostRounds = 4;

function mend(schema: z.ZodType, written: unknown): Mended | undefined {
  let text: Mended = { spec: written, renamed: new Map(), isWhole: true };
  for (let round = 0; round < mostRounds; round++) {
    const parsed = schema.safeParse(text.spec);
    if (parsed.success) return { ...text, spec: parsed.data };
    if (parsed.error.issues.length > mostIssues) return undefined;
    text = parsed.error.issues.reduce((before, issue) => mendOne(schema, before, issue), text);
  }
  return undefined;
}

/** More than that are one mistake, and not worth the time. */
const mostIssues = 100;

function mendOne(schema: z.ZodType, text: Mended, issue: z.core.$ZodIssue): Mended {
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostIssues).reduce((before, key) => mendKey(schema, before, path, key), text);
  return { ...text, spec: without(text.spec, wholeList(path, text.spec)), isWhole: false };
}

function mendKey(schema: z.ZodType, text: Mended, path: Path, key: string): Mended {
  const meant = meantBy(schema, text.spec, path, key);
  if (meant === undefined) return { ...text, spec: without(text.spec, [...path, key]), isWhole: false };
  const renamed = new Map([...text.renamed, [pointer('spec', ...path, meant), pointer('spec', ...path, key)] as const]);
  return { ...text, spec: withName(text.spec, path, key, meant), renamed };
}

/** The field that a misspelt one stands for, where that is not written as well. */
function meantBy(schema: z.ZodType, value: unknown, path: Path, key: string): string | undefined {
  const parts = path.reduce<z.core.$ZodType | undefined>((here, step) => here && below(here, step), schema);
  const fields = parts && partsOf(parts);
  const meant = fields?.type === 'object' ? suggest(key, Object.keys(fields.fields)) : undefined;
  const around = path.reduce<unknown>((here, step) => (isHolder(here) ? here[step] : undefined), value);
  return meant !== undefined && isHolder(around) && !Object.hasOwn(around, meant) ? meant : undefined;
}

function below(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const parts = partsOf(schema);
  return parts.type === 'list' ? parts.item : fieldIn(parts, String(step));
}

/** The list that a path leads into, where it does: its items keep their places, or it is left out. */
function wholeList(path: Path, value: unknown): Path {
  let here = value;
  for (const [depth, step] of path.entries()) {
    if (Array.isArray(here)) return path.slice(0, depth);
    here = isHolder(here) ? here[step] : undefined;
  }
  return path;
}

function without(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  if (!isHolder(value) || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return replaced(value, step, without(value[step], rest));
  const { [step]: _, ...others } = value;
  return others;
}

function withName(value: unknown, path: Path, from: string, to: string): unknown {
  if (!isHolder(value)) return value;
  const [step, ...rest] = path;
  if (step !== undefined) return replaced(value, step, withName(value[step], rest, from, to));
  const { [from]: item, ...others } = value;
  return { ...others, [to]: item };
}

function replaced(value: Holder, step: string | number, part: unknown): unknown {
  return Array.isArray(value) ? value.with(Number(step), part) : { ...value, [step]: part };
}

/** The document, which answers for a field that was meant with the one that is written. */
function asMended(document: Document, renamed: ReadonlyMap<string, string>): Document {
  if (renamed.size === 0) return document;
  const written = (path: string): string => {
    for (const [meant, was] of renamed)
      if (path === meant || path.startsWith(`${meant}/`)) return written(was + path.slice(meant.length));
    return path;
  };
  const { file, value } = document;
  return {
    ...{ file, value },
    locate: (path, part) => document.locate(written(path), part),
    raw: (path) => document.raw(written(path)),
  };
}

/** What stands around the spec, or what would stand there by itself. */
function envelopeAround(document: Document, kind: string, name: string): Envelope {
  const read = envelope.safeParse(document.value);
  return read.success ? read.data : envelope.parse({ kind, metadata: { name } });
}

type Holder = Readonly<Record<string | number, unknown>>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}
