// What can be read of a document that its kind refuses, so that what else is wrong with it is told in the same run.
import type { z } from 'zod';
import { type Envelope, envelope } from '../kinds/envelope.ts';
import { kindOf } from '../kinds/index.ts';
import { name as nameSchema } from '../kinds/kind.ts';
import { schemaAt } from '../model/children.ts';
import type { Document } from '../model/document.ts';
import { pointer, stepsOf } from '../model/pointer.ts';
import type { Salvaged, Subject } from './desired.ts';
import type { Path } from './finding-in.ts';
import { type Holder, isHolder, meantBy, notFollowing, partAt } from './misspelt.ts';

/**
 * The document without what is wrong in it: a misspelt field counts as the one that was meant, any other wrong part as not written, and a field
 * that no such object can do without gets a stand-in. `unread`: what could not be drawn in from files. Nothing where no such object can be
 * told of: its name is wrong, or very much else.
 */
export function salvage(at: Subject, spec: unknown, unread: readonly Path[]): Salvaged | undefined {
  const { document, kind, name } = at;
  if (!nameSchema().safeParse(name).success || name === undefined) return undefined;
  const mended = mend(kindOf(kind).spec, isHolder(spec) ? spec : {}, standInsFor(kind, name, spec));
  if (!mended) return undefined;
  const outer = envelopeAround(document, kind, name);
  const { file, line } = document.locate('/kind', 'key');
  const desired = {
    ...{ kind, name, previousNames: [], labels: outer.metadata.labels, lifecycle: outer.lifecycle },
    ...{
      spec: mended.spec,
      document: mended.shape.size === 0 ? document : asMended(document, writtenIn(mended.shape)),
      source: { file, line },
    },
  } as Salvaged['desired'];
  const whole = isHolder(spec) || spec === undefined || spec === null ? [] : [[]];
  const written = writtenIn(mended.shape);
  return { desired, written, unread: [...mended.leftOut, ...whole, ...unread].flatMap(marksOf) };
}

/** What is wrong in a text, in steps as it is written: what is left out, and in each mapping which misspelt key stands for which field. */
interface Wrong {
  readonly leftOut: Map<string, Path>;
  readonly meant: Map<string, string>;
}

interface Mended {
  readonly spec: unknown;
  readonly leftOut: readonly Path[];
  readonly shape: Shape;
}

/** How often a text is mended: what was wrong below a misspelt field shows only when that has its name. */
const mostRounds = 5;

function mend(schema: z.ZodType, written: Holder, standIns: Holder): Mended | undefined {
  const wrong: Wrong = { leftOut: new Map(), meant: new Map() };
  const stoodIn: Path[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const shape: Shape = new Map();
    const text = shaped(written, [], wrong, shape) as Holder;
    const missing = Object.entries(standIns).filter(([field]) => stoodIn.some(([step]) => step === field));
    const parsed = schema.safeParse({ ...text, ...Object.fromEntries(missing) });
    if (parsed.success) {
      // What was misspelt is there, under the name that was meant.
      const leftOut = [...wrong.leftOut.values()].filter((path) => !isUnknown(schema, path));
      return { spec: parsed.data, leftOut: [...leftOut, ...stoodIn], shape };
    }
    if (parsed.error.issues.length > mostIssues) return undefined;
    for (const issue of notFollowing(schema, parsed.error.issues, text)) {
      const path = issue.path as Path;
      const [field] = path;
      if (path.length === 1 && field !== undefined && Object.hasOwn(standIns, field)) stoodIn.push([field]);
      else note(schema, wrong, { issue, text, shape });
    }
  }
  return undefined;
}

/** More than that are one mistake, and not worth the time. */
const mostIssues = 100;

interface Round {
  readonly issue: z.core.$ZodIssue;
  readonly text: unknown;
  readonly shape: Shape;
}

