// The secrets of a resource, where they stand in its spec.
import type { Secret } from '../kinds/kind.ts';
import { leavesOf } from '../model/leaves.ts';
import type { Resource } from '../model/resource.ts';

/** Every secret that a resource has, with its JSON Pointer. */
export function secretsOf(resource: Resource): { readonly path: string; readonly secret: Secret }[] {
  return [...leavesOf(resource.kind, resource.spec).values()].flatMap((leaf) =>
    leaf.secret && isSecret(leaf.value) ? [{ path: leaf.pointer, secret: leaf.value }] : [],
  );
}

function isSecret(value: unknown): value is Secret {
  return typeof value === 'object' && value !== null && ('fromEnv' in value || 'fromFile' in value || 'value' in value);
}
