// Tokens: how one is made, recognised and kept. Its text is shown once; what is kept is a hash.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomText } from '../lib/id.ts';

/** What tokens begin with: those of people and scrapers, of devices, of machines that become devices, and of those that call endpoints of an instance. Scanners for leaked secrets go by it. */
export const tokenPrefixes = {
  access: 'weirp_',
  device: 'weirdev_',
  provisioning: 'weirprov_',
  http: 'weirhttp_',
} as const;

/** What a token is for. */
export type TokenUse = keyof typeof tokenPrefixes;

/** A fresh token: its prefix, 40 random base62 characters, and 6 of their CRC-32; with the hash to keep. */
export function mintToken(use: TokenUse = 'access'): { readonly token: string; readonly hash: string } {
  const random = randomText(40);
  const token = `${tokenPrefixes[use]}${random}${checksum(random)}`;
  return { token, hash: hashToken(token) };
}

/** The SHA-256 of a token, in hexadecimal. It has 238 random bits, so nothing slower is needed. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** What a text is a token for, by its form and its own checksum; nothing for anything else, which is refused without a look-up. */
export function useOfToken(text: string): TokenUse | undefined {
  const [, prefix, random, sum] = /^(weir[a-z]+_)([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  if (random === undefined || sum !== checksum(random)) return undefined;
  return uses.find((use) => tokenPrefixes[use] === prefix);
}

const uses = Object.keys(tokenPrefixes) as TokenUse[];

function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) digits = base62.charAt(rest % 62) + digits;
  return digits.padStart(6, '0');
}
