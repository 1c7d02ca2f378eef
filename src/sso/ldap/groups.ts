// The groups of an entry, all of them or none: half a list would take memberships away.
import { AndFilter, type Entry, EqualityFilter, OrFilter } from 'ldapts';
import { valuesOf } from './person.ts';
import type { Session } from './session.ts';
import { Trouble } from './trouble.ts';

/** Whose groups: a DN, and where the directory gives DNs out again, the bits that tell one holder from the next (RFC 4519, 2.40, 2.44). */
export interface Member {
  readonly dn: string;
  readonly uniqueIdentifiers: readonly string[];
}

/** An entry as a member. */
export function memberOf(entry: Entry): Member {
  return { dn: entry.dn, uniqueIdentifiers: valuesOf(entry, 'x500UniqueIdentifier') };
}

/**
 * The names (`cn`) of the groups below a DN whose `member` (groupOfNames) or `uniqueMember` (groupOfUniqueNames) is the entry (specification 2.8), each
 * once, as the directory writes them; all names of a group that has several. Throws trouble when it does not tell all: at a limit, or where a part is on another server.
 */
export async function groupsOf(session: Session, groupDn: string, member: Member): Promise<readonly string[]> {
  const names = new Set<string>();
  const search = { filter: membershipFilter(member), attributes: ['cn'] };
  let cookie = Buffer.alloc(0);
  do {
    const found = await session.search(groupDn, { ...search, page: { size: pageSize, cookie } });
    if (found.referred) throw new Trouble('referral');
    for (const name of found.entries.flatMap(namesOf)) names.add(name);
    cookie = Buffer.from(found.cookie);
  } while (cookie.length > 0);
  return [...names];
}

/** Every group has a name; one that shows none would be missed without a word. */
function namesOf(entry: Entry): string[] {
  const shown = Object.entries(entry).some(([name, value]) => name.toLowerCase() === 'cn' && [value].flat().length > 0);
  if (!shown) throw new Trouble('nameless');
  return valuesOf(entry, 'cn');
}

function membershipFilter({ dn, uniqueIdentifiers }: Member): OrFilter {
  // A value with bits of another holder must not match, and does not (RFC 4517, 4.2.31): that one is gone.
  const unique = [dn, ...uniqueIdentifiers.map((bits) => `${dn}#${bits}`)];
  return new OrFilter({
    filters: [
      having('groupOfNames', 'member', dn),
      ...unique.map((value) => having('groupOfUniqueNames', 'uniqueMember', value)),
    ],
  });
}

/** Made of values, not of text: there is nothing to escape in a DN. */
function having(objectClass: string, attribute: string, value: string): AndFilter {
  return new AndFilter({
    filters: [
      new EqualityFilter({ attribute: 'objectClass', value: objectClass }),
      new EqualityFilter({ attribute, value }),
    ],
  });
}

/** Active Directory hands out a thousand entries at most. */
const pageSize = 500;
