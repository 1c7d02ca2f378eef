// Text from a file, made fit for a line of a screen or a log.

/** Control characters, line breaks and those that turn the direction of writing are escaped: a message is one line and means what it shows. */
export function printable(text: string): string {
  return text.replace(unprintable, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A value as JSON, cut short: it may be anything, of any size. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A value without what is nobody else's business: the password that an address may carry, and a private key in the place of a certificate. */
export function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/:\/\/[^/@\s]*@/g, '://***@').replace(/-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*/, '***');
}
