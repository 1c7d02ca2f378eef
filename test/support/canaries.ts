// Canaries: values that stand for secrets, planted wherever secrets are, and looked for wherever something is printed.
import { createHash } from 'node:crypto';

export interface Canaries {
  /** A new value, by where it is planted; the same for the same place. */
  plant(where: string): string;
  /** The same, for where the SHA-256 of a secret is kept. */
  plantHash(where: string): string;
  /** The places whose values stand in a text, plainly or encoded. */
  foundIn(text: string): readonly string[];
  /** Where values were planted. */
  planted(): readonly string[];
}

/** Canaries of a test's own. */
export function createCanaries(): Canaries {
  const values = new Map<string, string>();
  const put = (where: string, value: string) => {
    values.set(where, value);
    return value;
  };
  return {
    plant: (where) => put(where, `canary${hashOf(where).slice(0, 14)}zq`),
    plantHash: (where) => put(where, hashOf(where)),
    foundIn: (text) => [...values].filter(([, value]) => formsOf(value).some((form) => text.includes(form))).map(first),
    planted: () => [...values.keys()],
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function first([where]: readonly [string, string]): string {
  return where;
}

/** A value as it is, in hexadecimal, and in base64 wherever in a text it begins. */
function formsOf(value: string): readonly string[] {
  const known = formCache.get(value);
  if (known) return known;
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${value}`)
      .toString('base64')
      .slice(4, 28),
  );
  // Half of it is too much as well: a value that is cut is one that is shown.
  const forms = [value.slice(0, 16), value.slice(-16), Buffer.from(value).toString('hex'), ...shifted];
  formCache.set(value, forms);
  return forms;
}

const formCache = new Map<string, readonly string[]>();
