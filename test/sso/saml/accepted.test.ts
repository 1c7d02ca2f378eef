// What the guard takes: the ways in which identity providers write one and the same thing, and all that it reads of a person.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { largestEnvelope } from '../../../src/sso/saml/envelope.ts';
import { type Expected, type Guarded, guardResponse } from '../../../src/sso/saml/guard.ts';
import { most } from '../../../src/sso/saml/markup.ts';
import { curvePair, rsaPair } from '../../support/self-signed.ts';
import {
  attributes,
  audience,
  authentication,
  conditions,
  confirmation,
  curve,
  emailFormat,
  expecting,
  genuine,
  genuineAcs,
  idp,
  type Parts,
  posted,
  stranger,
  written,
} from './signer.ts';

const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';

const judged = (xml: string, changes: Partial<Expected> = {}): Guarded =>
  guardResponse(posted(xml), expecting(changes));
const usual = judged(written());

function identityOf(answer: Guarded) {
  if (answer.outcome === 'refused') throw new Error(`${answer.step}: ${answer.reason}`);
  return answer.identity;
}

const identity = (changes: Partial<Parts>, told: Partial<Expected> = {}) => identityOf(judged(written(changes), told));

const spelling = suite('a response');

spelling('may be written in any way that is the same to a canonicalization', () => {
  const xml = written();
  const spellings = {
    'an XML declaration': `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`,
    'a declaration in lower case, standalone': `<?xml version='1.0' encoding='utf-8' standalone='no' ?>${xml}`,
    'space around': `\n${xml}\n`,
    'single quotes': xml.replace(/"([^"]*)"/g, "'$1'"),
    'other line ends in tags': xml.replace(/<samlp:Response /, '<samlp:Response\r\n\t'),
    'attributes in another order': xml.replace(/ (ID="_response") (InResponseTo="_request")/, ' $2 $1'),
    'empty elements closed at once': xml.replace(/><\/(?:samlp:StatusCode|ds:Transform|ds:DigestMethod)>/g, '/>'),
    'characters by reference': xml.replace('ann@good', '&#97;n&#x6E;&#x40;good'),
    'namespaces declared at the top': xml
      .replaceAll(` xmlns:saml="${saml}"`, '')
      .replace('<samlp:Response', `<samlp:Response xmlns:saml="${saml}"`),
    'namespaces declared and not used': xml.replace(
      '<samlp:Response',
      '<samlp:Response xmlns:xs="http://www.w3.org/2001/XMLSchema"',
    ),
    'a value in several lines': xml.replace(/(<ds:SignatureValue>.{64})/, '$1\n'),
    'a value with carriage returns by reference, as Java on Windows writes it': xml.replace(
      /(<ds:SignatureValue>.{64})/,
      '$1&#13;\n',
    ),
  };
  for (const [says, text] of Object.entries(spellings)) assert.equal(judged(text), usual, says);
});

spelling('may come in lines of base64', () => {
  const lines = posted(written()).replace(/.{76}/g, '$&\r\n');
  assert.equal(guardResponse(`${lines}\n`, expecting()), usual);
});

spelling('may use any prefixes, or none', () => {
  for (const prefix of ['saml2:', 'ns0:', 'x-1.y:', '']) {
    const declared = prefix === '' ? 'xmlns=' : `xmlns:${prefix.slice(0, -1)}=`;
    const respelled = (xml: string) => xml.replaceAll('xmlns:saml=', declared).replace(/(<\/?)saml:/g, `$1${prefix}`);
    assert.equal(judged(written({}, {}, respelled)), usual, prefix);
  }
});

