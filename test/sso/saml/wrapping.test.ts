// Signature wrapping: a genuine message, taken apart and put together around another. The eight classic ones (Somorovsky and others, "On Breaking
// SAML", 2012), and what came after them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Guarded, type GuardStep, guardResponse } from '../../../src/sso/saml/guard.ts';
import { assertionOf, expecting, genuine, idp, posted, responseOf, written } from './signer.ts';

const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
const dsig = 'http://www.w3.org/2000/09/xmldsig#';

const admin = { nameId: genuine.nameId.replace('ann@', 'admin@') };
const xml = written();
const response = xml.replace(/<saml:Assertion.*<\/saml:Assertion>/, 'HERE');
const [assertion = ''] = /<saml:Assertion.*<\/saml:Assertion>/.exec(xml) ?? [];
const [responseSignature = ''] = /<ds:Signature .*?<\/ds:Signature>/.exec(response) ?? [];
const [assertionSignature = ''] = /<ds:Signature .*?<\/ds:Signature>/.exec(assertion) ?? [];
const unsignedAssertion = assertion.replace(assertionSignature, '');
const unsignedResponse = xml.replace(responseSignature, '');

/** What an attacker writes: an assertion about the admin. */
const evil = (id: string) => assertionOf({ ...genuine, ...admin, assertionId: id });
const evilSigned = (id: string, signature: string) => evil(id).replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
const evilResponse = (id: string, inside: string, signature = '') =>
  responseOf({ ...genuine, responseId: id }, inside).replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
const around = (inside: string) => response.replace('HERE', inside);
const holding = (inside: string) => (signature: string) =>
  signature.replace('</ds:Signature>', `<ds:Object>${inside}</ds:Object></ds:Signature>`);
const extended = (inside: string, text: string) =>
  text.replace('<samlp:Status>', `<samlp:Extensions>${inside}</samlp:Extensions><samlp:Status>`);

