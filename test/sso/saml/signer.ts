// An identity provider of our own: it writes responses in canonical form, so that what it writes is what it signs, and every part can be another.
import { createHash, createHmac, type KeyObject, sign } from 'node:crypto';
import type { Expected } from '../../../src/sso/saml/guard.ts';
import { curvePair, rsaPair } from '../../support/self-signed.ts';

export const idp = rsaPair();
export const curve = curvePair();
export const stranger = rsaPair();

const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const assertionNamespace = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
export const genuineAcs = 'https://weir.example/sso/saml/good/acs';
export const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** What the guard is told in these tests, unless a test says otherwise. */
export function expecting(changes: Partial<Expected> = {}): Expected {
  return {
    acsUrl: 'https://weir.example/sso/saml/good/acs',
    entityId: 'https://weir.example/sso/saml/good',
    issuer: 'https://idp.example/metadata',
    certificates: [idp.certificate],
    emailDomain: 'good.example',
    groupAttribute: 'svc-roles',
    isPending: (id) => id === '_request',
    now: '2026-11-21T12:00:00Z',
    ...changes,
  };
}

/** Every part of a message: text where it is XML. */
export const genuine = {
  responseId: '_response',
  assertionId: '_assertion',
  responseVersion: '2.0',
  assertionVersion: '2.0',
  responseIssued: '2026-11-21T12:00:00Z',
  assertionIssued: '2026-11-21T12:00:00Z',
  destination: 'https://weir.example/sso/saml/good/acs' as string | undefined,
  inResponseTo: '_request' as string | undefined,
  responseIssuer: `<saml:Issuer ${assertionNamespace}>https://idp.example/metadata</saml:Issuer>`,
  assertionIssuer: '<saml:Issuer>https://idp.example/metadata</saml:Issuer>',
  status:
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>',
  nameId: `<saml:NameID Format="${emailFormat}">ann@good.example</saml:NameID>`,
  confirmation: confirmation(),
  conditions: conditions(),
  authentication: authentication(),
  attributes: attributes({ 'svc-roles': ['svc-core-owner'] }),
  /** More XML, at the end of each. */
  inResponse: '',
  inAssertion: '',
};

export type Parts = typeof genuine;

/** How something is signed. `undefined` as the key: it is not. */
export interface Signing {
  readonly key?: KeyObject | undefined;
  readonly method?: string;
  readonly digest?: string;
  readonly canonicalization?: string;
  readonly transforms?: readonly string[];
  readonly uri?: string;
  readonly keyInfo?: string;
  readonly object?: string;
  /** The last word on the XML of SignedInfo, before it is signed. */
  readonly info?: (xml: string) => string;
  /** What is done to the octets before their digest is taken. */
  readonly octets?: (xml: string) => string;
}

/** A response as XML, with what is different in it. `respelled` has the last word on what is signed: it has to be canonical again. */
export function written(
  changes: Partial<Parts> = {},
  signing: { readonly response?: Signing; readonly assertion?: Signing } = {},
  respelled: (unsigned: string) => string = (unsigned) => unsigned,
): string {
  const parts = { ...genuine, ...changes };
  const [response = '', end = ''] = respelled(responseOf(parts, '<!-- the assertion -->')).split(
    '<!-- the assertion -->',
  );
  const ofAssertion = signing.assertion ?? { key: idp.privateKey };
  const assertion = signedAs(respelled(assertionOf(parts)), parts.assertionId, ofAssertion);
  return signedAs(response + assertion + end, parts.responseId, signing.response ?? { key: idp.privateKey });
}

/** As the browser posts it. */
export function posted(xml: string | Buffer): string {
  return Buffer.from(xml).toString('base64');
}

export function confirmation({
  method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  data = { InResponseTo: '_request', NotOnOrAfter: '2026-11-21T12:05:00Z', Recipient: genuineAcs },
}: {
  readonly method?: string;
  readonly data?: Readonly<Record<string, string>>;
} = {}): string {
  return `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${listed(data)}></saml:SubjectConfirmationData></saml:SubjectConfirmation>`;
}

export function audience(...values: readonly string[]): string {
  const inside = values.map((value) => `<saml:Audience>${value}</saml:Audience>`).join('');
  return `<saml:AudienceRestriction>${inside}</saml:AudienceRestriction>`;
}

export function conditions({
  window = { NotBefore: '2026-11-21T11:59:30Z', NotOnOrAfter: '2026-11-21T12:05:00Z' },
  inside = audience('https://weir.example/sso/saml/good'),
}: {
  readonly window?: Readonly<Record<string, string>>;
  readonly inside?: string;
} = {}): string {
  return `<saml:Conditions${listed(window)}>${inside}</saml:Conditions>`;
}

