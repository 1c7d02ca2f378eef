// Messages that the guard refuses, by the step that does: each is the genuine one with one thing changed, and signed anew unless it says otherwise.
import { createPublicKey, createSecretKey } from 'node:crypto';
import type { Expected, GuardStep } from '../../../src/sso/saml/guard.ts';
import {
  attributes,
  audience,
  authentication,
  conditions,
  confirmation,
  curve,
  emailFormat,
  genuine,
  genuineAcs,
  idp,
  type Parts,
  posted,
  type Signing,
  stranger,
  written,
} from './signer.ts';

/** A message, and what is expected otherwise than usual. */
export interface Refused {
  readonly says: string;
  readonly encoded: unknown;
  readonly expecting?: Partial<Expected>;
}

const xml = written();
const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = `${dsig}enveloped-signature`;
const more = 'http://www.w3.org/2001/04/xmldsig-more#';

const raw = (says: string, text: string | Buffer): Refused => ({ says, encoded: posted(text) });
const parts = (says: string, changes: Partial<Parts>): Refused => raw(says, written(changes));
const signedBy = (says: string, signing: Signing): readonly Refused[] => [
  raw(`${says}, on the response`, written({}, { response: { key: idp.privateKey, ...signing } })),
  raw(`${says}, on the assertion`, written({}, { assertion: { key: idp.privateKey, ...signing } })),
];
const inserted = (says: string, before: string, text: string): Refused =>
  raw(says, xml.replace(before, `${text}${before}`));
const group = (text: string) => written({ attributes: attributes({ 'svc-roles': [text] }) });
const named = (says: string, nameId: string): Refused => parts(says, { nameId });
const address = (text: string): Refused =>
  parts(`the address ${JSON.stringify(text)}`, {
    nameId: `<saml:NameID Format="${emailFormat}">${text}</saml:NameID>`,
  });
const advice = (inside: string) => written({ inAssertion: `<saml:Advice>${inside}</saml:Advice>` });
const data = { InResponseTo: '_request', NotOnOrAfter: '2026-11-21T12:05:00Z', Recipient: genuineAcs };
const window = { NotBefore: '2026-11-21T11:59:30Z', NotOnOrAfter: '2026-11-21T12:05:00Z' };
const restricted = audience('https://weir.example/sso/saml/good');

const envelope: readonly Refused[] = [
  { says: 'nothing', encoded: undefined },
  { says: 'two fields', encoded: [posted(xml), posted(xml)] },
  { says: 'a number', encoded: 1 },
  { says: 'an object', encoded: { toString: () => posted(xml) } },
  { says: 'an empty text', encoded: '' },
  { says: 'line breaks alone', encoded: '\r\n\r\n' },
  { says: 'more than 256 KiB', encoded: posted(group('x'.repeat(200_000))) },
  { says: 'a space in base64', encoded: posted(xml).replace('A', ' A') },
  { says: 'junk in base64', encoded: `${posted(xml)}!` },
  {
    says: 'something after the padding',
    encoded: `${posted(`${xml} `.padEnd(xml.length + 3 - (xml.length % 3) + 1))}AAAA`,
  },
  { says: 'the alphabet of URLs', encoded: Buffer.from(group('ÿÿÿ??>>')).toString('base64url') },
  raw('UTF-16, low end first', Buffer.from(xml, 'utf16le')),
  raw('UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')])),
  raw('a byte order mark', `\ufeff${xml}`),
  raw('Latin-1', Buffer.from(group('Jörg'), 'latin1')),
  raw('an overlong "a"', Buffer.from(xml.replace('ann@', '\u00c1\u00a1nn@'), 'latin1')),
  raw('half a character', Buffer.concat([Buffer.from(xml), Buffer.from([0xe2, 0x82])])),
  raw('NUL', xml.replace('ann@', 'ann\0@')),
  raw('DEL', group('svc-core-owner\u007f')),
  raw('a control character of the second kind', group('svc-core\u0085owner')),
  raw('a line separator', group('svc-core\u2028owner')),
  raw('a byte order mark inside', group('svc-core\ufeffowner')),
  raw('what is no character', group('svc-core\uffffowner')),
];

