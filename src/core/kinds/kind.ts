// What a noun is: one definition from which types, checks, references, redaction, schemas and help are derived.
import { z } from 'zod';

/** What a field means beyond its type. */
export interface Mark {
  /** The field names a resource of this kind: by its name (documents) or by its id (run-time nouns). */
  readonly ref?: { readonly kind: string; readonly by: 'name' | 'id' };
  /** The value is a secret: a reference in a document, never shown. */
  readonly secret?: true;
  /** The value itself is kept, not a hash of it: the store encrypts it on the disk. A union with `{value}` has it there, anything else is text. */
  readonly sealed?: true;
  /** May not change once the resource exists; the text says while what holds (`while instances exist`), or nothing for always. */
  readonly immutable?: { readonly until?: string };
  /** A list whose order means nothing. */
  readonly set?: true;
  /** A list of things that are told apart by this key, whatever their order. */
  readonly namedBy?: string;
  /** The platform keeps it up by itself (a last use, a count): no change that anybody made, so neither audited nor shown in plans. */
  readonly bookkeeping?: true;
  /** Public text that may also be drawn from a file with `{fromFile}`, relative to the document. */
  readonly textFile?: true;
}

const marks = z.registry<Mark>();

/** Adds a mark to a schema and gives the schema back. */
export function marked<S extends z.ZodType>(schema: S, mark: Mark): S {
  marks.add(schema as z.ZodType, { ...marks.get(schema as z.ZodType), ...mark });
  return schema;
}

/** The marks of a schema, with those of what it wraps (`optional`, `default` and the like). */
export function markOf(schema: z.core.$ZodType): Mark {
  const known = markCache.get(schema);
  if (known) return known;
  const mark = { ...marks.get(bare(schema) as z.ZodType), ...marks.get(schema as z.ZodType) };
  markCache.set(schema, mark);
  return mark;
}

// A memo of a pure function: a schema is marked where it is defined, before anybody asks.
const markCache = new WeakMap<z.core.$ZodType, Mark>();

/** The identity of a declared resource: a DNS label (RFC 1123), at most 63 characters. */
export const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** A schema for an identity. */
export function name(): z.ZodString {
  return matching(
    63,
    namePattern,
    'it must be lower-case letters, digits and "-", with a letter or digit at both ends',
  );
}

/** Text of up to `max` characters in a form; `words` say which (`it must be …`), to whoever writes another. */
export function matching(max: number, form: RegExp, words: string): z.ZodString {
  // What is too long is not matched: some forms take time that grows with the square of what they look at.
  return z.string().max(max, { abort: true }).regex(form, { error: words }).meta({ patternErrorMessage: words });
}

/** A field that names a resource of `kind`. */
export function ref(kind: string): z.ZodString {
  return marked(name(), { ref: { kind, by: 'name' } });
}

/** A field of a run-time noun that holds the id of a resource of `kind`, so that renames cost nothing. */
export function refId(kind: string): z.ZodString {
  return marked(z.string(), { ref: { kind, by: 'id' } });
}

/** A field that may not change once it is set. */
export function immutable<S extends z.ZodType>(schema: S, until?: string): S {
  return marked(schema, { immutable: until === undefined ? {} : { until } });
}

/** A list without order. */
export function setOf<S extends z.ZodType>(item: S): z.ZodArray<S> {
  return marked(
    once(z.array(item), (value) => value),
    { set: true },
  );
}

/** A list of things told apart by `key`. */
export function listBy<S extends z.ZodType>(key: string, item: S): z.ZodArray<S> {
  return marked(
    once(z.array(item), (value) => (value as Record<string, unknown>)[key], key),
    { namedBy: key },
  );
}

/** Lets each thing stand in a list once; `below` is where in an item the one that stands there again is reported. */
function once<S extends z.ZodType>(list: z.ZodArray<S>, idOf: (item: unknown) => unknown, ...below: readonly string[]) {
  return list.superRefine((items, context) => {
    const seen = new Set<unknown>();
    for (const [index, item] of items.entries()) {
      const id = idOf(item);
      if (seen.has(id)) {
        context.addIssue({
          code: 'custom',
          path: [index, ...below],
          message: 'it stands in the list already',
        });
      }
      seen.add(id);
    }
  });
}

/** A field that the platform keeps up by itself. */
export function bookkeeping<S extends z.ZodType>(schema: S): S {
  return marked(schema, { bookkeeping: true });
}

/** The hash of a secret, in whatever form; a secret itself. */
export function hashed(form: z.ZodString): z.ZodString {
  return marked(form, { secret: true });
}

/** A secret that is kept itself, because something needs it in clear: encrypted in the files of the store. */
export function sealed(form: z.ZodString): z.ZodString {
  return marked(form, { secret: true, sealed: true });
}

/** The SHA-256 of a random secret, in hexadecimal. */
export function sha256(): z.ZodString {
  return hashed(z.string().regex(/^[0-9a-f]{64}$/));
}

/** Where a secret stands: an environment variable, a file below the secret folder, or (over the API only) its value. */
export type Secret = { readonly fromEnv: string } | { readonly fromFile: string } | { readonly value: string };