function note(schema: z.ZodType, wrong: Wrong, { issue, text, shape }: Round): void {
  const path = issue.path as Path;
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, mostIssues) : [];
  const around = asWritten(path, shape);
  const here = schemaAt(schema, path);
  const value = partAt(text, path);
  const meant = here ? meantBy(here, value, keys) : new Map<string, string>();
  for (const key of keys)
    if (meant.has(key)) wrong.meant.set(pointer(...around, key), meant.get(key) ?? key);
    else leaveOut(wrong, [...around, key]);
  // What lacks something it cannot do without goes whole, if it is not the spec itself.
  if (keys.length === 0) leaveOut(wrong, value === undefined ? around.slice(0, -1) : around);
}

function leaveOut({ leftOut }: Wrong, path: Path): void {
  if (path.length > 0) leftOut.set(pointer(...path), path);
}

function isUnknown(schema: z.ZodType, path: Path): boolean {
  return schemaAt(schema, path) === undefined;
}

/** By the place of a part in the mended text: the step that leads to it in the written one, where that is another. */
type Shape = Map<string, string | number>;

/** The text without what is left out and with fields under the names that were meant; `shape` is filled in. */
function shaped(value: unknown, path: Path, wrong: Wrong, shape: Shape, now: Path = path): unknown {
  if (!isHolder(value) || (wrong.leftOut.size === 0 && wrong.meant.size === 0)) return value;
  const isLeftOut = (step: string | number) => wrong.leftOut.has(pointer(...path, step));
  const part = (step: string | number, name: string | number) => {
    if (step !== name) shape.set(pointer(...now, name), step);
    return shaped(value[step], [...path, step], wrong, shape, [...now, name]);
  };
  if (Array.isArray(value)) {
    const kept = [...value.keys()].filter((index) => !isLeftOut(index));
    return kept.map((index, place) => part(index, place));
  }
  const kept = Object.keys(value).filter((key) => !isLeftOut(key));
  return Object.fromEntries(
    kept.map((key) => {
      const name = wrong.meant.get(pointer(...path, key)) ?? key;
      return [name, part(key, name)];
    }),
  );
}

/** Where a part of the mended text stands in the written one. */
function asWritten(path: readonly (string | number)[], shape: Shape): Path {
  if (shape.size === 0) return path;
  return path.map((step, depth) => shape.get(pointer(...path.slice(0, depth), step)) ?? step);
}

/** By the place of a part in the mended document: its place in the written one. */
function writtenIn(shape: Shape): (path: string) => string {
  return (path) => {
    const [outer, ...inner] = stepsOf(path);
    return outer === 'spec' && shape.size > 0 ? pointer(outer, ...asWritten(inner, shape)) : path;
  };
}

/** The document, which answers for a part of the mended spec with what is written. */
function asMended(document: Document, written: (path: string) => string): Document {
  const { file, value } = document;
  return {
    ...{ file, value },
    locate: (path, part) => document.locate(written(path), part),
    raw: (path) => document.raw(written(path)),
  };
}

/** The marks by which rules know that a part of a spec was not read: itself, and `/*` for what it stands in. */
function marksOf(path: Path): readonly string[] {
  const around = path.map((_, depth) => `${pointer('spec', ...path.slice(0, depth))}/*`);
  return [pointer('spec', ...path), ...around];
}

/** What stands in for the fields that a kind cannot do without: something that no rule minds. */
function standInsFor(kind: string, name: string, spec: unknown): Holder {
  if (kind === 'Stack') return { runtime: 'unread' };
  if (kind !== 'SsoConfig') return {};
  return { emailDomain: `${name}.invalid`, provider: isHolder(spec) && 'ldap' in spec ? 'ldap' : 'saml' };
}

/** What stands around the spec, or what would stand there by itself. */
function envelopeAround(document: Document, kind: string, name: string): Envelope {
  const read = envelope.safeParse(document.value);
  return read.success ? read.data : envelope.parse({ kind, metadata: { name } });
}
