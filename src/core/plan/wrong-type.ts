// A value of another type than its field: what it is, what it must be, and how it is probably meant.
import type { z } from 'zod';
import { type Parts, partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { pointer } from '../model/pointer.ts';
import type { Subject } from './desired.ts';
import { findingIn, type Path, shown } from './finding-in.ts';
import { choiceMeant, type Hint, numberMeant } from './meant-value.ts';

/** `expected` is zod's word for the type; `field` is the schema of what stands there, `above` of what it stands in. */
export interface WrongType {
  readonly expected: string;
  readonly actual: unknown;
  readonly field: z.core.$ZodType | undefined;
  readonly above: z.core.$ZodType | undefined;
}

/** The finding for a value of the wrong type. */
export function wrongType(at: Subject, path: Path, wrong: WrongType): Finding {
  const { expected, actual } = wrong;
  const name = shown(path);
  if (actual === null) return findingIn(at, path, 'value', `${name} has no value: it must be ${wanted(expected)}`);
  const isYaml = at.language === undefined;
  const raw = at.document.raw(pointer(...path)) ?? String(actual);
  if (isYaml && expected === 'string' && (typeof actual === 'number' || typeof actual === 'boolean')) {
    const what = `${name} must be text, and YAML reads ${raw} as ${typeName(actual)}: quote it`;
    return findingIn(at, path, 'value', what, `"${raw}"`);
  }
  const meant = isYaml && expected === 'boolean' && typeof actual === 'string' ? truthOf(actual) : undefined;
  if (meant !== undefined && meant !== actual) {
    const what = `${name} must be true or false, and YAML 1.2 reads ${actual} as text: write ${meant}`;
    return findingIn(at, path, 'value', what);
  }
  const is = expected === 'int' && typeof actual === 'number' ? raw : typeName(actual);
  const { hint = '', suggestion } = isYaml ? hintFor(wrong, String(path.at(-1))) : {};
  return findingIn(at, path, 'value', `${name} must be ${wanted(expected)}, not ${is}${hint}`, suggestion);
}

function truthOf(text: string): string | undefined {
  if (/^(yes|on|y|true)$/i.test(text)) return 'true';
  return /^(no|off|n|false)$/i.test(text) ? 'false' : undefined;
}

/** What a person who wrote this probably wanted. */
function hintFor({ expected, actual, field, above }: WrongType, key: string): Hint {
  const parts = field && partsOf(field);
  const isPlain = typeof actual === 'string' && /^[\w.-]{1,60}$/.test(actual);
  const quotes: Hint = { hint: ': write it without quotes' };
  if (expected === 'boolean' && (actual === 'true' || actual === 'false')) return { ...quotes, suggestion: actual };
  if ((expected === 'number' || expected === 'int') && typeof actual === 'string')
    return numberMeant(key, fieldOf(above, key), actual);
  if (expected === 'array') return listHint(parts, actual, isPlain);
  return expected === 'object' ? mappingHint(parts, above, actual, isPlain) : {};
}

function mappingHint(
  parts: Parts | undefined,
  above: z.core.$ZodType | undefined,
  actual: unknown,
  isPlain: boolean,
): Hint {
  const named = namedBy(above && partsOf(above));
  if (named !== undefined) return isPlain ? { hint: `: write {${named}: …}`, suggestion: `{${named}: ${actual}}` } : {};
  const choice = typeof actual === 'string' ? choiceMeant(parts, actual) : {};
  if (choice.hint !== undefined) return choice;
  return parts?.type === 'object' && Object.hasOwn(parts.fields, 'value') ? { hint: ': write {value: …}' } : {};
}

/** A field as its mapping has it: whether it may be left out. */
function fieldOf(above: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  return above && fieldIn(partsOf(above), key);
}

function listHint(parts: Parts | undefined, actual: unknown, isPlain: boolean): Hint {
  const key = namedBy(parts);
  if (key !== undefined) return { hint: `: write a list of items that each have a ${key}` };
  return isPlain ? { hint: ': put it in brackets', suggestion: `[${actual}]` } : {};
}

function namedBy(parts: Parts | undefined): string | undefined {
  return parts?.type === 'list' ? parts.namedBy : undefined;
}

function wanted(expected: string): string {
  return expected === 'boolean' ? 'true or false' : (names[expected] ?? expected);
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** What people call the type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'a list' : (names[typeof value] ?? typeof value);
}