spelling(
  'may be signed with space between its elements, and name its types with namespaces that are listed for canonicalization',
  () => {
    const transform = `<ds:Transform Algorithm="${exclusive}"><ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="xs"></ec:InclusiveNamespaces></ds:Transform>`;
    const signing = { key: idp.privateKey, transforms: [enveloped, transform] };
    const xsi = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"';
    const respelled = (xml: string) =>
      xml
        .replace(/<saml:Assertion xmlns:saml="[^"]*"/, '$& xmlns:xs="http://www.w3.org/2001/XMLSchema"')
        .replaceAll('<saml:AttributeValue', `<saml:AttributeValue${xsi}`)
        .replaceAll('><saml:', '>\n  <saml:');
    assert.equal(judged(written({}, { response: signing, assertion: signing }, respelled)), usual);
  },
);

spelling('may carry what nobody asked for: extensions, advice, a certificate, remarks of other namespaces', () => {
  const keyInfo = '<ds:KeyInfo><ds:KeyName>idp</ds:KeyName></ds:KeyInfo>';
  const signing = { response: { key: idp.privateKey, keyInfo }, assertion: { key: idp.privateKey, keyInfo } };
  const extra = '<x:Note xmlns:x="urn:x" a="1">text</x:Note>';
  assert.equal(
    judged(written({ inResponse: extra, inAssertion: `<saml:Advice>${extra}</saml:Advice>` }, signing)),
    usual,
  );
});

