// Whether a value has fields: anything that was parsed may be anything.

/** A mapping: neither a list nor nothing. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
