// What the bytes of a body hold: JSON that can be kept as it is, and is not nested too deep.
import { pointer, readable } from '../core/model/pointer.ts';
import { repeatedKey } from '../lib/repeated-key.ts';
import { invalidRequest, Problem } from './errors.ts';

/** What a body holds; nothing where it is empty. Throws `invalid_request`. */
export function bodyIn(bytes: Uint8Array): unknown {
  const text = bodyText(bytes);
  if (text === '') return undefined;
  const value = parsedBody(text);
  requireKeepable(text, value);
  requireKeysOnce(text, value);
  return value;
}

/** The text of a body. Throws where it is none: what is not UTF-8 would be kept as something else. */
export function bodyText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('invalid_request', { detail: 'The body is not UTF-8.' });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What a text says. Throws where it is no JSON. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    const where = line === undefined ? '' : `: look at line ${line}, column ${column}`;
    throw new Problem('invalid_request', { detail: `The body is not JSON${where}.` });
  }
}

/** Throws for what cannot be kept as it is, and what no object may hold. */
export function requireKeepable(text: string, value: unknown): void {
  requirePlain(value);
  // Both can stand in JSON by an escape only.
  if (!/\\u(0000|d[89a-f])/i.test(text) || isKeepable(value)) return;
  throw new Problem('invalid_request', { detail: 'The body has a text with NUL, or with half of a surrogate pair.' });
}

/** Throws for an object that has one key twice: of these one reader takes the first, another the last (RFC 8259, 4). `text` is the JSON of `value`. */
export function requireKeysOnce(text: string, value: unknown): void {
  const steps = repeatedKey(text, value);
  if (!steps) return;
  const message = `${readable(pointer('', ...steps))} stands there twice: write it once`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path: pointer(...steps) }]);
}

/** Texts that cannot be kept as they are: NUL, and halves of a character (RFC 8259, 8.2). */
function isKeepable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => isKeepable(key) && isKeepable(item));
}

/** How deep a body may be nested, as documents may be. What is deeper would be too much for whatever follows it down. */
const deepest = 64;

/** Level by level, so that no depth is too much for this. */
function requirePlain(body: unknown): void {
  let level: readonly object[] = containersIn([body]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest)
      throw new Problem('invalid_request', { detail: `The body is nested deeper than ${deepest} levels.` });
    if (level.some(isPoisoned))
      throw new Problem('invalid_request', { detail: 'The body has a key that none may have, such as __proto__.' });
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
}

/** With keys by which a careless copy would change what all objects inherit. */
function isPoisoned(container: object): boolean {
  if (Object.hasOwn(container, '__proto__')) return true;
  if (!Object.hasOwn(container, 'constructor') || !('constructor' in container)) return false;
  const { constructor: maker }: { readonly constructor: unknown } = container;
  return typeof maker === 'object' && maker !== null && Object.hasOwn(maker, 'prototype');
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
