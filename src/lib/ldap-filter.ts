// Whether text is a search filter of LDAP (RFC 4515), with placeholders such as `${username}` in its values.

/**
 * What is wrong with a text as a filter, in words that can follow "because"; nothing where it can be read. Space between its parts is taken, and a
 * placeholder can only stand in a value: nobody chooses by what they type which attribute is asked.
 */
export function ldapFilterProblem(text: string): string | undefined {
  if (text.includes(leaf)) return unreadable;
  let rest = compactFilter(text).replace(item, leaf);
  for (let before = ''; rest !== before; ) {
    before = rest;
    rest = rest.replace(composed, leaf);
  }
  return rest === leaf ? undefined : unreadable;
}

/** A filter without the space that people put between its parts. */
export function compactFilter(text: string): string {
  return text
    .trim()
    .replace(/\)\s+(?=[()])/g, ')')
    .replace(/\(\s*([&|!])\s*(?=\()/g, '($1');
}

const unreadable = 'it cannot be read as a filter (RFC 4515), such as "(&(objectClass=person)(uid=${username}))"';

/** What stands for a part that was read: no character, in any text (Unicode, 23.7). */
const leaf = '\ufffe';

/** An attribute, how it is compared, and a value: `(uid=a*)`, `(age>=5)`, `(cn:dn:caseExactMatch:=a)`. */
const item = /\([\w-]+(?:[~<>]?=|(?::dn)?(?::[\w.-]+)?:=)(?:[^()\\]|\\[0-9A-Fa-f]{2})*\)/g;

const composed = /\((?:[&|]\ufffe+|!\ufffe)\)/g;
