// The fields of a noun as a flat table, for help and documentation.
import type { z } from 'zod';
import { envelope } from '../kinds/envelope.ts';
import { type KindName, kindOf } from '../kinds/index.ts';
import { defaultOf, descriptionOf, markOf, partsOf } from '../kinds/kind.ts';
import { type JsonSchema, schemaOf } from './json-schema.ts';

/** One field. */
export interface Field {
  /** Where it stands in a document: `spec.instanceTypes[].limit`, `metadata.labels.*`. */
  readonly path: string;
  /** Its type in words, with its bounds. */
  readonly type: string;
  /** What it is when it is absent; nothing where it then stays absent. */
  readonly default?: unknown;
  readonly required: boolean;
  /** When it may not change: `always`, or `while instances exist`. */
  readonly immutable?: string;
  readonly secret: boolean;
  /** The kind that it names. */
  readonly ref?: string;
  readonly description: string;
}

/** The fields of the spec of a kind, parents before children. */
export function fieldsOf(kind: KindName): readonly Field[] {
  return childrenOf(kindOf(kind).spec, 'spec');
}

/** The fields that documents of every kind have around their spec. */
export function envelopeFields(): readonly Field[] {
  return childrenOf(envelope, '');
}

function childrenOf(schema: z.core.$ZodType, path: string): Field[] {
  const parts = partsOf(schema);
  if (parts.type === 'object')
    return Object.entries(parts.fields).flatMap(([key, field]) => branch(field, join(path, key)));
  if (parts.type === 'list') return childrenOf(parts.item, `${path}[]`);
  return parts.type === 'map' ? branch(parts.value, `${path}.*`) : [];
}

function branch(schema: z.core.$ZodType, path: string): Field[] {
  return [fieldOf(schema, path), ...childrenOf(schema, path)];
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function fieldOf(schema: z.core.$ZodType, path: string): Field {
  const mark = markOf(schema);
  const otherwise = defaultOf(schema);
  return {
    path,
    type: typeOf(schema),
    ...(otherwise !== undefined && { default: otherwise }),
    required: schema._zod.optin === undefined && !path.endsWith('.*'),
    ...(mark.immutable && { immutable: mark.immutable.until ? `while ${mark.immutable.until}` : 'always' }),
    secret: mark.secret === true,
    ...(mark.ref && { ref: mark.ref.kind }),
    description: descriptionOf(schema),
  };
}

/** The type of a field in words. */
function typeOf(schema: z.core.$ZodType): string {
  const mark = markOf(schema);
  const parts = partsOf(schema);
  if (mark.secret) return 'secret: `{fromEnv}` or `{fromFile}`';
  if (mark.textFile) return 'text, or `{fromFile}`';
  if (mark.ref) return `name of ${withArticle(mark.ref.kind)}`;
  if (parts.type === 'object') return 'object';
  if (parts.type === 'map') return `map to ${typeOf(parts.value)}`;
  if (parts.type === 'list') return listType(parts);
  return leafType(schemaOf(schema));
}

function listType(parts: { item: z.core.$ZodType; namedBy: string | undefined; set: boolean }): string {
  const item = typeOf(parts.item);
  if (parts.namedBy) return `list of ${item}s, each \`${parts.namedBy}\` once`;
  return `${parts.set ? 'set' : 'list'} of ${item}`;
}

function leafType(json: JsonSchema): string {
  if (json.const !== undefined) return `\`${String(json.const)}\``;
  if (Array.isArray(json.enum)) return json.enum.map((value) => `\`${String(value)}\``).join(' or ');
  if (json.type === 'boolean') return '`true` or `false`';
  if (json.type === 'integer') return `whole number${range(json.minimum, json.maximum)}`;
  if (json.type === 'string') return `text${range(json.minLength, json.maxLength, ' characters')}`;
  return 'anything';
}

function range(least: unknown, most: unknown, unit = ''): string {
  if (typeof most !== 'number') return '';
  return typeof least === 'number' ? ` (${least} to ${most}${unit})` : ` (up to ${most}${unit})`;
}

function withArticle(noun: string): string {
  return `${/^[AEIOU]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
