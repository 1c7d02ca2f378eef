// The JSON Schemas (draft-07) of documents, made from the nouns, for editors.
import { z } from 'zod';
import { envelope } from '../kinds/envelope.ts';
import { type DeclaredKindName, declaredKindNames, kindOf, kinds } from '../kinds/index.ts';
import { markOf } from '../kinds/kind.ts';

/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const draft = 'http://json-schema.org/draft-07/schema#';

/** The schema of any document. Each kind is chosen by `kind`, so that a mistake gives one error and not one a kind. */
export function documentSchema(): JsonSchema {
  return {
    $schema: draft,
    title: 'Weir document',
    description: 'One object of the platform.',
    ...documentOf({ ...schemaOf(envelope.shape.kind), ...kindSummaries() }, {}),
    allOf: declaredKindNames.map((kind) => ({
      if: { properties: { kind: { const: kind } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
      then: narrowed(kind, { $ref: `#/definitions/${kind}` }),
    })),
    definitions: Object.fromEntries(declaredKindNames.map((kind) => [kind, specSchema(kind)])),
  };
}

/** The schema of a document of one kind. */
export function kindSchema(kind: DeclaredKindName): JsonSchema {
  const { summary } = kindOf(kind);
  const document = documentOf({ description: summary, type: 'string', const: kind }, specSchema(kind));
  return { $schema: draft, title: kind, description: summary, ...document, allOf: [narrowed(kind, undefined)] };
}

/** The schema of the spec of a kind, as a document writes it: without the literal form of secrets. */
export function specSchema(kind: DeclaredKindName): JsonSchema {
  return { title: kind, description: kindOf(kind).summary, ...schemaOf(kinds[kind].spec) };
}

function documentOf(kind: JsonSchema, spec: JsonSchema): JsonSchema {
  const { apiVersion, metadata, lifecycle } = envelope.shape;
  return {
    type: 'object',
    required: ['kind', 'metadata'],
    properties: {
      apiVersion: schemaOf(apiVersion),
      kind,
      metadata: schemaOf(metadata),
      lifecycle: schemaOf(lifecycle),
      spec: { ...spec, description: spec.description ?? envelope.shape.spec.description },
    },
    additionalProperties: false,
  };
}

/** What a kind asks of a document beyond what all kinds ask. */
function narrowed(kind: DeclaredKindName, spec: JsonSchema | undefined): JsonSchema {
  const { singleton } = kindOf(kind);
  const properties = {
    ...(singleton && { metadata: { properties: { name: { const: singleton } } } }),
    ...(spec && { spec }),
  };
  const needsSpec = !kinds[kind].spec.safeParse({}).success;
  return { properties, ...(needsSpec && { required: ['spec'] }) };
}

function kindSummaries(): JsonSchema {
  return { enumDescriptions: declaredKindNames.map((kind) => kindOf(kind).summary) };
}

/** The JSON Schema of any part of a document. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => markJson(zodSchema, jsonSchema),
  });
  return readable(json);
}

function markJson(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  const mark = markOf(schema);
  if (mark.set) json.uniqueItems = true;
  // One schema, not a choice of several: a mistake then gives one error.
  if (mark.secret && json.anyOf) {
    const properties = Object.assign({}, ...json.anyOf.map((way) => way.properties));
    delete properties.value;
    delete json.anyOf;
    // `maxProperties: 1` would say the same, but then editors complete nothing.
    const both = { type: 'object', required: Object.keys(properties) };
    Object.assign(json, { type: 'object', properties, additionalProperties: false, minProperties: 1, not: both });
  }
  if (mark.textFile) Object.assign(json, { type: ['string', 'object'], ...fromFile });
}

const fromFile = {
  properties: {
    fromFile: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description: 'The file that holds the text, a path relative to this document.',
    },
  },
  additionalProperties: false,
  minProperties: 1,
};

/** The same with descriptions as editors show them: with the default, and marked up. */
function readable(json: object): JsonSchema {
  const parts = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, readablePart(value)]));
  const { description, default: otherwise, const: only } = parts;
  if (typeof description !== 'string') return parts;
  const markdownDescription = only === undefined ? withDefault(description, otherwise) : description;
  return { ...parts, description: markdownDescription.replaceAll('`', ''), markdownDescription };
}

function readablePart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readablePart);
  return typeof value === 'object' && value !== null ? readable(value) : value;
}

function withDefault(description: string, otherwise: unknown): string {
  const text = typeof otherwise === 'string' ? otherwise : JSON.stringify(otherwise ?? '');
  return ['', '""', '[]', '{}'].includes(text) ? description : `${description} Default: \`${text}\`.`;
}
