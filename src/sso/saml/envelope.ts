// The first step of the guard: from a form field to text.
import { refuse } from './refusal.ts';

/** The most characters of base64 that a response may have: 256 KiB. */
export const largestEnvelope = 262_144;

/** The text in the form field `SAMLResponse`: strict base64 (line breaks may stand in it) of strict UTF-8 without control characters. */
export function opened(encoded: unknown): string {
  if (typeof encoded !== 'string' || encoded === '')
    refuse('envelope', 'the form has no field "SAMLResponse" with one text: the identity provider must use HTTP-POST');
  if (encoded.length > largestEnvelope)
    refuse(
      'envelope',
      `the response has ${encoded.length} characters of base64, and ${largestEnvelope} are the most: have the identity provider send fewer attributes or groups`,
    );
  const text = textOf(bytesOf(encoded));
  const sign = unwanted.exec(text)?.[0];
  if (sign !== undefined)
    refuse('envelope', `the response holds the character ${name(sign)}, and no control character may stand in it`);
  return text;
}

/**
 * Whether a character may stand in a response, also by reference. Not: control characters but tab, LF and CR; U+2028 and U+2029, which parsers
 * read differently; the byte order mark; what is no character at all.
 */
export function mayStand(sign: string): boolean {
  return !unwanted.test(sign);
}

const unwanted = /[^\t\n\r\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

function bytesOf(encoded: string): Buffer {
  const base64 = encoded.replace(/[\r\n]/g, '');
  const bytes = Buffer.from(base64, 'base64');
  // What is written again differs wherever a decoder had to be lenient: a foreign character, padding in the middle, bits left over.
  if (bytes.length === 0 || bytes.toString('base64') !== base64)
    refuse('envelope', 'the form field "SAMLResponse" is no base64 (RFC 4648, section 4)');
  return bytes;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('envelope', 'the response is not encoded in UTF-8');
  }
}

function name(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
