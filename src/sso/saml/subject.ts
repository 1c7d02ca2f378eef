// The steps of the guard that ask who signs in: a name id of one form, and of the configuration's domain.
import { onlyChild } from './message.ts';
import { emailFormat } from './names.ts';
import { refuse, shown } from './refusal.ts';
import { attribute, textOnly, withDescendants } from './xml.ts';

/** The one subject of an assertion. */
export function subjectOf(assertion: Element): Element {
  return onlyChild('name-id', assertion, 'Subject');
}

/** The address that the one name id holds, in lower case (specification 2.8, SAML rule 1). */
export function addressOf(subject: Element): string {
  const nameId = onlyChild('name-id', subject, 'NameID');
  // A second one, wherever in the subject, would say that somebody else may use the assertion.
  const named = withDescendants(subject).filter(({ localName }) => ['NameID', 'BaseID'].includes(localName));
  if (named.length > 1) refuse('name-id', 'the Subject has to hold one NameID, and holds more');
  const format = attribute(nameId, 'Format');
  if (format !== emailFormat)
    refuse(
      'name-id',
      `the NameID has to be of the format ${shown(emailFormat)}, and is of ${shown(format)}: choose EmailAddress at the identity provider`,
    );
  return emailOf(textOnly(nameId));
}

/** Refuses a person of another domain: an identity provider speaks for its own. */
export function checkDomain(address: string, emailDomain: string): void {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (domain !== emailDomain.toLowerCase())
    refuse('email-domain', `the address has to be of the domain ${shown(emailDomain)}, and is ${shown(address)}`);
}

/**
 * ASCII alone, and one "@" alone: what lies beyond looks like, or in lower case becomes, the address of another person (the Kelvin sign is a
 * "k"), and a second "@" is read differently by different programs.
 */
function emailOf(text: string | undefined): string {
  if (text === undefined || text.length > 254 || !/^[^\s@<>",;\\()[\]:\u007f-\u{10ffff}]+@[a-zA-Z0-9.-]+$/u.test(text))
    refuse(
      'name-id',
      `the NameID has to be an email address alone, like "ann@example.com", and is ${shown(text)}: have the identity provider send the address of the user as NameID, in the format emailAddress`,
    );
  return text.toLowerCase();
}