const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
const markup: readonly Refused[] = [
  raw('a document type', `<!DOCTYPE r>${xml}`),
  raw('an entity', `<!DOCTYPE r [<!ENTITY e "ann">]>${xml.replace('ann@', '&e;@')}`),
  raw('an entity from a file', `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('ann@', '&e;@')}`),
  raw('a billion laughs', `<!DOCTYPE r [<!ENTITY l0 "ha">${laughs}]>${xml.replace('ann@', '&l9;@')}`),
  raw('a comment in the NameID', xml.replace('ann@good.example', 'ann@good.example<!---->')),
  raw(
    'a comment that cuts the domain off',
    written({ nameId: genuine.nameId.replace('good.example', 'good.example.evil.example') }).replace(
      'good.example.evil.example',
      'good.example<!-- -->.evil.example',
    ),
  ),
  inserted('a comment in a DigestValue', '</ds:DigestValue>', '<!-- -->'),
  inserted('a comment in front of everything', '<samlp:Response', '<!-- -->'),
  raw('CDATA in the NameID', xml.replace('ann@good.example', '<![CDATA[ann@good.example]]>')),
  inserted('a processing instruction', '<saml:NameID', '<?php evil ?>'),
  raw('a style sheet', `<?xml-stylesheet href="https://evil.example"?>${xml}`),
  raw('XML 1.1', `<?xml version="1.1"?>${xml}`),
  raw('a declaration of another encoding', `<?xml version="1.0" encoding="UTF-16"?>${xml}`),
  raw('two declarations', `<?xml version="1.0"?><?xml version="1.0"?>${xml}`),
  raw('a declaration behind a space', ` <?xml version="1.0"?>${xml}`),
  raw('NUL by reference', xml.replace('ann@', 'ann&#0;@')),
  raw('a control character by reference', xml.replace('ann@', 'ann&#x85;@')),
  raw('half a pair by reference', xml.replace('ann@', 'ann&#xD800;@')),
  raw('a reference beyond all characters', xml.replace('ann@', 'ann&#x110000;@')),
  raw('an entity that nobody declared', xml.replace('ann@', 'ann&nbsp;@')),
  raw('an ampersand alone', xml.replace('ann@', 'ann&@')),
  raw('an end of CDATA', xml.replace('ann@', 'ann]]&gt;@').replace(']]&gt;', ']]>')),
  raw('20 001 tags', advice('<saml:a></saml:a>'.repeat(4000) + '<a/>'.repeat(12_100))),
  raw('65 elements deep', advice(`${'<saml:a>'.repeat(65)}${'</saml:a>'.repeat(65)}`)),
  raw('65 attributes', advice(`<saml:a${Array.from({ length: 65 }, (_, n) => ` a${n}=""`).join('')}></saml:a>`)),
  raw('names without end', advice(Array.from({ length: 250 }, (_, n) => `<saml:a${n}></saml:a${n}>`).join(''))),
  raw('text behind', `${xml}text`),
  raw('text in front', `text${xml}`),
  raw('two outermost elements', `${xml}${xml}`),
  raw('an outermost element that is closed at once, and another', `<a/>${xml}`),
  raw('an attribute twice', xml.replace('ID="_response"', 'ID="_response" ID="_response"')),
  raw('an attribute without quotes', xml.replace('Version="2.0"', 'Version=2.0')),
  raw('an attribute without a value', xml.replace('Version="2.0"', 'Version="2.0" checked')),
  raw('"<" in an attribute', xml.replace('ID="_response"', 'ID="<_response"')),
  raw('an element that never ends', xml.replace('</samlp:Response>', '')),
  raw('a tag cut off', xml.slice(0, -1)),
  raw(
    'elements that cross',
    xml.replace('</saml:NameID>', '').replace('</saml:Subject>', '</saml:Subject></saml:NameID>'),
  ),
  raw('an end of another case', xml.replace('</saml:NameID>', '</saml:nameid>')),
  raw('no XML', 'Hello'),
  raw('JSON', '{"email": "ann@good.example"}'),
  raw('an empty document', '   '),
];

