// What stands twice in a list in which it may stand once. The schema finds it too, but only where nothing else is wrong with the list.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import { partsOf } from '../kinds/kind.ts';
import { childrenOf } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import type { Subject } from './desired.ts';
import { findingIn, type Path, shown, shownValue } from './finding-in.ts';

/** Items that stand twice in a set, or names in a named list, of a spec as it was written. */
export function repeatedItems(at: Subject, spec: unknown): Finding[] {
  return [...repeatedIn(at, kindOf(at.kind).spec, spec, ['spec'])];
}

function* repeatedIn(at: Subject, schema: z.core.$ZodType, value: unknown, path: Path): Iterable<Finding> {
  const parts = partsOf(schema);
  if (parts.type === 'list' && (parts.set || parts.namedBy !== undefined) && Array.isArray(value))
    yield* repeated(at, value, path, parts.namedBy);
  for (const child of childrenOf(schema, value))
    yield* repeatedIn(at, child.schema, child.value, [...path, child.step]);
}

function* repeated(at: Subject, items: readonly unknown[], path: Path, key: string | undefined): Iterable<Finding> {
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const id = key === undefined ? item : (item as Readonly<Record<string, unknown>> | null)?.[key];
    const place = [...path, index, ...(key === undefined ? [] : [key])];
    if (typeof id === 'string' && seen.has(id))
      yield findingIn(
        at,
        place,
        'value',
        `${shown(place)} cannot be ${shownValue(id)}, because it stands in the list already`,
      );
    seen.add(id);
  }
}