const attacks: Readonly<Record<string, readonly [xml: string, step: GuardStep]>> = {
  'XSW1: the original in the signature of a new response': [
    evilResponse('_evil', evil('_evila'), holding(unsignedResponse)(responseSignature)),
    'structure',
  ],
  'XSW1, with its id kept': [
    evilResponse('_response', evil('_assertion'), holding(unsignedResponse)(responseSignature)),
    'structure',
  ],
  'XSW2: the original beside the signature, in a new response': [
    evilResponse('_evil', evil('_evila'), responseSignature + unsignedResponse),
    'structure',
  ],
  'XSW3: a new assertion before the original': [around(evil('_evil') + assertion), 'structure'],
  'XSW3: a new assertion behind the original': [around(assertion + evil('_evil')), 'structure'],
  'XSW3, with one id': [around(evil('_assertion') + assertion), 'structure'],
  'XSW4: the original in a new assertion': [
    around(evil('_evil').replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    'structure',
  ],
  'XSW5: the signature in a new assertion, the original behind': [
    around(evilSigned('_evil', assertionSignature) + unsignedAssertion),
    'structure',
  ],
  'XSW6: the original in the signature of a new assertion, beside it': [
    around(evilSigned('_evil', assertionSignature.replace('</ds:Signature>', `${unsignedAssertion}</ds:Signature>`))),
    'structure',
  ],
  'XSW7: the new assertion in Extensions': [extended(evil('_evil'), xml), 'structure'],
  'XSW7: the original in Extensions': [extended(assertion, around(evil('_assertion'))), 'structure'],
  'XSW8: the original in an Object of the signature of a new assertion': [
    around(evilSigned('_evil', holding(unsignedAssertion)(assertionSignature))),
    'structure',
  ],
  'the original as a part of the status': [
    around(evil('_evil')).replace(
      '</samlp:Status>',
      `<samlp:StatusDetail>${assertion}</samlp:StatusDetail></samlp:Status>`,
    ),
    'structure',
  ],
  'the original in Advice': [
    around(
      evilSigned('_evil', assertionSignature).replace(
        '</saml:Assertion>',
        `<saml:Advice>${unsignedAssertion}</saml:Advice></saml:Assertion>`,
      ),
    ),
    'structure',
  ],
  'the original in KeyInfo': [
    around(
      evilSigned(
        '_evil',
        assertionSignature.replace('</ds:Signature>', `<ds:KeyInfo>${unsignedAssertion}</ds:KeyInfo></ds:Signature>`),
      ),
    ),
    'structure',
  ],
  'the original under another name, with its id': [
    around(
      evilSigned('_evil', assertionSignature).replace(
        '</saml:Assertion>',
        `<saml:Advice>${unsignedAssertion.replaceAll('saml:Assertion', 'saml:Evidence')}</saml:Advice></saml:Assertion>`,
      ),
    ),
    'signature-form',
  ],
  'a new assertion under the old signature': [around(evilSigned('_assertion', assertionSignature)), 'signature-value'],
  'a new assertion under the old signature and another id': [
    around(evilSigned('_evil', assertionSignature)),
    'signature-form',
  ],
  'a new response around the old assertion, under the old signature': [
    evilResponse('_response', assertion, responseSignature).replace('_request', '_other'),
    'signature-value',
  ],
  'a new response around the old assertion, unsigned': [evilResponse('_evil', assertion), 'signatures'],
  'the signature of the response on both': [around(evilSigned('_evil', responseSignature)), 'signature-form'],
  'the signature of the assertion on both': [
    evilResponse('_response', assertion, assertionSignature),
    'signature-form',
  ],
  'both signatures in the assertion': [
    evilResponse('_response', assertion.replace('</saml:Issuer>', `</saml:Issuer>${responseSignature}`)),
    'signatures',
  ],
  'the signature at the end of the assertion, with the original below it': [
    around(
      evil('_evil').replace('</saml:Assertion>', `${holding(unsignedAssertion)(assertionSignature)}</saml:Assertion>`),
    ),
    'structure',
  ],
  'a second signature in the SignedInfo': [
    xml.replace('</ds:SignedInfo>', `${assertionSignature}</ds:SignedInfo>`),
    'signatures',
  ],
  'another SignedInfo in an Object': [
    xml.replace(
      responseSignature,
      holding(/<ds:SignedInfo>.*<\/ds:SignedInfo>/.exec(assertionSignature)?.[0] ?? '')(responseSignature),
    ),
    'signature-form',
  ],
  'a SignedInfo of another namespace in front': [
    xml.replace('<ds:SignedInfo>', '<x:SignedInfo xmlns:x="urn:x"></x:SignedInfo><ds:SignedInfo>'),
    'signature-form',
  ],
  'a Signature of another namespace around': [
    xml.replace(responseSignature, `<x:Signature xmlns:x="urn:x">${responseSignature}</x:Signature>`),
    'signatures',
  ],
  'a DigestValue in front of the other': [
    xml.replace('<ds:DigestValue>', '<ds:DigestValue>AAAA</ds:DigestValue><ds:DigestValue>'),
    'signature-form',
  ],
  'a Reference of another namespace': [
    xml.replace('<ds:Reference ', `<x:Reference xmlns:x="urn:x" URI="#_response"></x:Reference><ds:Reference `),
    'signature-form',
  ],
  'an assertion whose namespace is declared anew below it': [
    around(
      evilSigned('_assertion', assertionSignature).replace('<saml:Subject>', `<saml:Subject xmlns:saml="${saml}">`),
    ),
    'signature-value',
  ],
  'a signature whose prefix means two things': [
    xml.replace('<ds:SignatureValue>', '<ds:SignatureValue xmlns:ds="urn:x">'),
    'signature-form',
  ],
  'a name id of two namespaces': [
    xml.replace('<saml:NameID', `<saml:NameID xmlns:saml="urn:x">admin@good.example</saml:NameID><saml:NameID`),
    'signature-value',
  ],
  'a name id that a comment cuts': [xml.replace('ann@good', 'ann<!-- x -->@good'), 'markup'],
  'a name id that a comment of two hyphens cuts': [xml.replace('ann@good', 'a<!---->nn@good'), 'markup'],
  'a name id that an instruction cuts': [xml.replace('ann@good', 'ann<?x?>@good'), 'markup'],
  'no namespace at all': [xml.replace(/ xmlns:\w+="[^"]*"/g, '').replace(/(<\/?)\w+:/g, '$1'), 'structure'],
  'a default namespace that is taken for one of ours': [
    xml
      .replace('<samlp:Response', `<samlp:Response xmlns="${dsig}"`)
      .replace('<saml:Subject>', '<Signature/><saml:Subject>'),
    'signatures',
  ],
};

const wrapping = suite('wrapping');

wrapping('begins with a message that is genuine, whole or put together again', () => {
  assert.is(guardResponse(posted(xml), expecting()).outcome, 'genuine');
  assert.is(guardResponse(posted(around(assertion)), expecting()).outcome, 'genuine');
});

for (const [says, [text, step]] of Object.entries(attacks))
  wrapping(`is refused: ${says}`, () => {
    assert.is.not(text, xml, 'the attack changes something');
    const answer: Guarded = guardResponse(posted(text), expecting());
    assert.is(answer.outcome, 'refused');
    if (answer.outcome === 'refused') assert.is(answer.step, step, answer.reason);
  });

wrapping('does not mix two genuine messages: the assertion of one in the response of the other', () => {
  const other = written({ ...admin, assertionId: '_other', responseId: '_otherResponse' });
  const [otherAssertion = ''] = /<saml:Assertion.*<\/saml:Assertion>/.exec(other) ?? [];
  const answer = guardResponse(posted(around(otherAssertion)), expecting());
  assert.is(answer.outcome === 'refused' && answer.step, 'signature-value');
});

wrapping('does not take something else that the provider has signed for a response', () => {
  const logout = written().replaceAll('samlp:Response', 'samlp:LogoutResponse');
  const answer = guardResponse(posted(logout), expecting({ certificates: [idp.certificate] }));
  assert.is(answer.outcome === 'refused' && answer.step, 'structure');
});

wrapping.run();
