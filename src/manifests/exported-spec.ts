// The part of a spec that somebody would write: without what is so by default, and without the values of secrets.
import type { z } from 'zod';
import { kindOf } from '../core/kinds/index.ts';
import { markOf, partsOf } from '../core/kinds/kind.ts';
import { isRecord } from '../core/model/is-record.ts';
import { sameValue } from '../core/model/leaves.ts';
import type { DeclaredResource } from '../core/model/resource.ts';

/** A secret that was given as a value: where it stands in the document, and the variable that its reference names. */
export interface Literal {
  readonly steps: readonly (string | number)[];
  readonly variable: string;
}

/** What of a resource's spec is not so anyway, with references in the place of secret values. */
export function exportedSpec(resource: DeclaredResource): {
  readonly spec: object;
  readonly literals: readonly Literal[];
} {
  const literals: Literal[] = [];
  const spec = written(kindOf(resource.kind).spec, resource.spec, { resource, steps: ['spec'], literals });
  return { spec: spec as object, literals };
}

interface At {
  readonly resource: DeclaredResource;
  readonly steps: readonly (string | number)[];
  readonly literals: Literal[];
}

function written(schema: z.core.$ZodType, value: unknown, at: At): unknown {
  if (markOf(schema).secret) return reference(value, at);
  const parts = partsOf(schema);
  if (parts.type === 'list' && Array.isArray(value))
    return value.map((item, index) => written(parts.item, item, below(at, index)));
  if (!isRecord(value) || (parts.type !== 'object' && parts.type !== 'map')) return value;
  const fields =
    parts.type === 'map' ? Object.keys(value).map((key) => [key, parts.value] as const) : Object.entries(parts.fields);
  return Object.fromEntries(fields.flatMap(([key, field]) => entry(key, field, value[key], at)));
}

function entry(key: string, schema: z.core.$ZodType, value: unknown, at: At): [string, unknown][] {
  if (value === undefined || value === null) return [];
  const def = schema._zod.def as { type: string; defaultValue?: unknown };
  if (def.type === 'default' && sameValue(def.defaultValue, value)) return [];
  const inner = written(schema, value, below(at, key));
  // A section that is filled in by itself says nothing when it is empty; one that may be absent says that it is there.
  if (def.type === 'prefault' && isRecord(inner) && Object.keys(inner).length === 0) return [];
  return [[key, inner]];
}

function reference(value: unknown, { resource, steps, literals }: At): unknown {
  if (!isRecord(value) || !('value' in value)) return value;
  const words = [resource.kind, resource.name, ...steps.slice(1).map(String)];
  const variable = `WEIR_SECRET_${words.map(upper).join('_')}`;
  literals.push({ steps, variable });
  return { fromEnv: variable };
}

/** `SsoConfig` → `SSO_CONFIG`, `plant-example` → `PLANT_EXAMPLE`. */
function upper(word: string): string {
  return word
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll(/[^A-Za-z0-9]/g, '_')
    .toUpperCase();
}

function below(at: At, step: string | number): At {
  return { ...at, steps: [...at.steps, step] };
}