const parser: readonly Refused[] = [
  raw('a name that begins with a digit', advice('<1a></1a>')),
  raw('a name with two colons', advice('<saml:a:b></saml:a:b>')),
];

const html = 'http://www.w3.org/1999/xhtml';
const structure: readonly Refused[] = [
  raw('another element outermost', xml.replaceAll('samlp:Response', 'samlp:LogoutResponse')),
  raw('a Response of another namespace', xml.replace('SAML:2.0:protocol"', 'SAML:1.0:protocol"')),
  raw('an Assertion alone', xml.slice(xml.indexOf('<saml:Assertion'), xml.indexOf('</samlp:Response>'))),
  raw('no assertion', xml.replace(/<saml:Assertion.*<\/saml:Assertion>/, '')),
  parts('a second assertion', {
    inResponse: '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_two"></saml:Assertion>',
  }),
  raw('an assertion in an assertion', advice('<saml:Assertion ID="_two"></saml:Assertion>')),
  parts('an assertion of another namespace', { inResponse: '<x:Assertion xmlns:x="urn:x" ID="_two"></x:Assertion>' }),
  parts('a response in a response', { inResponse: '<samlp:Response ID="_two"></samlp:Response>' }),
  raw(
    'an assertion deeper down',
    xml
      .replace('<saml:Assertion', '<samlp:Extensions><saml:Assertion')
      .replace('</saml:Assertion>', '</saml:Assertion></samlp:Extensions>'),
  ),
  parts('one ID for both', { assertionId: '_response' }),
  raw('an ID twice', advice('<saml:a ID="_assertion"></saml:a>')),
  raw('an ID that is called Id', advice('<saml:a Id="_assertion"></saml:a>')),
  raw('an ID that is called id', advice('<saml:a id="_response"></saml:a>')),
  raw('an ID with a prefix', advice('<saml:a xml:id="_assertion"></saml:a>')),
  raw('a response without an ID', xml.replace(' ID="_response"', '')),
  raw('an ID with a prefix alone', xml.replace(' ID="_assertion"', ' saml:ID="_assertion"')),
  parts('an ID with a quote', { responseId: "_a'or'1" }),
  parts('an empty ID', { assertionId: '' }),
  raw('HTML', advice(`<a xmlns="${html}"></a>`)),
  raw('a script, whose text a parser of HTML would not read as XML', advice(`<script xmlns="${html}">a</script>`)),
  raw('a prefix that is not declared', xml.replace('<saml:NameID', '<x:NameID').replace('</saml:NameID', '</x:NameID')),
  raw('a prefix named like what every object has', advice('<constructor:a></constructor:a>')),
  raw('an attribute whose prefix is not declared', xml.replace('Format=', 'x:Format=')),
  raw('the prefix xml declared anew', xml.replace('<saml:NameID', '<saml:NameID xmlns:xml="urn:x"')),
  raw('the prefix xmlns declared', xml.replace('<saml:NameID', '<saml:NameID xmlns:xmlns="urn:x"')),
  raw('a prefix taken back', xml.replace('<saml:NameID', '<saml:NameID xmlns:x=""')),
  raw('an attribute that a canonicalization overlooks', xml.replace('<saml:NameID', '<saml:NameID xmlnsID="_a"')),
];

const encryption: readonly Refused[] = [
  parts('an encrypted assertion beside the other', {
    inResponse:
      '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"></saml:EncryptedAssertion>',
  }),
  raw(
    'an encrypted assertion alone',
    xml.replace(
      /<saml:Assertion.*<\/saml:Assertion>/,
      '<saml:EncryptedAssertion xmlns:saml="urn:x"></saml:EncryptedAssertion>',
    ),
  ),
  named('an encrypted name id', '<saml:EncryptedID></saml:EncryptedID>'),
];

