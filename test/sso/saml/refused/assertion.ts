// Messages, rightly signed, that are refused for what their assertion says.

import { audience, authentication, conditions, confirmation, genuine, genuineAcs } from '../signer.ts';
import { address, data, group, named, parts, type Refused, raw, restricted, validity } from './parts.ts';

const confirmed = (says: string, changes: Readonly<Record<string, string>>, ...left: readonly string[]): Refused =>
  parts(says, {
    confirmation: confirmation({
      data: Object.fromEntries(Object.entries({ ...data, ...changes }).filter(([name]) => !left.includes(name))),
    }),
  });
export const subjectConfirmation: readonly Refused[] = [
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

export const conditionsStep: readonly Refused[] = [
  parts('no conditions', { conditions: '' }),
  parts('conditions twice', { conditions: conditions() + conditions() }),
  parts('a beginning in 61 seconds', {
    conditions: conditions({ window: { ...validity, NotBefore: '2026-11-21T12:01:01Z' } }),
  }),
  parts('an end 60 seconds ago', {
    conditions: conditions({ window: { ...validity, NotOnOrAfter: '2026-11-21T11:59:00Z' } }),
  }),
  parts('an end in another zone', {
    conditions: conditions({ window: { ...validity, NotOnOrAfter: '2026-11-21T13:05:00+01:00' } }),
  }),
  parts('an end that is no time', { conditions: conditions({ window: { ...validity, NotOnOrAfter: '' } }) }),
  parts('a condition that nobody knows', {
    conditions: conditions({ inside: `${restricted}<saml:Condition></saml:Condition>` }),
  }),
  parts('a condition of another namespace', {
    conditions: conditions({ inside: `${restricted}<x:OneTimeUse xmlns:x="urn:x"></x:OneTimeUse>` }),
  }),
];

export const audienceStep: readonly Refused[] = [
  parts('nobody', { conditions: conditions({ inside: '' }) }),
  parts('many others', {
    conditions: conditions({ inside: audience('https://evil.example', 'x', 'y', 'z').repeat(100) }),
  }),
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
export const session = [
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

export const nameId: readonly Refused[] = [
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

export const emailDomain = [
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

export const attributesStep: readonly Refused[] = [
  raw('an element in a group', group('svc-core-owner<saml:a></saml:a>')),
  raw('an element for a group', group('<saml:NameID>svc-core-owner</saml:NameID>')),
  parts('an encrypted attribute', {
    attributes: genuine.attributes.replace(
      '<saml:Attribute ',
      '<saml:EncryptedAttribute></saml:EncryptedAttribute><saml:Attribute ',
    ),
  }),
];
