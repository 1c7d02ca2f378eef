// The plain values that several nouns share, each with its bounds.
import { z } from 'zod';
import { matching } from './kind.ts';

/** Text of 1 to `max` characters. */
export function text(max: number): z.ZodString {
  return z.string().min(1).max(max);
}

/** A name for people, in one line: something of it can be seen. Several may have the same. */
export function displayName(max = 255): z.ZodString {
  return optionalName(max).min(1);
}

/** A name for people that may be left empty. */
export function optionalName(max = 255): z.ZodString {
  return matching(
    max,
    // What takes no ink (spaces, fillers, and what fonts leave out), then what does: at each character there is one way to go on. Nowhere stands a control
    // character (C0, DEL, C1), the end of a line, or what turns the direction of the text around it: the name would show as another. Without the flag `u`,
    // and without what only it reads, so that whoever reads the schemas in another language has a valid expression.
    // biome-ignore lint/suspicious/noMisleadingCharacterClass: each stands for itself here.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
    /^(?:(?:[ \u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200d\u202f\u205f-\u2065\u206a-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff])*(?:[^ \u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200d\u202f\u205f-\u2065\u206a-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud82f\ud834\udb40-\udb43]|\ud82f[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udca0-\udca3]|\ud834[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udd73-\udd7a])[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*)?$/,
    'it must hold something that can be seen, and no characters that control lines or the direction of text',
  );
}

/** Free text for people, up to 1000 characters; empty when nothing is said. */
export function prose(description: string): z.ZodDefault<z.ZodString> {
  return z.string().max(1000).default('').describe(description);
}

/** A switch with its default and what it does. */
export function flag(otherwise: boolean, description: string): z.ZodDefault<z.ZodBoolean> {
  return z.boolean().default(otherwise).describe(description);
}

/** A whole number from 0 to `max`. */
export function count(max: number): z.ZodInt {
  return z.int().min(0).max(max);
}

/** A place in a list: a whole number, lower first. */
export function order(): z.ZodDefault<z.ZodInt> {
  return z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .default(0)
    .describe('The place in lists that people choose from: lower comes first, equal ones by name.');
}

/** Whether something is on offer for something new; what exists already keeps working. */
export function active(): z.ZodDefault<z.ZodBoolean> {
  return flag(
    true,
    'Whether it can be chosen for something new. What uses it already is not touched when this becomes false.',
  );
}

/** A span in hours: 1 to 8760 (one year). */
export function hours(): z.ZodInt {
  return z.int().min(1).max(8760);
}

/** An http(s) address without a user name or password in it: programs refuse to ask such addresses, and a secret in one is shown. */
export function url(): z.ZodString {
  return matching(
    2048,
    /^https?:\/\/[^\s/:@?#]+(?::[^\s/@?#]*)?(?:[/?#]\S*)?$/,
    'it must be an http:// or https:// address without a user name or password in it',
  );
}

/** A DNS domain (RFC 1035, 1123) of at least two labels, kept in lower case. */
export function dnsDomain(): z.ZodString {
  return matching(
    253,
    /^([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/,
    'it must be a domain like example.com',
  ).toLowerCase();
}

/**
 * An email address as this platform keeps it: see `keptEmail`. One mailbox has one address, so nothing may stand in it that cannot be seen, that
 * mail programs read as a dot, or that they leave out; and a domain with a dot at its end would be the same domain under another name.
 */
export function emailAddress(): z.ZodString {
  const form = matching(254, emailForm, 'it must be an email address like ann@example.com');
  // In ASCII a domain is longer.
  return form.overwrite(keptEmail).max(254);
}

/**
 * An address, or what somebody typed for one, in the form in which it is kept: in lower case, and its domain in ASCII as DNS has it (RFC 5890), because
 * `bücher.example` and `xn--bcher-kva.example` are one domain. A domain that DNS cannot have stays as it is.
 */
export function keptEmail(text: string): string {
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at).toLowerCase();
  return text.slice(0, at).toLowerCase() + (isForeignDomain(domain) ? inAscii(domain) : domain);
}

function isForeignDomain(domain: string): boolean {
  return /[^\0-\x7f]/.test(domain) && /^[\p{L}\p{M}\p{N}._-]+$/u.test(domain);
}

function inAscii(domain: string): string {
  const address = `http://${domain}`;
  return URL.canParse(address) ? new URL(address).hostname : domain;
}

// In this order: white space and control characters, invisible ones, dots that are none, and what has a meaning of its own in the headers of mails.
const notInEmails = String.raw`\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u206f\u3002\uff0e\uff61@<>()[\]:",;\\`;

const emailForm = new RegExp(`^[^${notInEmails}]+@[^${notInEmails}.]+(\\.[^${notInEmails}.]+)*$`);

/** The name of an environment variable. */
export function variableName(): z.ZodString {
  return matching(128, /^[A-Za-z_][A-Za-z0-9_]*$/, 'it must be letters, digits and "_", and not begin with a digit');
}

/** A point in time: RFC 3339, UTC. */
export function instant(): z.ZodISODateTime {
  return z.iso.datetime();
}