const unsigned = { key: undefined };
const signatures: readonly Refused[] = [
  raw('nothing signed', written({}, { response: unsigned, assertion: unsigned })),
  raw('the assertion alone signed', written({}, { response: unsigned })),
  raw('the response alone signed', written({}, { assertion: unsigned })),
  parts('a third signature', {
    inAssertion: `<saml:Advice><ds:Signature xmlns:ds="${dsig}"></ds:Signature></saml:Advice>`,
  }),
  parts('a third signature, of another namespace', { inResponse: '<x:Signature xmlns:x="urn:x"></x:Signature>' }),
  raw('a signature of another namespace', xml.replaceAll(dsig, 'urn:x')),
  raw('both signatures in the response', moved()),
];

/** The signature of the assertion, moved into the response. */
function moved(): string {
  const at = xml.lastIndexOf('<ds:Signature ');
  const end = xml.lastIndexOf('</ds:Signature>') + '</ds:Signature>'.length;
  return (xml.slice(0, at) + xml.slice(end)).replace('<samlp:Status>', `${xml.slice(at, end)}<samlp:Status>`);
}

const secret = createSecretKey(
  Buffer.from(
    String(
      createPublicKey(idp.publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'pem' }),
    ),
  ),
);
const xpathTransform =
  '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(ancestor-or-self::saml:NameID)</ds:XPath></ds:Transform>';
const xsltTransform =
  '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"></xsl:stylesheet></ds:Transform>';
