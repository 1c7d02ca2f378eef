// The last step of the guard: what a signed assertion says of a person besides their address.
import type { Identity } from '../../core/model/identity.ts';
import { refuse, shown } from './refusal.ts';
import { attribute, childrenNamed, saml, textOnly } from './xml.ts';

const xmlsoap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const microsoft = 'http://schemas.microsoft.com';

const usernames = [
  'uid',
  'username',
  'preferred_username',
  'urn:oid:0.9.2342.19200300.100.1.1',
  `${microsoft}/ws/2008/06/identity/claims/windowsaccountname`,
  `${xmlsoap}/name`,
];
const displayNames = [
  'displayName',
  'displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  `${microsoft}/identity/claims/displayname`,
  'cn',
  'urn:oid:2.5.4.3',
  'http://schemas.xmlsoap.org/claims/CommonName',
  'name',
];
const givenNames = ['givenName', 'firstName', 'urn:oid:2.5.4.42', `${xmlsoap}/givenname`];
const surnames = ['sn', 'surname', 'lastName', 'urn:oid:2.5.4.4', `${xmlsoap}/surname`];

/** What the attributes say. They are found by their Name exactly: a FriendlyName is a remark, and names nothing (SAML core 2.7.3.1). */
export function described(
  assertion: Element,
  groupAttribute: string,
): Pick<Identity, 'username' | 'displayName' | 'groups' | 'lastingIds' | 'otherAttributes'> {
  const statements = childrenNamed(assertion, saml, 'AttributeStatement');
  if (statements.some((one) => childrenNamed(one, saml, 'EncryptedAttribute').length > 0))
    refuse(
      'attributes',
      'an attribute is encrypted, and nothing encrypted is read: switch that off at the identity provider',
    );
  const all = statements.flatMap((one) => childrenNamed(one, saml, 'Attribute'));
  const groups = groupsOf(all, groupAttribute);
  const [username, displayName] = [usernameOf(all), displayNameOf(all)];
  return {
    ...(username !== undefined && { username }),
    ...(displayName !== undefined && { displayName }),
    ...(groups ? { groups } : { otherAttributes: namesOf(all) }),
    ...lastingIdsOf(all),
  };
}

/** Ids that an identity provider never gives to anybody else: of SAML subject identifiers, eduPerson, and Microsoft Entra. */
const lastingIds = [
  'urn:oasis:names:tc:SAML:attribute:pairwise-id',
  'urn:oasis:names:tc:SAML:attribute:subject-id',
  'urn:oid:1.3.6.1.4.1.5923.1.1.1.13',
  `${microsoft}/identity/claims/objectidentifier`,
];

function lastingIdsOf(all: readonly Element[]): Pick<Identity, 'lastingIds'> {
  const found = lastingIds.flatMap((name) => {
    const [id, ...others] = textsOf(all.find((one) => attribute(one, 'Name') === name));
    return id === undefined || others.length > 0 ? [] : [[name, id] as const];
  });
  return found.length > 0 ? { lastingIds: Object.fromEntries(found) } : {};
}

/** No attribute of that name: nothing was said of groups. An empty one: the person is in none. */
function groupsOf(all: readonly Element[], name: string): readonly string[] | undefined {
  const found = all.filter((one) => attribute(one, 'Name') === name);
  if (found.length === 0) return undefined;
  const values = found.flatMap((one) => childrenNamed(one, saml, 'AttributeValue')).map(textOnly);
  if (values.includes(undefined))
    refuse(
      'attributes',
      `the values of the attribute ${shown(name)} have to be text, and one of them holds an element`,
    );
  return Array.from(new Set(values.filter((value) => value !== undefined && value !== '')), String);
}

function namesOf(all: readonly Element[]): readonly string[] {
  const names = all.flatMap((one) => attribute(one, 'Name') ?? []);
  return Array.from(new Set(names), (name) => name.slice(0, 120)).slice(0, mostNames);
}

/** As many as a line of the log has room for. */
const mostNames = 12;

function usernameOf(all: readonly Element[]): string | undefined {
  // Some send a whole address, or DOMAIN\name.
  const [, local] = /^(?:[^\\]*\\)?([^@]*)/.exec(textNamed(all, usernames) ?? '') ?? [];
  return local || undefined;
}

function displayNameOf(all: readonly Element[]): string | undefined {
  const whole = textNamed(all, displayNames);
  if (whole !== undefined) return whole;
  const parts = [textNamed(all, givenNames), textNamed(all, surnames)].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** The first text of an attribute with one of these names, in the order of the names. */
function textNamed(all: readonly Element[], names: readonly string[]): string | undefined {
  return names.flatMap((name) => textsOf(all.find((one) => attribute(one, 'Name') === name)))[0];
}

function textsOf(element: Element | undefined): readonly string[] {
  const values = element ? childrenNamed(element, saml, 'AttributeValue') : [];
  return values.map((value) => (textOnly(value) ?? '').replace(/\s+/g, ' ').trim().slice(0, 255)).filter(Boolean);
}
