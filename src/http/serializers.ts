// What answers are written by: made of a schema when something is first written by it, because most processes write few of the many that there are.
import build from 'fast-json-stringify';
import type { z } from 'zod';
import { inlineSchema } from './json-schema.ts';

/** Writes a value as JSON: the fields that the schema has, in its order. Throws where one that it requires is missing. */
export type Serializer = (value: unknown) => string;

// Memos of what schemas say by themselves. Those that say the same share one.
const bySchema = new WeakMap<z.core.$ZodType, Serializer>();
const byText = new Map<string, Serializer>();

/** The serializer of a schema. */
export function serializerOf(schema: z.core.$ZodType): Serializer {
  const known = bySchema.get(schema);
  if (known) return known;
  const json = inlineSchema(schema);
  const text = JSON.stringify(json);
  const serializer = byText.get(text) ?? build(json);
  byText.set(text, serializer);
  bySchema.set(schema, serializer);
  return serializer;
}
