// Messages that are refused for how, and by whom, they are signed.
import { createPublicKey, createSecretKey } from 'node:crypto';
import { curve, idp, posted, stranger } from '../signer.ts';
import { dsig, enveloped, exclusive, inserted, more, type Refused, raw, signedBy, xml } from './parts.ts';

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
const listOf = (prefixes: string) =>
  `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${prefixes}"></ec:InclusiveNamespaces>`;
const holding = (inside: string) => `<ds:Transform Algorithm="${exclusive}">${inside}</ds:Transform>`;
export const form: readonly Refused[] = [
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
  ...signedBy('an XPath in a canonicalization', {
    transforms: [enveloped, holding('<ds:XPath>self::text()</ds:XPath>')],
  }),
  ...signedBy('two lists of prefixes', { transforms: [enveloped, holding(listOf('a').repeat(2))] }),
  ...signedBy('something in the method of canonicalization', {
    info: (text) => text.replace('</ds:CanonicalizationMethod>', '<ds:XPath></ds:XPath></ds:CanonicalizationMethod>'),
  }),
  ...signedBy('something in the transform that takes the signature out', {
    transforms: [`<ds:Transform Algorithm="${enveloped}"><ds:XPath></ds:XPath></ds:Transform>`, exclusive],
  }),
  ...signedBy('something in the method of the digest', {
    info: (text) => text.replace('</ds:DigestMethod>', '<ds:a></ds:a></ds:DigestMethod>'),
  }),
  ...signedBy('a long list of prefixes', { transforms: [enveloped, holding(listOf('a '.repeat(200)))] }),
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
export const value: readonly Refused[] = [
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
