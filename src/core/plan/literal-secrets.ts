// What a schema alone cannot say of a spec: no secret is written out.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import { childrenOf } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { insteadOfSecret, type Subject } from './desired.ts';
import { findingIn, type Path, shown } from './finding-in.ts';

/** The form `{value}` is how the store keeps a secret that came over the API; a document may not use it. */
export function literalSecrets(at: Subject, spec: unknown): Finding[] {
  const found: Finding[] = [];
  visit(kindOf(at.kind).spec, spec, ['spec'], (schema, value, path) => {
    if (!markOf(schema).secret || typeof value !== 'object' || value === null || !('value' in value)) return;
    const what = `${shown(path)} cannot be written out, because a tree holds no secrets: ${insteadOfSecret}`;
    found.push({ ...findingIn(at, [...path, 'value'], 'value', what), sensitive: true });
  });
  return found;
}

function visit(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
  see: (schema: z.core.$ZodType, value: unknown, path: Path) => void,
): void {
  if (typeof value !== 'object' || value === null || !isWorthASight(schema)) return;
  see(schema, value, path);
  for (const child of childrenOf(schema, value)) visit(child.schema, child.value, [...path, child.step], see);
}

// A memo of a pure function over schemas, which never change.
const worth = new WeakMap<z.core.$ZodType, boolean>();

/** Whether a schema holds a secret, at any depth: most do not, and are passed over. */
function isWorthASight(schema: z.core.$ZodType): boolean {
  const known = worth.get(schema);
  if (known !== undefined) return known;
  const parts = partsOf(schema);
  const holds =
    markOf(schema).secret === true ||
    (parts.type === 'list' && isWorthASight(parts.item)) ||
    (parts.type === 'map' && isWorthASight(parts.value)) ||
    (parts.type === 'object' && Object.values(parts.fields).some(isWorthASight));
  worth.set(schema, holds);
  return holds;
}
