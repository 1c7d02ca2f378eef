// Access tokens: how one is made, recognised and kept. Its text is shown once; what is kept is a hash.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomText } from '../lib/id.ts';

/** A fresh token: `weirp_`, 40 random base62 characters, and 6 of their CRC-32; with the hash to keep. */
export function mintToken(): { readonly token: string; readonly hash: string } {
  const random = randomText(40);
  const token = `weirp_${random}${checksum(random)}`;
  return { token, hash: hashToken(token) };
}

/** The SHA-256 of a token, in hexadecimal. It has 238 random bits, so nothing slower is needed. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Whether a text has the form of a token and its own checksum: anything else is refused without a look-up. */
export function isWellFormedToken(text: string): boolean {
  const [, random, sum] = /^weirp_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return random !== undefined && sum === checksum(random);
}

function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) digits = base62.charAt(rest % 62) + digits;
  return digits.padStart(6, '0');
}
