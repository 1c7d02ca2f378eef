// Random texts: ids, and what tokens and passwords are made of.
import { randomBytes } from 'node:crypto';

/** The digits of base62, in the order of ASCII. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A fresh id: opaque, URL-safe, 131 random bits. */
export function newId(): string {
  return randomText(idLength);
}

/** Makes ids for whoever needs many: it asks the system for randomness once for some hundred of them. Not for secrets, of which none should wait in memory. */
export function idSource(): () => string {
  let pool = '';
  return () => {
    if (pool.length < idLength) pool = randomText(256 * idLength);
    const id = pool.slice(0, idLength);
    pool = pool.slice(idLength);
    return id;
  };
}

const idLength = 22;

/** Text of `length` characters, each drawn with equal chance from `alphabet` (at most 256 characters). */
export function randomText(length: number, alphabet = base62): string {
  // A byte past the last whole multiple of the alphabet's size would favour its first characters.
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length - text.length + 8))
      if (byte < fair && text.length < length) text += alphabet.charAt(byte % alphabet.length);
  return text;
}