const form: readonly Refused[] = [
  ...signedBy('an Object', { object: '<ds:Object></ds:Object>' }),
  ...signedBy('SHA-1', { method: `${dsig}rsa-sha1` }),
  ...signedBy('MD5', { method: `${more}rsa-md5` }),
  ...signedBy('HMAC with the public key as its secret', { key: secret, method: `${more}hmac-sha256` }),
  ...signedBy('HMAC with SHA-1', { key: secret, method: `${dsig}hmac-sha1` }),
  ...signedBy('a method that does not exist', { method: 'urn:none' }),
  ...signedBy('a digest with SHA-1', { digest: `${dsig}sha1` }),
  ...signedBy('a digest with MD5', { digest: `${more}md5` }),
  ...signedBy('inclusive canonicalization', { canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }),
  ...signedBy('an inclusive transform', { transforms: [enveloped, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'] }),
  ...signedBy('an XPath transform', { transforms: [enveloped, xpathTransform, exclusive] }),
  ...signedBy('an XSLT transform', { transforms: [enveloped, xsltTransform, exclusive] }),
  ...signedBy('a base64 transform', { transforms: [enveloped, `${dsig}base64`] }),
  ...signedBy('transforms in another order', { transforms: [exclusive, enveloped] }),
  ...signedBy('one transform', { transforms: [enveloped] }),
  ...signedBy('a transform twice', { transforms: [enveloped, exclusive, exclusive] }),
  ...signedBy('no transforms', { transforms: [] }),
  ...signedBy('a reference to the whole document', { uri: '' }),
  ...signedBy('a reference to something else', { uri: '#_other' }),
  ...signedBy('a reference by XPointer', { uri: "#xpointer(id('_response'))" }),
  ...signedBy('a reference to a file', { uri: 'file:///etc/passwd' }),
  ...signedBy('a reference without an address', { info: (text) => text.replace(/ URI="[^"]*"/, '') }),
  ...signedBy('two references', { info: (text) => text.replace(/<ds:Reference.*<\/ds:Reference>/, '$&$&') }),
  ...signedBy('no reference', { info: (text) => text.replace(/<ds:Reference.*<\/ds:Reference>/, '') }),
  ...signedBy('a length for the value', {
    info: (text) =>
      text.replace('</ds:SignatureMethod>', '<ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>'),
  }),
  ...signedBy('an element in the digest', {
    info: (text) => text.replace('</ds:DigestValue>', '<ds:a></ds:a></ds:DigestValue>'),
  }),
  ...signedBy('a digest that is none', { info: (text) => text.replace(/<ds:DigestValue>/, '<ds:DigestValue>!') }),
  ...signedBy('two digests', { info: (text) => text.replace(/<ds:DigestValue>.*<\/ds:DigestValue>/, '$&$&') }),
  inserted('two SignedInfo', '<ds:SignatureValue>', '<ds:SignedInfo></ds:SignedInfo>'),
  inserted('KeyInfo at the wrong place', '<ds:SignatureValue>', '<ds:KeyInfo></ds:KeyInfo>'),
  inserted('no value', '</ds:SignatureValue>', '<ds:a></ds:a>'),
  raw('an empty value', xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>')),
  raw(
    'another reference: that of the assertion, on the response',
    xml.replace('URI="#_response"', 'URI="#_assertion"'),
  ),
];

const keyInfo = (pem: string) =>
  `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${pem.replace(/-----[^-]+-----|\n/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
const swapped = () => {
  const [first = '', second = ''] = xml.match(/<ds:SignatureValue>[^<]*/g) ?? [];
  return xml.replace(first, 'FIRST').replace(second, first).replace('FIRST', second);
};
const value: readonly Refused[] = [
  ...signedBy('the key of a stranger', { key: stranger.privateKey }),
  ...signedBy('the key of a stranger, with their certificate', {
    key: stranger.privateKey,
    keyInfo: keyInfo(stranger.certificate),
  }),
  ...signedBy('the key of a stranger, with the certificate of the provider', {
    key: stranger.privateKey,
    keyInfo: keyInfo(idp.certificate),
  }),
  ...signedBy('a curve that is not in the configuration', { key: curve.privateKey }),
  ...signedBy('a digest of something else', { octets: (text) => `${text} ` }),
  raw('another name', xml.replace('ann@good', 'admin@good')),
  raw('one more space', xml.replace('<saml:Subject>', '<saml:Subject> ')),
  raw('another group', xml.replace('core-owner', 'other-owner')),
  raw('another destination', xml.replace('Destination="', 'Destination="x')),
  raw('another status', xml.replace('status:Success', 'status:Responder')),
  raw('another audience', xml.replace('<saml:Audience>', '<saml:Audience>x')),
  raw('an attribute more', xml.replace('<saml:NameID ', '<saml:NameID NameQualifier="x" ')),
  raw('an element more', xml.replace('<saml:NameID ', '<saml:a></saml:a><saml:NameID ')),
  raw('an element less', xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '')),
  raw('a namespace more, where it is used', xml.replace('<saml:NameID ', '<x:a xmlns:x="urn:x"></x:a><saml:NameID ')),
  raw('a prefix that means something else', xml.replace('<saml:NameID ', '<saml:NameID xmlns:saml="urn:x" ')),
  raw('the values swapped', swapped()),
  raw('a value cut off', xml.replace(/(<ds:SignatureValue>[^<]*)[^<]{8}</, '$1<')),
  raw('a value of one byte', xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>AA==')),
  raw('a method of another key', xml.replace('rsa-sha256', 'ecdsa-sha256')),
  raw('a method of another digest', xml.replace('rsa-sha256', 'rsa-sha512')),
  { says: 'no certificate that can be used', encoded: posted(xml), expecting: { certificates: ['none'] } },
  { says: 'no certificate at all', encoded: posted(xml), expecting: { certificates: [] } },
  {
    says: 'the certificate of another provider',
    encoded: posted(xml),
    expecting: { certificates: [stranger.certificate] },
  },
];

const version = ['1.1', '2', '2.0 ', ''].flatMap((text) => [
  parts(`a response of version "${text}"`, { responseVersion: text }),
  parts(`an assertion of version "${text}"`, { assertionVersion: text }),
]);

const times = [
  '2026-11-21T12:01:01Z',
  '2026-11-21T11:49:59Z',
  '2026-11-21T12:00:00',
  '2026-11-21T12:00:00+00:00',
  '2026-11-21T13:00:00+01:00',
  '2026-11-31T12:00:00Z',
  '2026-11-21',
  '',
  'now',
  '1795262400',
];
const issueInstant = times.flatMap((text) => [
  parts(`a response issued at "${text}"`, { responseIssued: text }),
  parts(`an assertion issued at "${text}"`, { assertionIssued: text }),
]);

const other = (text: string) => text.replace('https://idp.example/metadata', 'https://evil.example/metadata');
const issuer: readonly Refused[] = [
  parts('a response of another issuer', { responseIssuer: other(genuine.responseIssuer) }),
  parts('an assertion of another issuer', { assertionIssuer: other(genuine.assertionIssuer) }),
  parts('both of another issuer', {
    responseIssuer: other(genuine.responseIssuer),
    assertionIssuer: other(genuine.assertionIssuer),
  }),
  parts('an issuer with a slash more', { assertionIssuer: genuine.assertionIssuer.replace('metadata', 'metadata/') }),
  parts('an issuer of another case', { assertionIssuer: genuine.assertionIssuer.replace('idp', 'IDP') }),
  parts('an issuer and a space', { responseIssuer: genuine.responseIssuer.replace('metadata', 'metadata ') }),
  parts('two issuers', { assertionIssuer: `${genuine.assertionIssuer}${other(genuine.assertionIssuer)}` }),
  parts('an issuer with an element in it', {
    assertionIssuer: genuine.assertionIssuer.replace('metadata', 'meta<saml:a></saml:a>data'),
  }),
  parts('an issuer of another namespace', {
    assertionIssuer: genuine.assertionIssuer.replace('<saml:Issuer>', '<saml:Issuer xmlns:saml="urn:x">'),
  }),
];

const code = (name: string, inside = '') =>
  `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${name}">${inside}</samlp:StatusCode>`;
const status = [
  parts('a failure', { status: `<samlp:Status>${code('Responder', code('AuthnFailed'))}</samlp:Status>` }),
  parts('a success in a failure', { status: `<samlp:Status>${code('Responder', code('Success'))}</samlp:Status>` }),
  parts('a success and a failure', { status: `<samlp:Status>${code('Success')}${code('Responder')}</samlp:Status>` }),
  parts('a failure and a success', {
    status: `<samlp:Status>${code('Responder')}</samlp:Status><samlp:Status>${code('Success')}</samlp:Status>`,
  }),
  parts('another spelling of success', { status: `<samlp:Status>${code('success')}</samlp:Status>` }),
  parts('no status', { status: '' }),
  parts('an empty status', { status: '<samlp:Status></samlp:Status>' }),
];

const destination = [
  undefined,
  '',
  `${genuineAcs}/`,
  `${genuineAcs}?`,
  genuineAcs.replace('https', 'http'),
  genuineAcs.toUpperCase(),
  genuineAcs.replace('good', 'evil'),
  'https://weir.example',
].map((text) => parts(`the destination ${text}`, { destination: text }));

const inResponseTo = [undefined, '', '_other', ' _request', '_REQUEST'].map((text) =>
  parts(`an answer to ${text}`, {
    inResponseTo: text,
    confirmation: confirmation({ data: { ...data, InResponseTo: text ?? '' } }),
  }),
);

const confirmed = (says: string, changes: Readonly<Record<string, string>>, ...left: readonly string[]): Refused =>
  parts(says, {
    confirmation: confirmation({
      data: Object.fromEntries(Object.entries({ ...data, ...changes }).filter(([name]) => !left.includes(name))),
    }),
  });
const subjectConfirmation: readonly Refused[] = [
  confirmed('another recipient', { Recipient: genuineAcs.replace('good', 'evil') }),
  confirmed('no recipient', {}, 'Recipient'),
  confirmed('another request', { InResponseTo: '_other' }),
  confirmed('no request', {}, 'InResponseTo'),
  confirmed('no end', {}, 'NotOnOrAfter'),
  confirmed('an end 60 seconds ago', { NotOnOrAfter: '2026-11-21T11:59:00Z' }),
  confirmed('an end that is no time', { NotOnOrAfter: 'never' }),
  confirmed('an end in another zone', { NotOnOrAfter: '2026-11-21T12:05:00+00:00' }),
  confirmed('a beginning in 61 seconds', { NotBefore: '2026-11-21T12:01:01Z' }),
  parts('no confirmation', { confirmation: '' }),
  parts('a confirmation without data', {
    confirmation:
      '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"></saml:SubjectConfirmation>',
  }),
  parts('a holder of a key', {
    confirmation: confirmation({ method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }),
  }),
  parts('a sender who vouches', {
    confirmation: confirmation({ method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }),
  }),
  parts('two confirmations that would be one together', {
    confirmation: [{ Recipient: 'https://evil.example' }, { InResponseTo: '_other' }]
      .map((changes) => confirmation({ data: { ...data, ...changes } }))
      .join(''),
  }),
];

const conditionsStep: readonly Refused[] = [
  parts('no conditions', { conditions: '' }),
  parts('conditions twice', { conditions: conditions() + conditions() }),
  parts('a beginning in 61 seconds', {
    conditions: conditions({ window: { ...window, NotBefore: '2026-11-21T12:01:01Z' } }),
  }),
  parts('an end 60 seconds ago', {
    conditions: conditions({ window: { ...window, NotOnOrAfter: '2026-11-21T11:59:00Z' } }),
  }),
  parts('an end in another zone', {
    conditions: conditions({ window: { ...window, NotOnOrAfter: '2026-11-21T13:05:00+01:00' } }),
  }),
  parts('an end that is no time', { conditions: conditions({ window: { ...window, NotOnOrAfter: '' } }) }),
  parts('a condition that nobody knows', {
    conditions: conditions({ inside: `${restricted}<saml:Condition></saml:Condition>` }),
  }),
  parts('a condition of another namespace', {
    conditions: conditions({ inside: `${restricted}<x:OneTimeUse xmlns:x="urn:x"></x:OneTimeUse>` }),
  }),
];

const audienceStep: readonly Refused[] = [
  parts('nobody', { conditions: conditions({ inside: '' }) }),
  parts('an empty restriction', { conditions: conditions({ inside: audience() }) }),
  parts('another', { conditions: conditions({ inside: audience('https://evil.example') }) }),
  parts('us, and only another', { conditions: conditions({ inside: restricted + audience('https://evil.example') }) }),
  parts('only another, and us', { conditions: conditions({ inside: audience('https://evil.example') + restricted }) }),
  parts('us with a slash', { conditions: conditions({ inside: audience('https://weir.example/sso/saml/good/') }) }),
  parts('us and a space', { conditions: conditions({ inside: audience(' https://weir.example/sso/saml/good') }) }),
  parts('us with an element inside', {
    conditions: conditions({ inside: audience('https://weir.example/sso/saml/good<saml:a></saml:a>') }),
  }),
];

const instant = { AuthnInstant: '2026-11-21T12:00:00Z' };
const session = [
  parts('no sign-in', { authentication: '' }),
  ...[
    '2026-11-21T12:00:00Z',
    '2026-11-21T11:00:00Z',
    'never',
    '',
    '2026-11-21T18:00:00',
    '2026-11-21T18:00:00+01:00',
  ].map((text) =>
    parts(`a session until "${text}"`, { authentication: authentication({ ...instant, SessionNotOnOrAfter: text }) }),
  ),
  parts('one session that lasts and one that is over', {
    authentication:
      authentication({ ...instant, SessionNotOnOrAfter: '2026-11-21T18:00:00Z' }) +
      authentication({ ...instant, SessionNotOnOrAfter: '2026-11-21T11:00:00Z' }),
  }),
];

const nameId: readonly Refused[] = [
  named('no name id', ''),
  named('two name ids', genuine.nameId + genuine.nameId),
  parts('a second name id, in the confirmation', {
    confirmation: genuine.confirmation.replace(
      '<saml:SubjectConfirmationData',
      `${genuine.nameId}<saml:SubjectConfirmationData`,
    ),
  }),
  named('a base id beside it', `<saml:BaseID></saml:BaseID>${genuine.nameId}`),
  parts('two subjects', { inAssertion: `<saml:Subject>${genuine.nameId}</saml:Subject>` }),
  named('no format', genuine.nameId.replace(/ Format="[^"]*"/, '')),
  ...[
    'SAML:1.1:nameid-format:unspecified',
    'SAML:2.0:nameid-format:persistent',
    'SAML:2.0:nameid-format:transient',
    'SAML:2.0:nameid-format:emailAddress',
  ].map((format) =>
    named(`the format ${format}`, genuine.nameId.replace('SAML:1.1:nameid-format:emailAddress', format)),
  ),
  named('a format with a prefix', genuine.nameId.replace('Format=', 'saml:Format=')),
  named('an element inside', genuine.nameId.replace('@good', '<saml:a></saml:a>@good')),
  named('an element around', genuine.nameId.replace('ann@good.example', '<saml:a>ann@good.example</saml:a>')),
  ...[
    '',
    'ann',
    '@good.example',
    'ann@',
    'ann@good.example ',
    '\nann@good.example',
    'ann@evil.example@good.example',
    'ann@good.example@evil.example',
  ].map(address),
  ...[
    '"ann@evil.example"@good.example',
    'ann@evil.example,ann@good.example',
    'ann smith@good.example',
    'ann@good.example&lt;',
    'ann&lt;x&gt;@good.example',
    'ann(x)@good.example',
  ].map(address),
  ...[
    'ann@göod.example',
    'ann@good\u3002example',
    'änn@good.example',
    '\u212aate@good.example',
    'ann@\u212aood.example',
    'ann\u200b@good.example',
    'ann\u202e@good.example',
  ].map(address),
  address(`${'a'.repeat(250)}@good.example`),
];

const emailDomain = [
  'evil.example',
  'sub.good.example',
  'evilgood.example',
  'good.example.',
  '.good.example',
  'good.example.evil.example',
  'xn--good-example',
  'good',
  'example',
  'good-example',
].map((domain) => address(`ann@${domain}`));

const attributesStep: readonly Refused[] = [
  raw('an element in a group', group('svc-core-owner<saml:a></saml:a>')),
  raw('an element for a group', group('<saml:NameID>svc-core-owner</saml:NameID>')),
  parts('an encrypted attribute', {
    attributes: genuine.attributes.replace(
      '<saml:Attribute ',
      '<saml:EncryptedAttribute></saml:EncryptedAttribute><saml:Attribute ',
    ),
  }),
];

const fault: readonly Refused[] = [
  { says: 'a time that is none', encoded: posted(xml), expecting: { now: 'soon' } },
  {
    says: 'a question that nobody can answer',
    encoded: posted(xml),
    expecting: {
      isPending: () => {
        throw new Error('down');
      },
    },
  },
];

/** By step, in the order of the guard. */
export const refused: Readonly<Record<GuardStep, readonly Refused[]>> = {
  envelope,
  markup,
  parser,
  structure,
  encryption,
  signatures,
  'signature-form': form,
  'signature-value': value,
  version,
  'issue-instant': issueInstant,
  issuer,
  status,
  destination,
  'in-response-to': inResponseTo,
  'subject-confirmation': subjectConfirmation,
  conditions: conditionsStep,
  audience: audienceStep,
  session,
  'name-id': nameId,
  'email-domain': emailDomain,
  attributes: attributesStep,
  fault,
};
