// Messages, rightly signed, that are refused because they are old, or from somebody else, or for somebody else.

import { confirmation, genuine, genuineAcs } from '../signer.ts';
import { data, parts, type Refused } from './parts.ts';

export const version = ['1.1', '2', '2.0 ', ''].flatMap((text) => [
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
export const issueInstant = times.flatMap((text) => [
  parts(`a response issued at "${text}"`, { responseIssued: text }),
  parts(`an assertion issued at "${text}"`, { assertionIssued: text }),
]);

const other = (text: string) => text.replace('https://idp.example/metadata', 'https://evil.example/metadata');
export const issuer: readonly Refused[] = [
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
export const status = [
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

export const destination = [
  undefined,
  '',
  `${genuineAcs}/`,
  `${genuineAcs}?`,
  genuineAcs.replace('https', 'http'),
  genuineAcs.toUpperCase(),
  genuineAcs.replace('good', 'evil'),
  'https://weir.example',
].map((text) => parts(`the destination ${text}`, { destination: text }));

export const inResponseTo = [undefined, '', '_other', ' _request', '_REQUEST'].map((text) =>
  parts(`an answer to ${text}`, {
    inResponseTo: text,
    confirmation: confirmation({ data: { ...data, InResponseTo: text ?? '' } }),
  }),
);
