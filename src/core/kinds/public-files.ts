// Public texts that a document may keep in a file beside it: `{fromFile: idp.pem}`.
import type { z } from 'zod';
import { isDeclaredKind, kindOf } from './index.ts';
import { markOf, partsOf } from './kind.ts';

/** A field of a document that names a file: its steps below the document, and the path as written. */
export interface FileReference {
  readonly steps: readonly string[];
  readonly path: string;
}

/** The files that a document names, read or not, in any state of correctness. */
export function publicFilesOf(value: unknown): FileReference[] {
  const kind = fieldOf(value, 'kind');
  if (!isDeclaredKind(kind)) return [];
  return routesOf(kindOf(kind).spec, ['spec']).flatMap((steps) => {
    const path = fieldOf(steps.reduce(fieldOf, value), 'fromFile');
    return typeof path === 'string' ? [{ steps, path }] : [];
  });
}

const routeCache = new WeakMap<z.core.$ZodType, readonly (readonly string[])[]>();

function routesOf(schema: z.core.$ZodType, at: readonly string[]): readonly (readonly string[])[] {
  const known = routeCache.get(schema);
  if (known) return known;
  const parts = partsOf(schema);
  const routes = markOf(schema).textFile
    ? [at]
    : parts.type === 'object'
      ? Object.entries(parts.fields).flatMap(([key, field]) => routesOf(field, [...at, key]))
      : [];
  routeCache.set(schema, routes);
  return routes;
}

/** What a value of any form holds in a field of its own. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
