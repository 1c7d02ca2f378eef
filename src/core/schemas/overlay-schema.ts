// The JSON Schema (draft-07) of documents of an overlay, which are parts: what is left out stays as the base has it, and null takes it away (RFC 7386).
import { documentSchema, type JsonSchema } from './json-schema.ts';

/** The schema of any document of an overlay. It asks for kind and name only; lists are whole, as they take the place of the whole list. */
export function overlaySchema(): JsonSchema {
  const { required, properties, allOf, definitions, ...document } = documentSchema() as WholeSchema;
  const { kind, metadata, ...others } = properties;
  return {
    ...document,
    title: 'Weir overlay document',
    description: 'What an environment has otherwise than the base: a part of an object, found by its kind and name.',
    required,
    properties: { kind, metadata: called(metadata), ...nullableFields(others) },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    allOf: allOf.map(({ then: { required: _, ...narrowed }, ...when }) => ({ ...when, then: narrowed })),
    definitions: nullableFields(definitions),
  };
}

type Fields = Readonly<Record<string, JsonSchema>>;

/** The parts of a document's schema that are other in an overlay. */
interface WholeSchema extends JsonSchema {
  readonly required: readonly string[];
  readonly properties: Fields & { readonly kind: JsonSchema; readonly metadata: JsonSchema };
  readonly allOf: readonly { readonly if: JsonSchema; readonly then: JsonSchema }[];
  readonly definitions: Fields;
}

/** The name says what is changed, so it has to be there. */
function called(metadata: JsonSchema): JsonSchema {
  const { name, ...others } = metadata['properties'] as Fields;
  return { ...metadata, required: ['name'], properties: { name, ...nullableFields(others) } };
}

function nullableFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, nullable(part(schema))]));
}

/** A mapping of which any field may be left out. What has a default has that of the base, and a secret changes its form by taking the other away. */
function part({ required: _, minProperties: __, not: ___, default: ____, ...schema }: JsonSchema): JsonSchema {
  const { properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties ? { properties: nullableFields(properties as Fields) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: nullable(part(additionalProperties as JsonSchema)) }
      : {}),
  };
}

function nullable({ const: only, ...schema }: JsonSchema): JsonSchema {
  const values = only === undefined ? schema['enum'] : [only];
  const types = [schema['type'] ?? []].flat();
  return {
    ...schema,
    ...(types.length > 0 ? { type: [...types, 'null'] } : {}),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