const secretReference = z.union([
  z.strictObject({
    fromEnv: matching(
      255,
      /^WEIR_SECRET_[A-Z0-9_]+$/,
      'it must be a variable whose name begins with WEIR_SECRET_',
    ).describe('The environment variable that holds the secret; its name begins with WEIR_SECRET_.'),
  }),
  z.strictObject({
    fromFile: matching(
      255,
      /^(?!\/)(?!(.*\/)?\.\.?(\/|$)).+$/,
      'it must be a path below the secret folder, without ".."',
    ).describe('The file that holds the secret, a path below the secret folder.'),
  }),
  z.strictObject({ value: z.string().min(1).max(65_536) }),
]);

/** A secret field. The form `{value}` exists in the store only: decoding a document refuses it. */
export function secret(): z.ZodType<Secret> {
  return marked(secretReference.describe('A secret, by reference.'), { secret: true, sealed: true });
}

/** Public text, or `{fromFile}` relative to the document; once a document is decoded it is text. It is shown to whoever may see the object. */
export function textOrFile(max: number): z.ZodString {
  const text = z.string().min(1).max(max);
  return marked(
    text.refine((value) => !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value), { error: privateKey }),
    { textFile: true },
  );
}

const privateKey =
  'it holds a private key, which must never be here: remove it, give the certificate alone, and replace that key, because it is no longer secret';

/** One noun. */
export interface Kind<K extends string = string, S extends z.ZodObject = z.ZodObject> {
  readonly kind: K;
  /** The name of its list in answers (`teamTypes`). */
  readonly plural: string;
  /** Its part of a route (`team-types`). */
  readonly path: string;
  /** Whether documents declare it; the others live in the store only. */
  readonly declared: boolean;
  /** The only name that this kind may have. */
  readonly singleton?: string;
  /** One sentence for people. */
  readonly summary: string;
  readonly spec: S;
  /** A complete document, as help shows it (declared kinds). */
  readonly example?: string;
  /** What the platform alone works with: audited are the changes that it belongs to, not itself. */
  readonly internal?: true;
  /** More keys to find a resource by, beyond its name and what it refers to: `email=ann@example.com`. */
  readonly keys?: (spec: z.output<S>) => readonly string[];
}

/** Defines a noun; the types of kind and spec are kept. */
export function defineKind<const K extends string, S extends z.ZodObject>(kind: Kind<K, S>): Kind<K, S> {
  return kind;
}

/** What a field is for: its description, or that of what it wraps. */
export function descriptionOf(schema: z.core.$ZodType): string {
  return (schema as z.ZodType).description ?? (bare(schema) as z.ZodType).description ?? '';
}

/** What a field is when it is absent; nothing where it then stays absent, and for a section, whose fields have their own. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  const def = schema._zod.def as { type: string; defaultValue?: unknown };
  return def.type === 'default' ? def.defaultValue : undefined;
}

/** The keys of a record, with their types. */
export function keysOf<R extends object>(record: R): readonly (keyof R & string)[] {
  return Object.keys(record) as (keyof R & string)[];
}

/** A record with a value for each name. */
export function recordOf<N extends string, V>(names: readonly N[], value: (name: N) => V): Record<N, V> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<N, V>;
}

/** A schema without the wrappers that only say what may be absent. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  const wraps = ['optional', 'default', 'prefault', 'nullable', 'readonly', 'nonoptional', 'catch'];
  return def.innerType && wraps.includes(def.type) ? bare(def.innerType) : schema;
}

/** What a schema holds: named fields, items of a list, or the values of a map; nothing for a leaf. */
export type Parts =
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, z.core.$ZodType>> }
  | {
      readonly type: 'list';
      readonly item: z.core.$ZodType;
      readonly namedBy: string | undefined;
      readonly set: boolean;
    }
  | { readonly type: 'map'; readonly value: z.core.$ZodType }
  | { readonly type: 'leaf' };

const leaf: Parts = { type: 'leaf' };

/** The parts of a schema; a secret, and what the platform keeps up by itself, is one leaf, whatever it is made of. */
export function partsOf(schema: z.core.$ZodType): Parts {
  const known = partsCache.get(schema);
  if (known) return known;
  const parts = findParts(schema);
  partsCache.set(schema, parts);
  return parts;
}

// A memo of a pure function; it holds nothing that a caller can see change.
const partsCache = new WeakMap<z.core.$ZodType, Parts>();

function findParts(schema: z.core.$ZodType): Parts {
  const mark = markOf(schema);
  if (mark.secret || mark.bookkeeping) return leaf;
  const def = bare(schema)._zod.def as {
    type: string;
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
    valueType?: z.core.$ZodType;
  };
  if (def.type === 'object' && def.shape) return { type: 'object', fields: def.shape };
  if (def.type === 'array' && def.element)
    return { type: 'list', item: def.element, namedBy: mark.namedBy, set: mark.set === true };
  if (def.type === 'record' && def.valueType) return { type: 'map', value: def.valueType };
  return leaf;
}
