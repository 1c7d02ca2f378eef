// How specs look in answers: as they are kept, but of a secret only that it is set, and where it comes from.
import { z } from 'zod';
import { bare, markOf, partsOf } from '../../core/kinds/kind.ts';
import { component } from '../json-schema.ts';

/** A secret as it is shown. Sending it back keeps the secret. */
export const secretView = component(
  'ShownSecret',
  z.strictObject({
    set: z.literal(true).describe('There is a secret.'),
    from: z
      .strictObject({
        fromEnv: z.string().optional().describe('The variable of the server’s environment that holds it.'),
        fromFile: z.string().optional().describe('The file below the server’s secret folder that holds it.'),
      })
      .optional()
      .describe('Where it comes from; absent where it was written out.'),
  }),
);

/** The schema of a spec as it is shown: all fields with defaults are there, and secrets are `ShownSecret`. */
export function shownSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const description = z.globalRegistry.get(schema)?.description ?? z.globalRegistry.get(bare(schema))?.description;
  const plain = plainSchema(schema);
  const described = description === undefined || plain === secretView ? plain : plain.clone();
  if (described !== plain) z.globalRegistry.add(described, { description });
  return mayBeAbsent(schema) ? z.optional(described) : described;
}

/** A spec as it is shown. */
export function shownValue(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (markOf(schema).secret) return shownSecret(value);
  const parts = partsOf(schema);
  if (parts.type === 'list' && Array.isArray(value)) return value.map((item) => shownValue(parts.item, item));
  if ((parts.type !== 'object' && parts.type !== 'map') || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const field = parts.type === 'map' ? parts.value : parts.fields[key];
      return field ? [[key, shownValue(field, item)]] : [];
    }),
  );
}

function shownSecret(value: unknown): z.output<typeof secretView> {
  if (typeof value !== 'object' || value === null) return { set: true };
  if ('fromEnv' in value) return { set: true, from: { fromEnv: String(value.fromEnv) } };
  return 'fromFile' in value ? { set: true, from: { fromFile: String(value.fromFile) } } : { set: true };
}

function plainSchema(schema: z.core.$ZodType): z.ZodType {
  if (markOf(schema).secret) return secretView;
  const parts = partsOf(schema);
  if (parts.type === 'list') return z.array(shownSchema(parts.item));
  if (parts.type === 'map') return z.record(z.string(), shownSchema(parts.value));
  if (parts.type === 'leaf') return leafSchema(bare(schema));
  return z.strictObject(
    Object.fromEntries(Object.entries(parts.fields).map(([key, field]) => [key, shownSchema(field)])),
  );
}

/** A leaf by its type alone: what is shown was checked when it was written. */
function leafSchema(schema: z.core.$ZodType): z.ZodType {
  const def: { readonly type: string; readonly format?: string; readonly entries?: z.core.util.EnumLike } =
    schema._zod.def;
  switch (def.type) {
    case 'boolean':
      return z.boolean();
    case 'number':
      return def.format === 'safeint' ? z.int() : z.number();
    case 'enum':
      return def.entries ? z.enum(def.entries) : z.string();
    case 'string':
      return z.string();
    default:
      return z.unknown();
  }
}

function mayBeAbsent(schema: z.core.$ZodType): boolean {
  return schema._zod.def.type === 'optional';
}
