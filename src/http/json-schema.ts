// From zod to the schemas of OpenAPI 3.0, and to those that answers are written with.
import { z } from 'zod';
import { markOf } from '../core/kinds/kind.ts';

/** A schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface Shown {
  /** Has a place and a name of its own among the components. */
  readonly id?: string;
  /** Is described as another schema, or as plain data: what is checked is not always what is sent. */
  readonly as?: z.core.$ZodType | JsonSchema;
}

// A registry of its own: what the API shows never mixes with the schemas that editors get.
const shown = new WeakMap<z.core.$ZodType, Shown>();

/** Gives a schema a name among the components of the description. */
export function component<S extends z.ZodType>(id: string, schema: S): S {
  shown.set(schema, { ...shown.get(schema), id });
  return schema;
}

/** Describes a schema as something else. */
export function describedAs<S extends z.ZodType>(schema: S, as: z.core.$ZodType | JsonSchema): S {
  shown.set(schema, { ...shown.get(schema), as });
  return schema;
}

/** Collects the components that schemas refer to. */
export interface Components {
  /** The schema as OpenAPI 3.0 has it; what has a name is referred to. */
  of(schema: z.core.$ZodType): JsonSchema;
  /** Every component that was referred to, by name. */
  all(): Readonly<Record<string, JsonSchema>>;
}

/** Starts a collection. */
export function collectComponents(): Components {
  const known = new Map<string, JsonSchema>();
  const refer = (schema: z.core.$ZodType): JsonSchema | undefined => {
    const id = shown.get(schema)?.id;
    if (id === undefined) return undefined;
    if (!known.has(id)) {
      known.set(id, {});
      known.set(id, convert(schema, refer));
    }
    return { $ref: `#/components/schemas/${id}` };
  };
  return {
    of: (schema) => refer(schema) ?? convert(schema, refer),
    all: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The schema with everything in place, for writing answers quickly. */
export function inlineSchema(schema: z.core.$ZodType): JsonSchema {
  return convert(schema, () => undefined);
}

type Refer = (schema: z.core.$ZodType) => JsonSchema | undefined;

function convert(schema: z.core.$ZodType, refer: Refer): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const own = asData(zodSchema, jsonSchema);
      const other = own ?? (zodSchema === schema ? undefined : refer(zodSchema)) ?? stated(zodSchema, refer);
      if (!other) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, other);
    },
  });
  return rewrite(json);
}

function stated(schema: z.core.$ZodType, refer: Refer): JsonSchema | undefined {
  const as = shown.get(schema)?.as;
  if (as !== undefined && isZod(as)) return refer(as) ?? convert(as, refer);
  return markOf(schema).secret ? writtenSecret : undefined;
}

/** What is described as plain data, with the words of its own. `.describe()` makes another schema, which is described as the one before. */
function asData(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): JsonSchema | undefined {
  const as = shown.get(schema)?.as;
  const { parent } = schema._zod;
  if (as === undefined) return parent && asData(parent, json);
  const { description } = json;
  return isZod(as) ? undefined : { ...as, ...(description === undefined ? {} : { description }) };
}

function isZod(value: z.core.$ZodType | JsonSchema): value is z.core.$ZodType {
  return '_zod' in value;
}

const text = (description: string) => ({ type: 'string', minLength: 1, description });
const form = (description: string, properties: JsonSchema) => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).slice(0, 1),
  additionalProperties: false,
});

/** A secret as it is written: never shown again. */
const writtenSecret: JsonSchema = {
  description:
    'A secret: written out, by reference, or `{set: true}` to keep the one that is there. Its value is never shown again.',
  anyOf: [
    { ...text('The secret itself.'), writeOnly: true },
    form('The secret itself.', { value: { ...text('The secret.'), writeOnly: true } }),
    form('A variable of the server’s environment.', {
      fromEnv: { ...text('Its name.'), pattern: '^WEIR_SECRET_[A-Z0-9_]+$' },
    }),
    form('A file below the server’s secret folder.', { fromFile: text('Its path.') }),
    form('The secret that is there already, as it is read.', {
      set: { type: 'boolean', enum: [true], description: 'Keep it.' },
      from: { type: 'object', description: 'As it was read; not looked at.' },
    }),
  ],
};

/** OpenAPI 3.0 has no `const`: a list of one value says the same. */
function constants(json: Loose): Loose {
  const { const: only, ...rest } = json;
  return 'const' in json ? { ...rest, enum: [only] } : json;
}

/** What draft-07 says otherwise than OpenAPI 3.0. */
function rewrite(json: object): JsonSchema {
  const entries = Object.entries(json).filter(([key]) => !unknownKeywords.has(key));
  return nullableEnum(
    nullable(
      typed(constants(bounds(Object.fromEntries(entries.map(([key, item]) => [key, rewriteValue(key, item)]))))),
    ),
  );
}

/** `nullable` lifts what the type forbids, not what the list of values does (OpenAPI 3.0.3, proposal 2019-10-31). */
function nullableEnum(json: JsonSchema): JsonSchema {
  const { enum: values, nullable: mayBeNull } = json;
  return mayBeNull === true && Array.isArray(values) && !values.includes(null)
    ? { ...json, enum: [...values, null] }
    : json;
}

const unknownKeywords = new Set(['$schema', '$id', 'propertyNames', 'patternErrorMessage', 'contentEncoding']);

/** Below `properties` the keys are names, below `enum` and the like the values are data. */
function rewriteValue(key: string, item: unknown): unknown {
  if (typeof item !== 'object' || item === null || ['enum', 'const', 'default', 'example', 'required'].includes(key))
    return item;
  if (Array.isArray(item)) return item.map((one) => (typeof one === 'object' && one !== null ? rewrite(one) : one));
  if (key !== 'properties') return rewrite(item);
  return Object.fromEntries(Object.entries(item).map(([name, schema]) => [name, rewrite(Object(schema))]));
}

type Loose = Record<string, unknown>;

function bounds(json: Loose): Loose {
  for (const [exclusive, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (typeof json[exclusive] === 'number') Object.assign(json, { [plain]: json[exclusive], [exclusive]: true });
  return json;
}

/** `type: [string, null]`. */
function typed(json: Loose): Loose {
  if (!Array.isArray(json['type'])) return json;
  const [only, ...others] = json['type'].filter((type) => type !== 'null');
  const rest = others.length > 0 ? { anyOf: [only, ...others].map((type) => ({ type })) } : { type: only };
  const { type: all, ...plain } = json;
  return { ...plain, ...rest, ...(Array.isArray(all) && all.includes('null') ? { nullable: true } : {}) };
}

function nullable(json: Loose): Loose {
  const { anyOf, ...rest } = json;
  if (!Array.isArray(anyOf)) return json;
  const [only, ...others] = anyOf.filter((one) => one.type !== 'null');
  if (others.length + 1 === anyOf.length) return json;
  if (others.length > 0) return { ...rest, anyOf: [only, ...others].map((one) => ({ ...one, nullable: true })) };
  return '$ref' in only
    ? { ...rest, type: 'object', nullable: true, allOf: [only] }
    : { ...rest, ...only, nullable: true };
}
