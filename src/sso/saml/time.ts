// Points in time as SAML writes them, and how far clocks may be apart.

/** How far the clock of an identity provider may be from ours, in milliseconds. */
export const skew = 60_000;

/** How old a message may be at most, in milliseconds. */
export const oldest = 600_000;

/** Milliseconds since 1970; nothing for what is not a time in UTC that exists (SAML core 1.3.3: no other zone may stand there). */
export function instantOf(text: string | undefined): number | undefined {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z$/.exec(text ?? '');
  if (!found) return undefined;
  const at = Date.parse(found[0]);
  // A day that does not exist is moved by the parser to one that does.
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(found[1] ?? '') ? at : undefined;
}

/** Whether now lies in a window: from its first moment, up to but not including its last, each of them with the skew. */
export function isWithin(now: number, from: number, until: number): boolean {
  return now >= from - skew && now < until + skew;
}
