// Messages that are refused for what is in them, and where it stands.

import { written } from '../signer.ts';
import { advice, dsig, named, parts, type Refused, raw, xml } from './parts.ts';

const html = 'http://www.w3.org/1999/xhtml';
export const structure: readonly Refused[] = [
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

export const encryption: readonly Refused[] = [
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
export const signatures: readonly Refused[] = [
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
