// Random secrets that prove something by being known: the values of cookies, and of links in mails.
import { randomText } from '../lib/id.ts';
import { hashToken } from './token.ts';

/** A fresh secret of 238 random bits, URL-safe, and the hash to keep. */
export function mintSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomText(40);
  return { secret, hash: hashToken(secret) };
}

/** Whether a text has the form of such a secret: anything else is refused without a look-up. */
export function isWellFormedSecret(text: string): boolean {
  return /^[0-9A-Za-z]{40}$/.test(text);
}
