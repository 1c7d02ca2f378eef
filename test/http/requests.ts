// Requests of every kind, made from the description: some that fit it, some that nearly do, and junk.
import * as fc from 'fast-check';
import type { Any, Contract, Operation } from './contract.ts';

/** A body and whether a field was put in that the description does not know. */
export interface Made {
  readonly value: unknown;
  readonly foreign?: true;
}

/** Names that mean something to JavaScript, texts that mean something to others. */
export const nasty = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '.',
  '..',
  '%2e%2e',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '99999999999999999999',
  "' or '1'='1",
  '<script>alert(1)</script>',
  '${7*7}',
  'a\r\nset-cookie: x=1',
  '\u0000',
  '\ud800',
  '\u202e',
  'İıſKÅ',
  'ﷺ'.repeat(20),
  '😀'.repeat(130),
  'x'.repeat(5000),
] as const;

/** Whatever JSON can hold. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...nasty, 0, -1, 1e308, 2 ** 53, 0.1, null, true, [], {}, [[]], [null]),
);

/** Words that name what there is in the world, by the names of fields; the rest is made by the schema. */
export type Words = (field: string) => readonly string[];

/** Values that fit a schema, as far as it tells. */
export function fitting(contract: Contract, schema: Any, words: Words, field = '', depth = 0): fc.Arbitrary<unknown> {
  const of = (inner: Any, name = field) => fitting(contract, inner, words, name, depth + 1);
  const plain = contract.resolve(schema);
  const made = byForm(plain, of, words, field, depth);
  return plain.nullable ? fc.oneof({ weight: 9, arbitrary: made }, { weight: 1, arbitrary: fc.constant(null) }) : made;
}

function byForm(
  schema: Any,
  of: (inner: Any, name?: string) => fc.Arbitrary<unknown>,
  words: Words,
  field: string,
  depth: number,
): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one: Any) => of(one)));
  if (schema.allOf) return of(schema.allOf[0]);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, of, depth);
    case 'array':
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: depth > 4 ? (schema.minItems ?? 0) : Math.min(schema.maxItems ?? 3, 3),
      });
    case 'string':
      return textOf(schema, words(field));
    case 'integer':
      return fc.integer(rangeOf(schema));
    case 'number':
      return fc.double({ ...rangeOf(schema), noNaN: true });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function objectOf(schema: Any, of: (inner: Any, name?: string) => fc.Arbitrary<unknown>, depth: number) {
  const { properties = {}, required = [] } = schema;
  const entries = Object.entries<Any>(properties);
  const shown = depth > 3 ? entries.filter(([name]) => required.includes(name)) : entries;
  // Objects of dozens of fields are mostly left small.
  const optional = shown.map(([name]) => name).filter((name) => !required.includes(name));
  const few = fc.subarray(optional, { maxLength: Math.min(6, optional.length) });
  const all = fc.record(Object.fromEntries(shown.map(([name, inner]) => [name, of(inner, name)])));
  const named = fc
    .tuple(all, few)
    .map(([record, kept]) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => required.includes(name) || kept.includes(name))),
    );
  if (typeof schema.additionalProperties !== 'object') return named;
  const free = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), of(schema.additionalProperties), {
    maxKeys: 2,
  });
  return fc.tuple(free, named).map(([others, record]) => ({ ...others, ...record }));
}

function rangeOf({ minimum = -1_000_000, maximum = 1_000_000 }: Any) {
  return { min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) };
}

function textOf(schema: Any, words: readonly string[]): fc.Arbitrary<string> {
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.min(schema.maxLength ?? 40, Math.max(minLength, 40));
  const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  const free = schema.pattern
    ? matching(schema.pattern).filter((text) => text.length >= minLength && text.length <= (schema.maxLength ?? 1000))
    : schema.format === 'date-time'
      ? times.map((time) => time.toISOString())
      : schema.format === 'email'
        ? fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/)
        : fc.string({ minLength, maxLength, unit: 'grapheme' });
  return words.length === 0 ? free : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, free);
}

/** JSON Schema reads patterns by code points. fast-check reads none that looks ahead: of those we have some texts that fit. */
function matching(pattern: string): fc.Arbitrary<string> {
  const form = new RegExp(pattern, 'u');
  if (!pattern.includes('(?')) return fc.stringMatching(form);
  const known = ['https://example.com/list.json', 'a', 'node-red-a', '1mb', '/path', 'x'].filter((text) =>
    form.test(text),
  );
  return fc.constantFrom(...(known.length > 0 ? known : ['nothing fits']));
}

/** What is sent as a body: what fits, what fits but for one place, what has a field too many, and junk. */
export function bodiesOf(contract: Contract, { body }: Operation, words: Words): fc.Arbitrary<Made> {
  if (!body)
    return fc.oneof(
      fc.constant({ value: undefined }),
      junk.map((value) => ({ value })),
    );
  const fits = fitting(contract, body, words);
  const bent = fc.tuple(fits, fc.nat(), junk).map(([value, where, by]) => ({ value: bend(value, where, by) }));
  const more = fc
    .tuple(fits, fc.constantFrom('colour', 'toString', 'isAdmin', 'id', '_id'))
    .map(([value, key]) =>
      value !== null && typeof value === 'object' && !Object.hasOwn(contract.resolve(body).properties ?? {}, key)
        ? { value: { ...value, [key]: true }, foreign: true as const }
        : { value },
    );
  return fc.oneof(
    { weight: 5, arbitrary: fits.map((value) => ({ value })) },
    { weight: 4, arbitrary: bent },
    { weight: 2, arbitrary: more },
    { weight: 1, arbitrary: junk.map((value) => ({ value })) },
  );
}

/** The value with one of its places, counted through, replaced. */
export function bend(value: unknown, where: number, by: unknown): unknown {
  const places = count(value);
  return replaceAt(value, where % places, by);
}

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + count(one), 1);
}

function replaceAt(value: unknown, place: number, by: unknown): unknown {
  if (place === 0 || typeof value !== 'object' || value === null) return by;
  let left = place - 1;
  const step = (one: unknown) => {
    const size = count(one);
    const here = left >= 0 && left < size;
    const result = here ? replaceAt(one, left, by) : one;
    left -= size;
    return result;
  };
  if (Array.isArray(value)) return value.map(step);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, step(one)]));
}

/** A query: mostly as declared, sometimes bent, sometimes with more than is known. */
export function queriesOf(contract: Contract, { parameters }: Operation, words: Words): fc.Arbitrary<string> {
  const known = parameters.filter((one) => one.in === 'query');
  const values = known.map(({ name, schema }) =>
    fc.oneof(
      { weight: 4, arbitrary: fitting(contract, schema, words, name).map(String) },
      { weight: 1, arbitrary: fc.constantFrom(...nasty) },
    ),
  );
  const pairs = fc
    .tuple(...values)
    .chain((made) => fc.subarray(known.map(({ name }, index) => [name, made[index] ?? ''] as const)));
  const stray = fc.constantFrom<readonly (readonly [string, string])[]>(
    [['colour', 'red']],
    [['__proto__', 'x']],
    [
      ['limit', '1'],
      ['limit', '2'],
    ],
  );
  const some = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: pairs },
    { weight: 1, arbitrary: fc.tuple(pairs, stray).map(([a, b]) => [...a, ...b]) },
  );
  return some.map((list) => list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
}

/** As browsers encode; a lone surrogate becomes what it becomes there. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
