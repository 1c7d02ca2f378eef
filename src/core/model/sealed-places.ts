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
  const made = [...walk(kindOf(kind).spec, [])];
  patterns.set(kind, made);
  return made;
}

// A memo of a pure function: nearly all kinds have no such place, and each commit asks.
const patterns = new Map<KindName, readonly Pattern[]>();

function* walk(schema: z.core.$ZodType, steps: Pattern): Generator<Pattern> {
  const def = bare(schema)._zod.def as {
    readonly type: string;
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly element?: z.core.$ZodType;
    readonly valueType?: z.core.$ZodType;
    readonly options?: readonly z.core.$ZodType[];
  };
  if (markOf(schema).sealed) yield def.type === 'union' ? [...steps, 'value'] : steps;
  else if (def.type === 'object')
    for (const [key, field] of Object.entries(def.shape ?? {})) yield* walk(field, [...steps, key]);
  else if (def.type === 'array' && def.element) yield* walk(def.element, [...steps, '*']);
  else if (def.type === 'record' && def.valueType) yield* walk(def.valueType, [...steps, '*']);
  else if (def.type === 'union') for (const option of def.options ?? []) yield* walk(option, steps);
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
