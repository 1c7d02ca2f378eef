// JSON Merge Patch (RFC 7386): how a partial document alters another one.

/**
 * The target with the patch merged over it: mappings are merged key by key, `null` takes a key away, and everything else (lists too) takes the
 * place of what was there. Neither is written to.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMapping(patch)) return patch;
  const merged = new Map(Object.entries(isMapping(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  // Makes own properties, also for a key `__proto__`.
  return Object.fromEntries(merged);
}

/**
 * Whether the patch says something of what a path's steps lead to: it sets the value there or something around it whole (`set`), takes it or
 * something around it away (`removed`), sets parts of a mapping (`parts`), or leaves all of it to the target (`left`).
 */
export function patchedAt(
  target: unknown,
  patch: unknown,
  steps: readonly string[],
): 'set' | 'removed' | 'parts' | 'left' {
  if (patch === null) return 'removed';
  if (!isMapping(patch) || !isMapping(target)) return removesBelow(patch, steps) ? 'removed' : 'set';
  const [step, ...rest] = steps;
  if (step === undefined) return 'parts';
  if (!Object.hasOwn(patch, step)) return 'left';
  return patchedAt(Object.hasOwn(target, step) ? target[step] : undefined, patch[step], rest);
}

/** In what is new a `null` leaves nothing behind either. */
function removesBelow(patch: unknown, [step, ...rest]: readonly string[]): boolean {
  if (!isMapping(patch) || step === undefined || !Object.hasOwn(patch, step)) return false;
  return patch[step] === null || removesBelow(patch[step], rest);
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
