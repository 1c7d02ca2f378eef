// Generated specs of every declared kind, made from the schemas themselves: no field is forgotten.
import fc from 'fast-check';
import { z } from 'zod';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { bare, descriptionOf, markOf, partsOf } from '../../../src/core/kinds/kind.ts';

/** A kind and what a document of it may say in its spec. */
export const anySpec: fc.Arbitrary<{ readonly kind: DeclaredKindName; readonly spec: object }> = fc
  .constantFrom(...declaredKindNames)
  .chain((kind) => specOf(kind).map((spec) => ({ kind, spec })));

/** What a document of a kind may say in its spec: any field may be left out where it may be. */
export function specOf(kind: DeclaredKindName): fc.Arbitrary<object> {
  return anyOf(kindOf(kind).spec).filter((spec) => kindOf(kind).spec.safeParse(spec).success) as fc.Arbitrary<object>;
}

const names = ['a', 'b', 'c', 'spec'];
const secrets = [{ fromEnv: 'WEIR_SECRET_A' }, { fromEnv: 'WEIR_SECRET_B' }, { fromFile: 'ldap/password' }];
/** Texts, one of which has the form that a field asks for. */
const texts = [
  'a',
  'b',
  'x y',
  'Example.com',
  'https://a.example/x',
  'pg://db/x',
  '/flows',
  '5mb',
  'A_1',
  'UTC',
  '',
  '1.0',
];
const numbers = [0, 1, 2, 40, 60, 1000, 4000, 70_000];

function anyOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const mark = markOf(schema);
  if (mark.secret) return fc.constantFrom(...secrets);
  if (mark.ref) return fc.constantFrom(...names);
  const parts = partsOf(schema);
  if (parts.type === 'object') return objectOf(parts.fields);
  if (parts.type === 'list') return listOf(schema, parts.item, parts.namedBy);
  return scalarOf(bare(schema), descriptionOf(schema));
}

function objectOf(fields: Readonly<Record<string, z.core.$ZodType>>): fc.Arbitrary<object> {
  const entries = Object.entries(fields).map(([key, field]) => [key, anyOf(field)] as const);
  const required = Object.entries(fields).filter(([, field]) => !z.safeParse(field, undefined).success);
  const requiredKeys = required.map(([key]) => key);
  return fc.record(Object.fromEntries(entries), { requiredKeys }) as fc.Arbitrary<object>;
}

function listOf(list: z.core.$ZodType, item: z.core.$ZodType, key: string | undefined): fc.Arbitrary<unknown> {
  const idOf = (value: unknown) => (key === undefined ? value : (value as Readonly<Record<string, unknown>>)[key]);
  const selector = (value: unknown) => String(idOf(value)).toLowerCase();
  return fc.uniqueArray(anyOf(item), { maxLength: 3, selector }).filter((items) => z.safeParse(list, items).success);
}

function scalarOf(schema: z.core.$ZodType, description: string): fc.Arbitrary<unknown> {
  const def = schema._zod.def as { type: string; entries?: Readonly<Record<string, string>> };
  if (def.entries) return fc.constantFrom(...Object.values(def.entries));
  const candidates: readonly unknown[] =
    def.type === 'boolean' ? [true, false] : def.type === 'string' ? texts : numbers;
  const fitting = candidates.filter((value) => z.safeParse(schema, value).success);
  if (fitting.length === 0)
    throw new Error(`add a value to any-spec.ts: none there fits the field that is described as "${description}"`);
  return fc.constantFrom(...fitting);
}
