// Entries of a directory that share an address: whose account it is cannot be told from that.
import { type Entry, EqualityFilter } from 'ldapts';
import { printable } from '../../core/model/printable.ts';
import type { Directory } from './directory.ts';
import { personAttributes, personOf } from './person.ts';
import type { Session } from './session.ts';

/** The other entries below the base that are somebody with the same address. */
export async function othersWithMail(
  session: Session,
  { baseDn, emailDomain }: Pick<Directory, 'baseDn' | 'emailDomain'>,
  entry: Entry,
  email: string,
): Promise<readonly Entry[]> {
  const filter = new EqualityFilter({ attribute: 'mail', value: email });
  const { entries } = await session.search(baseDn, { filter, attributes: personAttributes, sizeLimit: mostRead });
  return entries.filter((other) => {
    const person = personOf(other, emailDomain);
    return other.dn !== entry.dn && 'email' in person && person.email === email;
  });
}

/** What is wrong with these entries, in words for administrators. */
export function sharedMail(entries: readonly Entry[], email: string): string {
  const dns = entries.slice(0, mostShown).map(({ dn }) => `"${printable(dn.slice(0, 300))}"`);
  return `${dns.join(' and ')} have one mail, ${printable(email)}, and would be one account: give each entry a mail of its own, or narrow ldap.baseDn to those who sign in`;
}

const mostRead = 20;
const mostShown = 3;
