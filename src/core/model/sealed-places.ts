// Where the secrets stand that a resource holds in clear: found in the schemas, also in what the platform keeps up by itself.
import type { z } from 'zod';
import { type KindName, kindOf } from '../kinds/index.ts';
import { bare, markOf } from '../kinds/kind.ts';
import type { Resource } from './resource.ts';

/** Steps from a spec to a secret; `*` is each item of a list or each value of a map. */
type Pattern = readonly string[];

/** The steps from a resource to each secret that it holds in clear. */
export function sealedPlacesOf(resource: Resource): readonly (readonly string[])[] {
  const found: string[][] = [];
  for (const pattern of patternsOf(resource.kind)) follow(resource.spec, pattern, ['spec'], found);
  return found;
}

/** Where secrets may stand in a kind. */
export function patternsOf(kind: KindName): readonly Pattern[] {
  const known = patterns.get(kind);
  if (known) return known;
  const made = [...sealedStepsBelow(kindOf(kind).spec, [])];
  patterns.set(kind, made);
  return made;
}

// A memo of a pure function: nearly all kinds have no such place, and each commit asks.
const patterns = new Map<KindName, readonly Pattern[]>();

const leaves: ReadonlySet<string> = new Set(['string', 'number', 'int', 'boolean', 'enum', 'literal', 'null']);

/** The steps to what is marked below a schema. Throws for a type that it does not know. */
export function* sealedStepsBelow(schema: z.core.$ZodType, steps: Pattern): Generator<Pattern> {
  const isUnion = bare(schema)._zod.def.type === 'union';
  if (markOf(schema).sealed) yield isUnion ? [...steps, 'value'] : steps;
  else for (const [step, part] of partsBelow(schema)) yield* sealedStepsBelow(part, [...steps, ...step]);
}

/** What a schema is made of, and the step to it. What was passed over would stand on the disk in clear. */
function partsBelow(schema: z.core.$ZodType): readonly (readonly [step: Pattern, part: z.core.$ZodType])[] {
  const def = bare(schema)._zod.def as {
    readonly type: string;
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly catchall?: z.core.$ZodType;
    readonly element?: z.core.$ZodType;
    readonly valueType?: z.core.$ZodType;
    readonly options?: readonly z.core.$ZodType[];
  };
  if (leaves.has(def.type)) return [];
  if (def.catchall && def.catchall._zod.def.type !== 'never') throw unknownTo('catchall');
  if (def.type === 'object' && def.shape) return Object.entries(def.shape).map(([key, field]) => [[key], field]);
  if (def.type === 'array' && def.element) return [[['*'], def.element]];
  if (def.type === 'record' && def.valueType) return [[['*'], def.valueType]];
  if (def.type === 'union' && def.options) return def.options.map((option) => [[], option]);
  throw unknownTo(def.type);
}

function unknownTo(type: string): Error {
  return new Error(`secrets cannot be looked for in a schema of type ${type}: teach it to partsBelow()`);
}

function follow(value: unknown, [step, ...rest]: Pattern, at: readonly string[], found: string[][]): void {
  if (step === undefined) {
    if (typeof value === 'string' && !found.some((other) => String(other) === String(at))) found.push([...at]);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const keys = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : [];
  for (const key of keys) follow((value as Readonly<Record<string, unknown>>)[key], rest, [...at, key], found);
}
