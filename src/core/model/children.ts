// What a value holds, seen with its schema: the fields of a mapping, the items of a list.
import type { z } from 'zod';
import { type Parts, partsOf } from '../kinds/kind.ts';

/** One part of a value. */
export interface Child {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  /** Where it stands in the text: a key or an index. */
  readonly step: string | number;
  /** What it is called: its key, its name in a named list, or its index. */
  readonly name: string;
}

/** The parts of a value; none of a leaf, and none that the schema does not know. */
export function* childrenOf(schema: z.core.$ZodType, value: unknown): Iterable<Child> {
  if (typeof value !== 'object' || value === null) return;
  const parts = partsOf(schema);
  if (parts.type === 'list') yield* Array.isArray(value) ? itemsOf(parts.item, parts.namedBy, value) : [];
  else yield* fieldsOf(parts, value);
}

function* fieldsOf(parts: Parts, value: object): Iterable<Child> {
  for (const [key, item] of Object.entries(value)) {
    const schema = fieldIn(parts, key);
    if (schema) yield { schema, value: item, step: key, name: key };
  }
}

/** The schema of a field, where there is one of that name; names such as `constructor` are nobody's. */
export function fieldIn(parts: Parts, key: string): z.core.$ZodType | undefined {
  if (parts.type === 'map') return parts.value;
  return parts.type === 'object' && Object.hasOwn(parts.fields, key) ? parts.fields[key] : undefined;
}

/** The schema of what stands at some steps below a value of a schema, items of lists by their names or places. */
export function schemaAt(schema: z.core.$ZodType, steps: readonly (string | number)[]): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = schema;
  for (const step of steps) {
    if (at === undefined) return undefined;
    const parts = partsOf(at);
    at = parts.type === 'list' ? parts.item : fieldIn(parts, String(step));
  }
  return at;
}

function* itemsOf(schema: z.core.$ZodType, namedBy: string | undefined, items: readonly unknown[]): Iterable<Child> {
  for (const [index, value] of items.entries()) {
    const name =
      namedBy === undefined ? String(index) : String((value as Readonly<Record<string, unknown>> | null)?.[namedBy]);
    yield { schema, value, step: index, name };
  }
}
