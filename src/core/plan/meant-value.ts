// What a person who wrote a value of another type probably wanted: for the mistakes that are made most.
import type { z } from 'zod';
import { bare, type Parts } from '../kinds/kind.ts';
import { decimalMeant } from './number-forms.ts';

/** Words that can follow a message, and what to write instead. */
export interface Hint {
  readonly hint?: string;
  readonly suggestion?: string;
}

/** For a field that holds a number, by its name and schema, and a text that stands there. */
export function numberMeant(field: string, schema: z.core.$ZodType | undefined, text: string): Hint {
  if (schema?._zod.def.type === 'optional' && isUnlimited.test(text)) return { hint: ': leave it out for no limit' };
  const measured = measuredIn(field, text);
  if (measured !== undefined)
    return { hint: `: the unit stands in the name of the field: write ${measured}`, suggestion: String(measured) };
  if (/^-?\d+(\.\d+)?$/.test(text)) return { hint: ': write it without quotes', suggestion: text };
  const decimal = decimalMeant(text);
  return decimal === undefined ? {} : { hint: `: write ${decimal}`, suggestion: decimal };
}

const isUnlimited = /^(?:unlimited|none|no|infinity|infinite|inf|any|max)$/i;

/** A number with a unit, in the unit that the name of the field ends with; nothing where it is not a whole number of that. */
function measuredIn(field: string, text: string): number | undefined {
  const [, count, unit] = /^(\d{1,12})\s*(%|[A-Za-z]{1,12})$/.exec(text) ?? [];
  const own = Object.keys(units).find((ending) => field.endsWith(ending) || field === ending.toLowerCase());
  const factor = own === undefined || unit === undefined ? undefined : units[own]?.[unit.toLowerCase()];
  const value = factor === undefined ? Number.NaN : Number(count) * factor;
  return Number.isSafeInteger(value) ? value : undefined;
}

const units: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Mb: {
    ...{ ki: 1 / 1024, k: 1 / 1024, kb: 1 / 1024, kib: 1 / 1024 },
    ...{ mi: 1, m: 1, mb: 1, mib: 1, gi: 1024, g: 1024, gb: 1024, gib: 1024 },
  },
  Percent: { '%': 1, percent: 1 },
  Ms: { ms: 1, s: 1_000, m: 60_000 },
  Seconds: { s: 1, sec: 1, m: 60, min: 60, h: 3_600 },
  Hours: { h: 1, hours: 1, d: 24, days: 24, w: 168 },
};

/** For a mapping of which one field is a choice (`tls: {mode}`), where that choice stands instead of the mapping. */
export function choiceMeant(parts: Parts | undefined, text: string): Hint {
  if (parts?.type !== 'object') return {};
  for (const [key, schema] of Object.entries(parts.fields)) {
    const { entries } = bare(schema)._zod.def as { readonly entries?: Readonly<Record<string, string>> };
    const choice = Object.values(entries ?? {}).find((value) => value.toLowerCase() === text.toLowerCase());
    if (choice !== undefined) return { hint: `: write {${key}: ${choice}}`, suggestion: `{${key}: ${choice}}` };
  }
  return {};
}
