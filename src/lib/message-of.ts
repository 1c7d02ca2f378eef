// What was thrown, in words.

/** The words of a failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
