// Numbers in forms that people and programs read differently: 0777 is 511 to some. Only plain decimals are taken.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import { bare, partsOf } from '../kinds/kind.ts';
import { childrenOf } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { pointer } from '../model/pointer.ts';
import type { Subject } from './desired.ts';
import { findingIn, type Path, shown } from './finding-in.ts';

/** The numbers of a spec that are not written as plain decimals (`0777`, `0o17`, `0x1F`, `+5`, `.5`, `1e3`). */
export function numberForms(at: Subject, spec: unknown): Finding[] {
  return at.language === undefined ? [...formsIn(at, kindOf(at.kind).spec, spec, ['spec'])] : [];
}

function* formsIn(at: Subject, schema: z.core.$ZodType, value: unknown, path: Path): Iterable<Finding> {
  if (typeof value === 'number' && isNumber(schema)) {
    const raw = at.document.raw(pointer(...path));
    if (raw !== undefined && /^[-+.\d]/.test(raw) && !isPlain.test(raw)) yield refuse(at, path, raw, value);
    return;
  }
  if (typeof value !== 'object' || value === null || !holdsNumbers(schema)) return;
  for (const child of childrenOf(schema, value)) yield* formsIn(at, child.schema, child.value, [...path, child.step]);
}

const isPlain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function refuse(at: Subject, path: Path, raw: string, value: number): Finding {
  const octal = /^0[0-7]+$/.test(raw) ? ` (${Number.parseInt(raw, 8)} if it is octal)` : '';
  const because = /^[-+]?0\d/.test(raw)
    ? 'programs do not agree on what a leading 0 means'
    : 'numbers are written as plain decimals';
  const what = `${shown(path)} cannot be written ${raw}, because ${because}: write ${value}${octal}`;
  return findingIn(at, path, 'value', what, String(value));
}

function isNumber(schema: z.core.$ZodType): boolean {
  return (bare(schema)._zod.def as { readonly type: string }).type === 'number';
}

// A memo of a pure function over schemas, which never change.
const known = new WeakMap<z.core.$ZodType, boolean>();

/** Whether a schema holds a number, at any depth: what does not is passed over. */
function holdsNumbers(schema: z.core.$ZodType): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const parts = partsOf(schema);
  const holds =
    (parts.type === 'leaf' && isNumber(schema)) ||
    (parts.type === 'list' && holdsNumbers(parts.item)) ||
    (parts.type === 'map' && holdsNumbers(parts.value)) ||
    (parts.type === 'object' && Object.values(parts.fields).some(holdsNumbers));
  known.set(schema, holds);
  return holds;
}

/** The plain decimal that a text which YAML takes for no number was probably meant as (`1_000`, `+0x1F`, `0b11`). */
export function decimalMeant(text: string): string | undefined {
  const digits = text.replaceAll('_', '');
  const radix = /^[-+]?0([xob])([\da-f]+)$/i.exec(digits);
  if (!radix) return /^[-+]?\d{1,15}$/.test(digits) ? String(Number(digits)) : undefined;
  const value = Number(`0${radix[1]?.toLowerCase()}${radix[2]}`);
  return Number.isSafeInteger(value) ? `${digits.startsWith('-') ? '-' : ''}${value}` : undefined;
}
