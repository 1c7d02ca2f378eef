// A value of a field on one line; and two texts so that people see where they differ.

import { isRecord } from '../../core/model/is-record.ts';
import { escaped } from './escape.ts';

/** How much of a text is shown beside the name of its field. */
export const mostText = 60;

/** A value on one line; a text that is long is cut, and tells how long it is. */
export function valueText(value: unknown, sensitive?: true): string {
  if (sensitive && isRecord(value) && 'set' in value) return secretText(value);
  if (typeof value !== 'string') return wholeText(value, valueText);
  const text = wholeText(value);
  const [cut] = text.length > mostText ? [[...value].slice(0, mostText - 3).join('')] : [];
  return cut === undefined ? text : `${quoted(cut, '', '…')} (${value.length} characters)`;
}

function secretText({ fingerprint }: Readonly<Record<string, unknown>>): string {
  return fingerprint === undefined ? '(a secret)' : `(a secret, fingerprint ${escaped(String(fingerprint))})`;
}

/** A value on one line, in full; the keys of a mapping in order, so that equal values have equal texts. */
export function wholeText(value: unknown, inner: (value: unknown) => string = wholeText): string {
  if (Array.isArray(value)) return `[${value.map((item) => inner(item)).join(', ')}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${escaped(key)}: ${inner(value[key])}`).join(', ')}}`;
  }
  return typeof value === 'string' ? quoted(value) : String(value);
}

/**
 * Two texts in quotes that never look equal where they are not: long ones are cut around the first difference, and what would be shown alike
 * (an accent in one character or in two) is escaped.
 */
export function apart(before: string, after: string, most = mostText): readonly [string, string] {
  const first = firstDifference(before, after);
  const isLong = Math.max(before.length, after.length) > most;
  const from = isLong ? Math.max(0, first - Math.floor(most / 3)) : 0;
  const [a, b] = [before, after].map((text) => windowOn(text, from, isLong ? from + most : text.length));
  if (a === undefined || b === undefined) return ['', ''];
  const texts = [quoted(...a), quoted(...b)] as const;
  return alike(...texts) ? [withoutOthers(texts[0]), withoutOthers(texts[1])] : texts;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** A part of a text, never half a character, and what shows that it goes on before and behind. */
function windowOn(text: string, from: number, to: number): readonly [string, string, string] {
  const [start, end] = [from, to].map((at) => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at));
  const part = text.slice(Math.max(0, start ?? 0), end);
  return [part, (start ?? 0) > 0 ? '…' : '', (end ?? 0) < text.length ? '…' : ''];
}

function quoted(text: string, before = '', after = ''): string {
  return `"${before}${escaped(JSON.stringify(text).slice(1, -1))}${after}"`;
}

function alike(a: string, b: string): boolean {
  return a.normalize('NFKC') === b.normalize('NFKC');
}

/** All but ASCII, and the signs of what was cut, as escapes. */
function withoutOthers(text: string): string {
  return text.replace(/(?!…)[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
