// A few lines of YAML that show a field where it stands: from the example of its kind, or made for it.
import type { z } from 'zod';
import { envelope } from '../kinds/envelope.ts';
import { type DeclaredKindName, kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import { type JsonSchema, schemaOf } from './json-schema.ts';

/** YAML that sets the field at `path` (`spec.driver.kind`), or for a field of a list's items the list; nothing where there is none. */
export function exampleOf(kind: DeclaredKindName, path: string): string | undefined {
  const steps = (path.split(/\[\]|\.\*/, 1)[0] ?? '').split('.');
  return shownIn((kindOf(kind).example ?? '').split('\n'), steps) ?? made(kind, steps);
}

/** The lines of a block-style document that lead to the field, and those below it. */
function shownIn(lines: readonly string[], [step, ...steps]: readonly string[]): string | undefined {
  if (step === undefined) return lines.join('\n');
  const depth = depthOf(lines[0] ?? '');
  const at = lines.findIndex((line) => depthOf(line) === depth && line.trimStart().startsWith(`${step}:`));
  const line = lines[at];
  if (line === undefined) return undefined;
  const next = lines.findIndex((other, index) => index > at && depthOf(other) <= depth);
  const below = lines.slice(at + 1, next < 0 ? undefined : next);
  const inner = below.length > 0 ? shownIn(below, steps) : inFlow(line, steps);
  return inner === undefined ? undefined : [line, ...(inner === '' ? [] : [inner])].join('\n');
}

/** Nothing more to show where the line itself holds the rest of the way, as `tls: {mode: ldaps}`. */
function inFlow(line: string, steps: readonly string[]): string | undefined {
  return steps.every((step) => line.includes(`{${step}: `) || line.includes(`, ${step}: `)) ? '' : undefined;
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The field alone, with a value that fits. */
function made(kind: DeclaredKindName, steps: readonly string[]): string | undefined {
  const document = envelope.extend({ spec: kindOf(kind).spec });
  const schema = steps.reduce<z.core.$ZodType | undefined>(fieldIn, document);
  const keys = steps.map((step, depth) => `${'  '.repeat(depth)}${step}:`);
  return schema && `${keys.join('\n')} ${sample(schema)}`;
}

function fieldIn(schema: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  const parts = schema && partsOf(schema);
  return parts?.type === 'object' ? parts.fields[key] : undefined;
}

/** A value in flow style that the schema takes. */
function sample(schema: z.core.$ZodType): string {
  const mark = markOf(schema);
  const parts = partsOf(schema);
  if (mark.secret) return '{fromEnv: WEIR_SECRET_NAME}';
  if (mark.textFile) return '{fromFile: certificate.pem}';
  if (parts.type === 'object') return `{${sampleFields(parts.fields)}}`;
  if (parts.type === 'list') return `[${sample(parts.item)}]`;
  if (parts.type === 'map') return '{tier: free}';
  return sampleLeaf(schemaOf(schema));
}

function sampleFields(fields: Readonly<Record<string, z.core.$ZodType>>): string {
  return Object.entries(fields)
    .slice(0, 2)
    .map(([key, field]) => `${key}: ${sample(field)}`)
    .join(', ');
}

function sampleLeaf(json: JsonSchema): string {
  if (json.default !== undefined && json.default !== '') return JSON.stringify(json.default);
  if (Array.isArray(json.enum)) return String(json.enum[0]);
  if (json.type === 'boolean') return 'true';
  if (json.type === 'integer') return String(json.minimum === 0 ? 10 : (json.minimum ?? 1));
  return samples.find((text) => fits(text, json)) ?? '"…"';
}

const samples = [
  'small',
  '/editor',
  'example.com',
  'postgres://weir@localhost/tables',
  'https://example.com',
  'mailto:security@example.com',
  '5mb',
  '/spec/description',
];

function fits(text: string, json: JsonSchema): boolean {
  return typeof json.pattern !== 'string' || new RegExp(json.pattern, 'u').test(text);
}
