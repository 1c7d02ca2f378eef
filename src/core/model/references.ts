// What a resource refers to, found by the marks of its kind.
import type { z } from 'zod';
import { type KindName, kindNames, kindOf, kinds } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import { pointer } from './pointer.ts';

/** A target that a resource names. */
export interface Target {
  readonly kind: KindName;
  readonly by: 'name' | 'id';
  readonly to: string;
}

/** A target, and the pointer to the field that names it. */
export interface Reference extends Target {
  readonly path: string;
}

/** The index key under which all that refer to a target are found. */
export function referenceKey(target: Target): string {
  return `>${target.kind}${target.by === 'id' ? '#' : '/'}${target.to}`;
}

/** Everything that a resource refers to. */
export function referencesOf(resource: { readonly kind: KindName; readonly spec: unknown }): Reference[] {
  const found: Reference[] = [];
  for (const route of routesOf(resource.kind)) collect(resource.spec, route, 0, ['spec'], found);
  return found;
}

/** The kinds whose resources may refer to `kind`. */
export function referringKinds(kind: KindName): readonly KindName[] {
  return kindNames.filter((from) => routesOf(from).some((route) => route.kind === kind));
}

/** A way through a spec to a field that names a kind; `*` goes through every item of a list or map. */
interface Route {
  readonly steps: readonly string[];
  readonly kind: KindName;
  readonly by: 'name' | 'id';
}

const routeCache = new Map<KindName, readonly Route[]>();

function routesOf(kind: KindName): readonly Route[] {
  const known = routeCache.get(kind);
  if (known) return known;
  const routes = findRoutes(kindOf(kind).spec, []);
  routeCache.set(kind, routes);
  return routes;
}

function findRoutes(schema: z.core.$ZodType, steps: readonly string[]): Route[] {
  const { ref } = markOf(schema);
  if (ref && ref.kind in kinds) return [{ steps, kind: ref.kind as KindName, by: ref.by }];
  const parts = partsOf(schema);
  if (parts.type === 'object')
    return Object.entries(parts.fields).flatMap(([key, field]) => findRoutes(field, [...steps, key]));
  if (parts.type === 'list') return findRoutes(parts.item, [...steps, '*']);
  if (parts.type === 'map') return findRoutes(parts.value, [...steps, '*']);
  return [];
}

function collect(
  value: unknown,
  route: Route,
  depth: number,
  at: readonly (string | number)[],
  into: Reference[],
): void {
  if (value === undefined || value === null) return;
  const step = route.steps[depth];
  if (step === undefined) {
    if (typeof value === 'string') into.push({ kind: route.kind, by: route.by, to: value, path: pointer(...at) });
  } else if (step !== '*') {
    collect((value as Record<string, unknown>)[step], route, depth + 1, [...at, step], into);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, route, depth + 1, [...at, index], into);
  } else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) collect(item, route, depth + 1, [...at, key], into);
  }
}