export function authentication(
  data: Readonly<Record<string, string>> = { AuthnInstant: '2026-11-21T12:00:00Z', SessionIndex: '_s' },
): string {
  return `<saml:AuthnStatement${listed(data)}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
}

export function attributes(values: Readonly<Record<string, readonly string[]>>): string {
  const all = Object.entries(values).map(([name, texts]) => {
    const inside = texts.map((text) => `<saml:AttributeValue>${text}</saml:AttributeValue>`).join('');
    return `<saml:Attribute Name="${name}">${inside}</saml:Attribute>`;
  });
  return `<saml:AttributeStatement>${all.join('')}</saml:AttributeStatement>`;
}

/** An assertion without a signature. */
export function assertionOf(parts: Parts): string {
  const { assertionId, assertionIssued, assertionVersion } = parts;
  return (
    `<saml:Assertion ${assertionNamespace}${listed({ ID: assertionId, IssueInstant: assertionIssued, Version: assertionVersion })}>` +
    `${parts.assertionIssuer}<saml:Subject>${parts.nameId}${parts.confirmation}</saml:Subject>` +
    `${parts.conditions}${parts.authentication}${parts.attributes}${parts.inAssertion}</saml:Assertion>`
  );
}

/** A response without a signature, around an assertion. */
export function responseOf(parts: Parts, assertion: string): string {
  const listedParts = listed({
    Destination: parts.destination,
    ID: parts.responseId,
    InResponseTo: parts.inResponseTo,
    IssueInstant: parts.responseIssued,
    Version: parts.responseVersion,
  });
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"${listedParts}>` +
    `${parts.responseIssuer}${parts.status}${assertion}${parts.inResponse}</samlp:Response>`
  );
}

/** Something with its signature, which stands after the first element in it: the Issuer. */
export function signedAs(xml: string, id: string, signing: Signing): string {
  if (!signing.key) return xml;
  const issuer = /<\/(?:\w+:)?Issuer>/.exec(xml);
  const at = issuer ? issuer.index + issuer[0].length : xml.indexOf('>') + 1;
  return xml.slice(0, at) + signatureOf(xml, id, signing) + xml.slice(at);
}

/** A signature over some octets. */
export function signatureOf(octets: string, id: string, signing: Signing): string {
  const { key, method = defaultMethod(key), keyInfo = '', object = '' } = signing;
  const plain =
    signing.info?.(infoOf(octets, id, { ...signing, method })) ?? infoOf(octets, id, { ...signing, method });
  const canonical = plain.replace('<ds:SignedInfo>', `<ds:SignedInfo xmlns:ds="${dsig}">`);
  return `<ds:Signature xmlns:ds="${dsig}">${plain}<ds:SignatureValue>${computed(canonical, method, key)}</ds:SignatureValue>${keyInfo}${object}</ds:Signature>`;
}

function infoOf(octets: string, id: string, signing: Signing): string {
  const { canonicalization = exclusive, digest = 'http://www.w3.org/2001/04/xmlenc#sha256', uri = `#${id}` } = signing;
  const transforms = (signing.transforms ?? [`${dsig}enveloped-signature`, exclusive]).map((one) =>
    one.startsWith('<') ? one : `<ds:Transform Algorithm="${one}"></ds:Transform>`,
  );
  const value = createHash(hashNamed(digest))
    .update(signing.octets?.(octets) ?? octets)
    .digest('base64');
  return (
    `<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${canonicalization}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${signing.method}"></ds:SignatureMethod><ds:Reference URI="${uri}">` +
    `<ds:Transforms>${transforms.join('')}</ds:Transforms><ds:DigestMethod Algorithm="${digest}"></ds:DigestMethod>` +
    `<ds:DigestValue>${value}</ds:DigestValue></ds:Reference></ds:SignedInfo>`
  );
}

function computed(canonical: string, method: string, key: KeyObject | undefined): string {
  if (!key) return '';
  const data = Buffer.from(canonical);
  if (key.type === 'secret') return createHmac(hashNamed(method), key).update(data).digest('base64');
  return sign(hashNamed(method), data, { key, dsaEncoding: 'ieee-p1363' }).toString('base64');
}

function defaultMethod(key: KeyObject | undefined): string {
  return `${more}${key?.asymmetricKeyType === 'ec' ? 'ecdsa' : 'rsa'}-sha256`;
}

function hashNamed(algorithm: string): string {
  return /(?:sha(?:1|256|384|512)|md5)$/.exec(algorithm)?.[0] ?? 'sha256';
}

function listed(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
}
