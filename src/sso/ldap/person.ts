// Who was found in a directory: the filter that looks for them, and what their own entry says of them.
import { type Entry, escapeFilter, type Filter, FilterParser } from 'ldapts';
import { emailAddress } from '../../core/kinds/scalars.ts';
import type { Identity } from '../../core/model/identity.ts';
import { compactFilter, ldapFilterProblem } from '../../lib/ldap-filter.ts';
import { Trouble } from './trouble.ts';

/** What was typed at sign-in, for the placeholders of a filter. */
export interface Login {
  readonly username: string;
  readonly email: string;
}

/**
 * What was typed as `${username}` and `${email}` (specification 2.8): of an address the username is what stands before the "@"; to a bare username
 * the domain is added. Nothing for what can be nobody's name, or is of another domain.
 */
export function loginOf(typed: string, emailDomain: string): Login | undefined {
  const at = typed.lastIndexOf('@');
  const username = at < 0 ? typed : typed.slice(0, at);
  const domain = at < 0 ? emailDomain : typed.slice(at + 1).toLowerCase();
  if (username.trim() === '' || username.length > 256 || domain !== emailDomain) return undefined;
  return { username, email: `${username}@${emailDomain}` };
}

/** The filter for one login. What was typed stays a value, whatever it is. Throws trouble where the filter cannot be read. */
export function filterFor(template: string, login: Login): Filter {
  const problem = ldapFilterProblem(template);
  if (problem !== undefined) throw new Trouble('filter', { detail: problem });
  // A function, because in a replacing text "$&" has a meaning.
  const filled = inUtf8(compactFilter(template)).replace(
    /\$\{(username|email)\}/g,
    (_, name: 'username' | 'email') => escapeFilter`${login[name]}`,
  );
  return FilterParser.parseString(filled);
}

/** ldapts takes an escaped byte for the character of that number; letters beyond ASCII are several bytes (RFC 4515, 3). */
function inUtf8(template: string): string {
  return template.replace(/(?:\\[89A-Fa-f][0-9A-Fa-f])+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString(),
  );
}

/** Texts that no other entry ever has: of RFC 4530, and of the 389 Directory Server. */
const lastingTexts = ['entryUUID', 'nsUniqueId'];

/** The attributes that tell who somebody is, and which holder of their DN. */
export const personAttributes = [
  'mail',
  'uid',
  'sAMAccountName',
  'cn',
  'displayName',
  'x500UniqueIdentifier',
  ...lastingTexts,
  'objectGUID',
];

/** Who an entry is, by its own address; or why it can be nobody. */
export function personOf(entry: Entry, emailDomain: string): Identity | { readonly problem: string } {
  const mails = valuesOf(entry, 'mail');
  const email = mails.flatMap((mail) => addressIn(mail, emailDomain) ?? [])[0];
  if (email === undefined)
    return {
      problem:
        mails.length === 0
          ? 'it has no mail that ldap.username may see: give it one, or let ldap.username read the attribute'
          : `none of its mail addresses is of the domain ${emailDomain}`,
    };
  const username = firstOf(entry, ['uid', 'sAMAccountName', 'cn']);
  const displayName = firstOf(entry, ['displayName', 'cn']);
  const lastingIds = lastingIdsOf(entry);
  return {
    email,
    ...(username ? { username } : {}),
    ...(displayName ? { displayName } : {}),
    ...(Object.keys(lastingIds).length > 0 ? { lastingIds } : {}),
  };
}

/** Of Active Directory it is bytes, and told as hexadecimal digits. */
function lastingIdsOf(entry: Entry): Record<string, string> {
  const texts = lastingTexts.flatMap((name) =>
    valuesOf(entry, name)
      .slice(0, 1)
      .map((value) => [name, value] as const),
  );
  const guid = Object.entries(entry).find(([name]) => name.toLowerCase() === 'objectguid')?.[1];
  const [bytes] = [guid].flat();
  return Object.fromEntries([
    ...texts,
    ...(Buffer.isBuffer(bytes) ? [['objectGUID', bytes.toString('hex')] as const] : []),
  ]);
}

/** The texts of an attribute, whose name is written as the directory likes. */
export function valuesOf(entry: Entry, attribute: string): string[] {
  return Object.entries(entry).flatMap(([name, value]) =>
    name.toLowerCase() === attribute.toLowerCase() ? [value].flat().filter((one) => typeof one === 'string') : [],
  );
}

function firstOf(entry: Entry, attributes: readonly string[]): string | undefined {
  return attributes
    .flatMap((attribute) => valuesOf(entry, attribute))
    .map((text) => text.replace(unfit, ' ').trim().slice(0, 255).toWellFormed())
    .find((text) => text !== '');
}

/** What breaks lines, or turns the direction of writing: a name is shown in one line with others. */
const unfit = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const address = emailAddress();

function addressIn(mail: string, emailDomain: string): string | undefined {
  // "K" (the sign for kelvin) is "k" in lower case: no letter may become one of another address.
  if ([...mail].some((sign) => sign > '\x7f' && /[\0-\x7f]/.test(sign.toLowerCase()))) return undefined;
  const { data } = address.safeParse(mail.trim());
  return data?.slice(data.lastIndexOf('@') + 1) === emailDomain ? data : undefined;
}