spelling('may be as large as it may be', () => {
  const advice = (inside: string) => written({ inAssertion: `<saml:Advice>${inside}</saml:Advice>` });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const count = (pattern: RegExp) => new Set(Array.from(advice('').matchAll(pattern), ([, name]) => name)).size;
  const has = (pattern: RegExp) => Array.from(advice('').matchAll(pattern)).length;
  const [deep, left] = [most.depth - 3, most.attributes - has(/ [\w:]+="/g)];
  const wide = (width: number) =>
    `<saml:a${numbers(width)
      .map((n) => ` a${n + 10}=""`)
      .join('')}></saml:a>`;
  const largest = {
    elements: advice('<saml:a></saml:a>'.repeat(most.elements - has(/<[^/]/g))),
    attributes: advice(wide(50).repeat(Math.floor(left / 50)) + wide(left % 50)),
    depth: advice('<saml:a>'.repeat(deep) + '</saml:a>'.repeat(deep)),
    'attributes of one': advice(wide(most.attributesOfOne)),
    names: advice(
      numbers(most.names - count(/<([^/\s>]+)/g))
        .map((n) => `<saml:a${n}></saml:a${n}>`)
        .join(''),
    ),
  };
  for (const [says, xml] of Object.entries(largest)) assert.equal(judged(xml), usual, says);
  const room = (largestEnvelope / 4) * 3 - advice('').length;
  assert.is(posted(advice('x'.repeat(room))).length, largestEnvelope);
  assert.equal(judged(advice('x'.repeat(room))), usual);
  const last = written({ attributes: attributes({ cn: ['\u{10fffd}'] }) }).replace('\u{10fffd}', '&#x10fffd;');
  assert.is(identityOf(judged(last)).displayName, '\u{10fffd}');
});

const signing = suite('a signature');

signing('may be of RSA or an elliptic curve, with SHA-256, SHA-384 or SHA-512', () => {
  for (const pair of [idp, curve])
    for (const size of ['256', '384', '512']) {
      const method = `${more}${pair === idp ? 'rsa' : 'ecdsa'}-sha${size}`;
      const digest = `${size === '384' ? more : xmlenc}sha${size}`;
      const one = { key: pair.privateKey, method, digest };
      const xml = written({}, { response: one, assertion: one });
      assert.equal(judged(xml, { certificates: [pair.certificate] }), usual, method);
    }
});

signing('may be of a curve of another size', () => {
  for (const name of ['P-384', 'P-521']) {
    const pair = curvePair(name);
    const one = { key: pair.privateKey };
    assert.equal(
      judged(written({}, { response: one, assertion: one }), { certificates: [pair.certificate] }),
      usual,
      name,
    );
  }
});

signing('may be canonicalized with comments, because there are none', () => {
  const one = {
    key: idp.privateKey,
    canonicalization: `${exclusive}WithComments`,
    transforms: [enveloped, `${exclusive}WithComments`],
  };
  assert.equal(judged(written({}, { response: one, assertion: one })), usual);
});

signing('may belong to any certificate of the configuration, each to another: a provider changes its key', () => {
  const certificates = [stranger.certificate, curve.certificate, 'unreadable', idp.certificate];
  assert.equal(judged(written(), { certificates }), usual);
  assert.equal(judged(written({}, { response: { key: curve.privateKey } }), { certificates }), usual);
});

signing(
  'is not refused because its certificate ran out, or is not valid yet: the configuration says which keys count',
  () => {
    for (const days of [
      { from: '200101', until: '210101' },
      { from: '480101', until: '491231' },
    ]) {
      const pair = rsaPair(days);
      const one = { key: pair.privateKey };
      assert.equal(judged(written({}, { response: one, assertion: one }), { certificates: [pair.certificate] }), usual);
    }
  },
);

const clock = suite('the clock');

clock('may be apart by 60 seconds', () => {
  const early = { NotBefore: '2026-11-21T12:01:00Z', NotOnOrAfter: '2026-11-21T12:05:00Z' };
  const late = { NotBefore: '2026-11-21T11:55:00Z', NotOnOrAfter: '2026-11-21T11:59:01Z' };
  const data = { InResponseTo: '_request', Recipient: genuineAcs };
  for (const times of [early, late]) {
    assert.ok(identity({ conditions: conditions({ window: times }) }));
    assert.ok(identity({ confirmation: confirmation({ data: { ...data, ...times } }) }));
  }
  for (const issued of ['2026-11-21T12:01:00Z', '2026-11-21T11:50:00Z', '2026-11-21T11:59:59.999999999Z'])
    assert.ok(identity({ responseIssued: issued, assertionIssued: issued }), issued);
});

clock('refuses by age alone what need not be remembered any more', () => {
  const forever = { NotOnOrAfter: '9999-12-31T23:59:59Z' };
  const xml = written({
    conditions: conditions({ window: forever }),
    confirmation: confirmation({ data: { InResponseTo: '_request', Recipient: genuineAcs, ...forever } }),
  });
  const answer = judged(xml);
  if (answer.outcome === 'refused') return assert.unreachable(answer.reason);
  const later = judged(xml, { now: answer.rememberUntil });
  assert.is(later.outcome === 'refused' && later.step, 'issue-instant');
  assert.is(judged(xml, { now: '2026-11-21T12:10:00Z' }).outcome, 'genuine');
});

const meant = suite('whom an assertion is for');

meant('may be said with others, in one restriction, and more than once', () => {
  const us = 'https://weir.example/sso/saml/good';
  const inside =
    audience('https://other.example', us) +
    audience(us) +
    '<saml:OneTimeUse></saml:OneTimeUse><saml:ProxyRestriction Count="0"></saml:ProxyRestriction>';
  assert.equal(judged(written({ conditions: conditions({ inside }) })), usual);
  assert.equal(judged(written({ conditions: conditions({ window: {} }) })), usual, 'without times');
});

meant('may be confirmed in several ways, when one of them is ours', () => {
  const others =
    confirmation({ method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }) +
    confirmation({ data: { Recipient: 'https://other.example' } });
  assert.equal(judged(written({ confirmation: others + genuine.confirmation })), usual);
});

const person = suite('a person');

person('has an address in lower case, whatever the provider and the configuration write', () => {
  const nameId = `<saml:NameID Format="${emailFormat}">Ann.Smith+x@GOOD.Example</saml:NameID>`;
  assert.is(identity({ nameId }, { emailDomain: 'Good.EXAMPLE' }).email, 'ann.smith+x@good.example');
});

person('is called what an attribute says, and else as their address begins', () => {
  assert.is(identity({ attributes: '' }).username, 'ann');
  const names = {
    uid: 'asmith',
    'urn:oid:0.9.2342.19200300.100.1.1': 'asmith',
    username: 'asmith@good.example',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname': 'GOOD\\asmith',
  };
  for (const [name, text] of Object.entries(names))
    assert.is(identity({ attributes: attributes({ [name]: [text] }) }).username, 'asmith', name);
  assert.is(identity({ attributes: attributes({ uid: [''] }) }).username, 'ann');
});

person('has the name that is shown, or both of its parts', () => {
  assert.is(identity({ attributes: attributes({ cn: ['Ann\n  Smith'], givenName: ['A'] }) }).displayName, 'Ann Smith');
  assert.is(
    identity({ attributes: attributes({ givenName: ['Ann'], sn: ['Smith &amp; Söhne'] }) }).displayName,
    'Ann Smith & Söhne',
  );
  assert.is(identity({ attributes: attributes({ sn: ['Smith'] }) }).displayName, 'Smith');
  assert.is(identity({}).displayName, undefined);
});

person('has each group once, as it is written, from every attribute of that very Name', () => {
  const two =
    attributes({ 'svc-roles': ['svc-a-owner', 'svc-b-viewer', ''] }) +
    attributes({ 'svc-roles': [' svc-a-owner', 'svc-a-owner'] });
  assert.equal(identity({ attributes: two }).groups, ['svc-a-owner', 'svc-b-viewer', ' svc-a-owner']);
});

person('is in no group when the attribute is empty, and nothing is known when there is none', () => {
  assert.equal(identity({ attributes: attributes({ 'svc-roles': [] }) }).groups, []);
  assert.equal(identity({ attributes: attributes({ 'svc-roles': [''] }) }).groups, []);
  assert.not('groups' in identity({ attributes: '' }));
  const misspelt = identity({ attributes: attributes({ 'SVC-roles': ['a'], cn: ['Ann'] }) });
  assert.not('groups' in misspelt);
  assert.equal(misspelt.otherAttributes, ['SVC-roles', 'cn'], 'so that the log can name them');
  assert.not('otherAttributes' in identity({ attributes: attributes({ 'svc-roles': [] }) }));
  const [pairwise, entra] = [
    'urn:oasis:names:tc:SAML:attribute:pairwise-id',
    'http://schemas.microsoft.com/identity/claims/objectidentifier',
  ];
  const lasting = attributes({ [entra]: ['E-1'], [pairwise]: ['p@example.com'], uid: ['ann'] });
  assert.equal(identity({ attributes: lasting }).lastingIds, { [pairwise]: 'p@example.com', [entra]: 'E-1' });
  assert.not('lastingIds' in identity({ attributes: attributes({ [entra]: ['E-1', 'E-2'] }) }), 'two tell nothing');
});

person('has no groups by a friendly name: that is a remark', () => {
  const friendly = attributes({ 'urn:other': ['svc-a-owner'] }).replace('Name=', 'FriendlyName="svc-roles" Name=');
  assert.not('groups' in identity({ attributes: friendly }));
});

person('has a session for as long as the provider says, and the shortest of several', () => {
  const instant = { AuthnInstant: '2026-11-21T12:00:00Z' };
  const until = (text: string) => authentication({ ...instant, SessionNotOnOrAfter: text });
  assert.is(identity({ authentication: until('2026-11-21T20:00:00Z') }).sessionEndsAt, '2026-11-21T20:00:00.000Z');
  const several = until('2026-11-21T20:00:00Z') + until('2026-11-21T13:00:00Z') + authentication(instant);
  assert.is(identity({ authentication: several }).sessionEndsAt, '2026-11-21T13:00:00.000Z');
  assert.not('sessionEndsAt' in identity({}));
});

for (const one of [spelling, signing, clock, meant, person]) one.run();
